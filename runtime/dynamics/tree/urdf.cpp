#include "runtime/dynamics/tree/urdf.h"

#include "runtime/core/error.h"

#ifdef ABUT_HAVE_URDFDOM
#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "runtime/core/input_file.h"
#include "runtime/core/settings.h"
#include "runtime/dynamics/tree/ros_package.h"
#include "runtime/dynamics/tree/urdf_limits.h"
#endif

namespace abut::dynamics {

#ifndef ABUT_HAVE_URDFDOM

Robot read_urdf(const std::filesystem::path& file, JointType) {
  throw InvalidInput(file.string() +
                     ": this build reads no URDF; install liburdfdom-dev and configure again");
}

#else

namespace {

namespace fs = std::filesystem;

// Violations of the triangle inequality that the rounding of the numbers in a file explains are ignored.
constexpr double kTriangleTolerance = 1e-6;                 // of the largest moment
constexpr double kLeastScale = 1e-9, kGreatestScale = 1e9;  // of a mesh

// Collects the errors that urdfdom reports while it parses, which would go to standard error.
class Complaints : public console_bridge::OutputHandler {
 public:
  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level < console_bridge::CONSOLE_BRIDGE_LOG_ERROR) return;
    std::string line = text.substr(0, text.find_last_not_of(" \n") + 1);
    std::replace(line.begin(), line.end(), '\n', ' ');
    all_ += (all_.empty() ? "" : "; ") + line;
  }
  const std::string& all() const { return all_; }

 private:
  std::string all_;
};

// Guards the output handler, which is global to the process.
std::mutex& parser_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Returns the model with a deleter that clears the links' children: links in a loop own one another.
urdf::ModelInterfaceSharedPtr released(const urdf::ModelInterfaceSharedPtr& model) {
  return {model.get(), [model](urdf::ModelInterface*) {
            for (const auto& [name, link] : model->links_) link->child_links.clear();
          }};
}

urdf::ModelInterfaceSharedPtr parse(const fs::path& file) {
  const std::string text = read_text(file);
  detail::require_one_modest_robot(file, text);
  const std::lock_guard lock(parser_mutex());
  Complaints complaints;
  console_bridge::useOutputHandler(&complaints);
  urdf::ModelInterfaceSharedPtr model;
  std::string thrown;
  try {
    model = urdf::parseURDF(text);
  } catch (const std::exception& error) {
    thrown = error.what();
  }
  console_bridge::restorePreviousOutputHandler();
  // urdfdom may report an element that it does not understand, skip it and still return a model.
  if (model && complaints.all().empty()) return released(model);
  const std::string why = complaints.all().empty() ? thrown : complaints.all();
  throw InvalidInput(file.string() + ": " + (why.empty() ? "no URDF" : why));
}

class Reader {
 public:
  Reader(const fs::path& file, JointType root_joint) : file_(file), model_(parse(file)) {
    require_tree();
    robot_.name = model_->getName();
    add_links(root_joint);
    if (robot_.links.size() != model_->links_.size()) refuse("links in a loop: " + unreached());
    if (missing_package_)
      missing_meshes_ +=
          "; a package is a folder of its name, or with a package.xml of it, at or above this file, or in "
          "ROS_PACKAGE_PATH or AMENT_PREFIX_PATH";
    if (!missing_meshes_.empty()) refuse(missing_meshes_);
    resolve_mimics();
    require_valid_links();
  }

