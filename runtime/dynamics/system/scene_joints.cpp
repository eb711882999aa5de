#include "runtime/dynamics/system/scene_joints.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/dynamics/system/robot.h"

namespace abut::dynamics {
namespace {

namespace fs = std::filesystem;

struct JointWord {
  std::string_view keyword;
  double Joint::*member;
};
constexpr JointWord kJointWords[] = {
    {"lower", &Joint::lower},         {"upper", &Joint::upper},       {"damping", &Joint::damping},
    {"stiffness", &Joint::stiffness}, {"friction", &Joint::friction}, {"armature", &Joint::armature},
};

JointType joint_type(const SceneLines& line, const std::string& name) {
  std::string known;
  for (int k = 0; k < kJointTypeCount; ++k) {
    const auto type = static_cast<JointType>(k);
    if (joint_kind(type).name == name) return type;
    known += (k > 0 ? ", " : "") + std::string(joint_kind(type).name);
  }
  line.refuse("'" + name + "' is no type of joint; there are: " + known);
}

// KEYWORD NUMBER ... up to the end of the line.
void read_words(SceneLines& line, BodyJoint& joint) {
  while (line.words_left() > 0) {
    const std::string keyword = line.word("what is given");
    const double value = line.number("of a joint");
    if (keyword == "position" || keyword == "velocity") {
      if (joint_kind(joint.joint.type).nq != 1)
        line.refuse("'" + keyword + "' is of joints of one degree of freedom");
      (keyword == "position" ? joint.q : joint.v) = VecX<double>::Constant(1, value);
      continue;
    }
    const auto* known = std::find_if(std::begin(kJointWords), std::end(kJointWords),
                                     [&](const JointWord& word) { return word.keyword == keyword; });
    if (known == std::end(kJointWords))
      line.refuse("'" + keyword +
                  "' is nothing of a joint; there are: lower, upper, damping, stiffness, friction, armature, "
                  "position, velocity");
    joint.joint.*known->member = value;
  }
}

std::int32_t find_body(const SceneLines& line, const Scene& scene, const std::string& name) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].name == name) return static_cast<std::int32_t>(i);
  line.refuse("there is no body '" + name + "' further up");
}

Pose<double> pose_of(const Body& body) {
  const auto& q = body.q_WB;
  return {rotation_from_quaternion(q[0], q[1], q[2], q[3]), body.p_WB};
}

}  // namespace

void read_joint(SceneLines& line, Scene& scene) {
  if (scene.bodies.empty()) line.refuse("'joint' stands below the body that it carries");
  Body& body = scene.bodies.back();
  if (body.joint) line.refuse("body '" + body.name + "' has a joint already");
  BodyJoint joint;
  joint.joint.name = line.word("a name");
  for (const Body& other : scene.bodies)
    if (other.joint && other.joint->joint.name == joint.joint.name)
      line.refuse("there is a joint '" + joint.joint.name + "' already");
  joint.joint.type = joint_type(line, line.word("a type"));
  const std::string parent = line.word("the body that carries it, or `world`");
  const Pose<double> X_WJ = line.pose();
  const Vec3<double> axis = line.vector("an axis");
  if (!(axis.norm() > 0)) line.refuse("the joint's axis is zero");
  joint.joint.axis_J = axis.stableNormalized();
  Pose<double> X_WP;
  if (parent != "world") {
    joint.parent = find_body(line, scene, parent);
    const Body& carrier = scene.bodies[static_cast<std::size_t>(joint.parent)];
    if (&carrier == &body) line.refuse("body '" + body.name + "' cannot carry itself");
    X_WP = pose_of(carrier);
    if (carrier.joint) X_WP = X_WP * carrier.joint->X_LB.inverse();
  }
  joint.joint.X_PJ = X_WP.inverse() * X_WJ;
  joint.X_LB = X_WJ.inverse() * pose_of(body);
  read_words(line, joint);
  body.joint = std::move(joint);
}

std::size_t read_robot(SceneLines& line, Scene& scene, const AssetSource& assets) {
  const std::string name = line.word("a name");
  const fs::path file = fs::path(line.file()).parent_path() / line.word("a URDF file");
  const Pose<double> X_WR = line.pose();
  try {
    return add_robot(scene, name, read_urdf(file), X_WR, [&](const Mesh& mesh) {
      if (mesh.scale != Vec3<double>::Ones())
        throw InvalidInput(mesh.file.string() + ": meshes of robots in scenes are not scaled");
      return assets(mesh.file.stem().string());
    });
  } catch (const Error& error) {
    line.refuse(error.what());
  }
}

void set_joint(SceneLines& line, Scene& scene) {
  const std::string name = line.word("a joint's name");
  for (Body& body : scene.bodies) {
    if (!body.joint || body.joint->joint.name != name) continue;
    if (line.words_left() == 0) line.refuse("'set' lacks what is set");
    return read_words(line, *body.joint);
  }
  line.refuse("there is no joint '" + name + "' further up");
}

void keep_apart(SceneLines& line, Scene& scene) {
  const std::int32_t A = find_body(line, scene, line.word("a body's name"));
  const std::int32_t B = find_body(line, scene, line.word("another body's name"));
  scene.apart.emplace_back(A, B);
}

}  // namespace abut::dynamics