  Robot take() { return std::move(robot_); }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw InvalidInput(file_.string() + ": " + what);
  }

  // Refuses links with several parents, of which urdfdom silently keeps the last.
  void require_tree() const {
    std::map<std::string, std::string> joint_of_child;
    for (const auto& [name, joint] : model_->joints_) {
      const auto [known, added] = joint_of_child.emplace(joint->child_link_name, name);
      if (!added)
        refuse("link '" + joint->child_link_name + "' is the child of two joints, '" + known->second +
               "' and '" + name + "'");
    }
  }

  std::string unreached() const {
    std::string names;
    for (const auto& [name, link] : model_->links_)
      if (link_index_.count(name) == 0) names += (names.empty() ? "'" : ", '") + name + "'";
    return names;
  }

  Vec3<double> vector(const urdf::Vector3& from, const std::string& of) const {
    Vec3<double> v(from.x, from.y, from.z);
    if (!v.allFinite()) refuse(of + " has a number that is not finite");
    return v;
  }
  Pose<double> pose(const urdf::Pose& from, const std::string& of) const {
    const urdf::Rotation& q = from.rotation;
    Pose<double> X{rotation_from_quaternion(q.w, q.x, q.y, q.z), vector(from.position, of)};
    if (!X.finite()) refuse(of + " has an origin that is not finite");
    return X;
  }

  // Adds the links depth first, parents before their children.
  void add_links(JointType root_joint) {
    struct Entry {
      const urdf::Link* link;
      int parent;
    };
    std::vector<Entry> left{{model_->getRoot().get(), -1}};
    while (!left.empty()) {
      const auto [link, parent] = left.back();
      left.pop_back();
      const int index = add_link(*link, parent < 0 ? nullptr : link->parent_joint.get(), parent, root_joint);
      for (auto child = link->child_links.rbegin(); child != link->child_links.rend(); ++child)
        left.push_back({child->get(), index});
    }
  }

  // Adds one link and returns its index.
  int add_link(const urdf::Link& from, const urdf::Joint* joint, int parent, JointType root_joint) {
    const int index = static_cast<int>(robot_.links.size());
    link_index_[from.name] = index;
    Link& link = robot_.links.emplace_back();
    link.name = from.name;
    link.parent = parent;
    if (joint != nullptr) {
      link.joint = joint_of(*joint);
    } else {
      link.joint.name = "world to " + from.name;
      link.joint.type = root_joint;
    }
    if (from.inertial) link.inertia = inertia_of(*from.inertial, from.name);
    for (const auto& collision : from.collision_array)
      if (collision && collision->geometry) add_collision(*collision, index);
    return index;
  }

  JointType type_of(const urdf::Joint& joint) const {
    switch (joint.type) {
      case urdf::Joint::REVOLUTE:
      case urdf::Joint::CONTINUOUS:
        return JointType::kRevolute;
      case urdf::Joint::PRISMATIC:
        return JointType::kPrismatic;
      case urdf::Joint::PLANAR:
        return JointType::kPlanar;
      case urdf::Joint::FLOATING:
        return JointType::kFree;
      case urdf::Joint::FIXED:
        return JointType::kFixed;
      default:
        refuse("joint '" + joint.name + "' has no type");
    }
  }

  Joint joint_of(const urdf::Joint& from) const {
    const std::string who = "joint '" + from.name + "'";
    Joint joint;
    joint.name = from.name;
    joint.type = type_of(from);
    joint.X_PJ = pose(from.parent_to_joint_origin_transform, who);
    if (joint.type != JointType::kFixed && joint.type != JointType::kFree) {
      const Vec3<double> axis = vector(from.axis, who);
      if (!(axis.norm() > 0)) refuse(who + " has an axis of length zero");
      joint.axis_J = axis.normalized();
    }
    if (from.limits) {
      joint.velocity_limit = from.limits->velocity;
      joint.effort_limit = from.limits->effort;
      if (from.type == urdf::Joint::REVOLUTE || from.type == urdf::Joint::PRISMATIC) {
        joint.lower = from.limits->lower;
        joint.upper = from.limits->upper;
      }
    }
    if (from.dynamics) {
      joint.damping = from.dynamics->damping;
      joint.friction = from.dynamics->friction;
    }
    return joint;
  }

  LinkInertia inertia_of(const urdf::Inertial& from, const std::string& link) {
    const std::string who = "link '" + link + "'";
    const Pose<double> X_LI = pose(from.origin, who);  // I: the frame of the inertia
    Mat3<double> I;
    I << from.ixx, from.ixy, from.ixz, from.ixy, from.iyy, from.iyz, from.ixz, from.iyz, from.izz;
    if (!I.allFinite() || !std::isfinite(from.mass)) refuse(who + " has an inertia that is not finite");
    const Vec3<double> moments =
        Eigen::SelfAdjointEigenSolver<Mat3<double> >(I, Eigen::EigenvaluesOnly).eigenvalues();
    if (moments[0] + moments[1] < (1 - kTriangleTolerance) * moments[2])
      robot_.warnings.push_back(who + ": its principal moments " + number_text(moments[0]) + ", " +
                                number_text(moments[1]) + ", " + number_text(moments[2]) +
                                " kg m^2 violate the triangle inequality");
    I = (X_LI.R * I * X_LI.R.transpose()).eval();
    return {from.mass, X_LI.p, (I + I.transpose()) / 2};
  }

  void add_collision(const urdf::Collision& from, int link) {
    const std::string who =
        "link '" + robot_.links[static_cast<std::size_t>(link)].name + "': a collision shape";
    CollisionShape shape;
    shape.link = link;
    shape.X_LS = pose(from.origin, who);
    const auto positive = [&](double size) {
      if (!(size > 0) || !std::isfinite(size)) refuse(who + " has a size that is not positive");
      return size;
    };
    if (const auto* box = dynamic_cast<const urdf::Box*>(from.geometry.get())) {
      shape.shape = body::Box<double>{
          Vec3<double>(positive(box->dim.x), positive(box->dim.y), positive(box->dim.z)) / 2};
    } else if (const auto* cylinder = dynamic_cast<const urdf::Cylinder*>(from.geometry.get())) {
      shape.shape = body::Cylinder<double>{positive(cylinder->length) / 2, positive(cylinder->radius)};
    } else if (const auto* sphere = dynamic_cast<const urdf::Sphere*>(from.geometry.get())) {
      shape.shape = body::Sphere<double>{positive(sphere->radius)};
    } else if (const auto* mesh = dynamic_cast<const urdf::Mesh*>(from.geometry.get())) {
      const Vec3<double> scale = vector(mesh->scale, who);
      const double least = scale.cwiseAbs().minCoeff(), most = scale.cwiseAbs().maxCoeff();
      if (least == 0) refuse(who + " has a scale of zero");
      if (least < kLeastScale || most > kGreatestScale)
        refuse(who + " has a scale of " + number_text(least < kLeastScale ? least : most) +
               "; it must be from " + number_text(kLeastScale) + " to " + number_text(kGreatestScale));
      shape.shape = Mesh{mesh_file(mesh->filename, who), scale};
    }
    robot_.collisions.push_back(std::move(shape));
  }

  // Missing files are collected, so that one error reports them all.
  fs::path mesh_file(const std::string& name, const std::string& who) {
    const std::string_view package = "package://", local = "file://";
    const fs::path folder = fs::absolute(file_).parent_path();
    fs::path found;
    if (name.compare(0, package.size(), package) == 0)
      found = find_in_packages(folder, name.substr(package.size()));
    else
      found = folder / (name.compare(0, local.size(), local) == 0 ? name.substr(local.size()) : name);
    std::error_code error;  // such as of a name that is too long
    if (!fs::is_regular_file(found, error)) {
      missing_meshes_ +=
          (missing_meshes_.empty() ? "" : "; ") + who + " names a mesh that is missing: '" + name + "'";
      missing_package_ = missing_package_ || found.empty();
    }
    return found.lexically_normal();
  }

  void resolve_mimics() {
    std::map<std::string, int> link_of_joint;
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      link_of_joint[robot_.links[i].joint.name] = static_cast<int>(i);
    for (const auto& [name, joint] : model_->joints_) {
      if (!joint->mimic) continue;
      const auto other = link_of_joint.find(joint->mimic->joint_name);
      if (other == link_of_joint.end())
        refuse("joint '" + name + "' mimics '" + joint->mimic->joint_name + "', which there is not");
      robot_.links[static_cast<std::size_t>(link_of_joint.at(name))].joint.mimic =
          Mimic{other->second, joint->mimic->multiplier, joint->mimic->offset};
    }
  }

  void require_valid_links() const {
    try {
      const Tree tree(robot_.links);
    } catch (const InvalidInput& error) {
      refuse(error.what());
    }
  }

  fs::path file_;
  urdf::ModelInterfaceSharedPtr model_;
  std::map<std::string, int> link_index_;
  std::string missing_meshes_;
  bool missing_package_ = false;  // whether one of them is a package:// name
  Robot robot_;
};

}  // namespace

Robot read_urdf(const std::filesystem::path& file, JointType root_joint) {
  return Reader(file, root_joint).take();
}

#endif

}  // namespace abut::dynamics
