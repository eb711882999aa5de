#include <charconv>
#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <system_error>

#include "runtime/core/error.h"
#include "runtime/core/output_file.h"
#include "runtime/core/settings.h"
#include "runtime/dynamics/system/material_words.h"
#include "runtime/dynamics/system/scene_file.h"
#include "runtime/dynamics/system/scene_joints.h"

namespace abut::dynamics {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw InvalidInput("scene: " + what); }

class Writer {
 public:
  Writer(const Scene& scene, const AssetName& name_of) : scene_(scene), name_of_(name_of) {}

  std::string text() {
    require_valid(scene_);
    if (!(scene_.duration >= 0) || !std::isfinite(scene_.duration))
      refuse("the duration must be 0 s or more");
    if (scene_.bodies.empty()) refuse("there is no body to write");
    line("gravity", scene_.gravity);
    if (scene_.duration > 0) line("duration", scene_.duration);
    of_scene_ = first_material();
    for (const MaterialWord& word : kMaterialWords) {
      text_ += word.keyword;
      put(word, of_scene_);
      text_ += '\n';
    }
    for (std::size_t k = 0; k < scene_.fixed.size(); ++k) fixed(scene_.fixed[k], k);
    for (const Body& body : scene_.bodies) add(body);
    for (const Body& body : scene_.bodies) mimic(body);
    for (const auto& [A, B] : scene_.apart) apart(A, B);
    groups();
    for (const ContactChoice& choice : scene_.contacts) contact(choice);
    return std::move(text_);
  }

 private:
  body::Material first_material() const {
    if (!scene_.fixed.empty()) return scene_.fixed.front().material;
    for (const Body& body : scene_.bodies)
      if (!body.shapes.empty()) return body.shapes.front().material;
    return {};
  }

  void put(double number) {
    char digits[32];
    text_ += ' ';
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
  void put(const Vec3<double>& v) {
    for (int k = 0; k < 3; ++k) put(v[k]);
  }
  void put(const Pose<double>& X) {
    const Eigen::Quaterniond q(X.R);
    put(X.p);
    for (const double entry : {q.w(), q.x(), q.y(), q.z()}) put(entry);
  }
  void put(const MaterialWord& word, const body::Material& material) {
    if (material.*word.member == body::kRigid)
      (text_ += ' ') += kRigidWord;
    else
      put(material.*word.member);
  }
  // Writes the numbers that differ from the scene's defaults.
  void put(const body::Material& material) {
    bool first = true;
    for (const MaterialWord& word : kMaterialWords) {
      if (material.*word.member == of_scene_.*word.member) continue;
      text_ += first ? " material " : " ";
      text_ += word.keyword;
      put(word, material);
      first = false;
    }
    if (!first) text_ += '\n';
  }
  template <class... Value>
  void line(const char* keyword, const Value&... values) {
    text_ += keyword;
    (put(values), ...);
    text_ += '\n';
  }

  void fixed(const Shape& shape, std::size_t number) {
    const std::string who = "fixed shape " + std::to_string(number);
    require_default_deviation(shape.geometry, who);
    if (const auto* plane = shape.geometry.half_space()) {
      if (plane->thickness != body::HalfSpace<double>{}.thickness)
        refuse(who + " is a half-space of another thickness than the " +
               number_text(body::HalfSpace<double>{}.thickness) + " m that scene files have");
      const Vec3<double> n = shape.X_BS.R.col(2);
      line("plane", n, n.dot(shape.X_BS.p));
    } else if (const auto* box = shape.geometry.as<body::Box<double>>()) {
      line("sbox", shape.X_BS, box->half);
    } else {
      text_ += "fixed";
      add_geometry(shape, who);
    }
    put(shape.material);
  }

  void add(const Body& body) {
    const std::string who = "body '" + body.name + "'";
    if (body.shapes.empty() && !body.joint) refuse(who + " has neither a shape nor a joint");
    if (!names_.insert(body.name).second) refuse("there are two bodies '" + body.name + "'");
    text_ += "body " + scene_word(body.name, "scene: " + who);
    put(body.mass);
    put(body.inertia);
    const Pose<double> X_WL = place_link(body);
    if (body.joint) {
      put(X_WL * body.joint->X_LB);
    } else {
      put(body.p_WB);
      for (const double entry : body.q_WB) put(entry);
    }
    put(body.v_WB);
    put(body.w_WB_W);
    text_ += ' ' + std::to_string(body.shapes.size()) + '\n';
    for (const Shape& shape : body.shapes) add(shape, who);
    if (body.joint) add(*body.joint, X_WL);
  }

  // Computes the pose of the body's link with all joints at zero, given those of its parents.
  const Pose<double>& place_link(const Body& body) {
    const auto& q = body.q_WB;
    if (!body.joint)
      return X_WL_.emplace_back(Pose<double>{rotation_from_quaternion(q[0], q[1], q[2], q[3]), body.p_WB});
    const std::int32_t parent = body.joint->parent;
    const Pose<double> X_WP = parent < 0 ? Pose<double>{} : X_WL_[static_cast<std::size_t>(parent)];
    return X_WL_.emplace_back(X_WP * body.joint->joint.X_PJ);
  }

  void add(const BodyJoint& of_body, const Pose<double>& X_WL) {
    const Joint& joint = of_body.joint;
    if (!joint_names_.insert(joint.name).second) refuse("there are two joints '" + joint.name + "'");
    text_ +=
        "joint " + scene_word(joint.name, "scene: a joint") + ' ' + std::string(joint_kind(joint.type).name);
    text_ += ' ' + (of_body.parent < 0 ? kWorld : name_of_body(of_body.parent));
    put(X_WL);
    put(joint.axis_J);
    for (const JointWord& word : kJointWords) {
      if (joint.*word.member == Joint{}.*word.member) continue;
      (text_ += ' ') += word.keyword;
      put(joint.*word.member);
    }
    put("position", of_body.q);
    put("velocity", of_body.v);
    text_ += '\n';
  }
  void put(const char* keyword, const VecX<double>& numbers) {
    if (numbers.size() > 0) (text_ += ' ') += keyword;
    for (const double number : numbers) put(number);
  }

  std::string name_of_body(std::int32_t i) const {
    return scene_word(scene_.bodies[static_cast<std::size_t>(i)].name, "scene: a body");
  }

  void mimic(const Body& body) {
    if (!body.joint || !body.joint->joint.mimic) return;
    const Joint& joint = body.joint->joint;
    const auto other = static_cast<std::size_t>(joint.mimic->link);
    if (other >= scene_.bodies.size() || !scene_.bodies[other].joint)
      refuse("joint '" + joint.name + "' mimics a joint that does not exist");
    text_ += "mimic " + scene_word(joint.name, "scene: a joint") + ' ' +
             scene_word(scene_.bodies[other].joint->joint.name, "scene: a joint");
    put(joint.mimic->multiplier);
    put(joint.mimic->offset);
    text_ += '\n';
  }

  void groups() {
    std::map<std::int32_t, std::string> members;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i)
      if (scene_.bodies[i].group != 0)
        members[scene_.bodies[i].group] += ' ' + name_of_body(static_cast<std::int32_t>(i));
    for (const auto& [group, names] : members) text_ += "group" + names + '\n';
  }

  void contact(const ContactChoice& choice) {
    text_ += "contact";
    for (const std::string& word : {choice.A, choice.B, choice.model})
      text_ += ' ' + scene_word(word, "scene: a contact");
    for (const SettingValue& setting : choice.settings) text_ += ' ' + setting.name + ' ' + setting.text;
    text_ += '\n';
  }

  void apart(std::int32_t A, std::int32_t B) {
    text_ += "apart " + name_of_body(A) + ' ' + name_of_body(B) + '\n';
  }

  static void require_default_deviation(const body::Geometry& geometry, const std::string& who) {
    if (geometry.primitive() == nullptr) return;
    const double read_back = body::Geometry(*geometry.primitive()).deviation();
    if (geometry.deviation() != read_back)
      refuse(who + " has a " + geometry.name() + " of the deviation " + number_text(geometry.deviation()) +
             "; scene files have its sizes alone, and make it with " + number_text(read_back));
  }

  void add(const Shape& shape, const std::string& who) {
    require_default_deviation(shape.geometry, who);
    add_geometry(shape, who);
    put(shape.material);
  }

  void add_geometry(const Shape& shape, const std::string& who) {
    if (const body::Primitive* primitive = shape.geometry.primitive()) {
      (text_ += ' ') += shape_word(body::row_of(*primitive));
      for (const double size : body::sizes(*primitive)) put(size);
    } else {
      text_ += " asset " + scene_word(name_of_(shape.geometry), "scene: " + who + ": its asset");
    }
    line("", shape.X_BS);
  }

  const Scene& scene_;
  const AssetName& name_of_;
  body::Material of_scene_;
  std::set<std::string> names_, joint_names_;
  std::deque<Pose<double>> X_WL_;  // of the links of the bodies written so far, with all joints at zero
  std::string text_;
};

}  // namespace

std::string scene_text(const Scene& scene, const AssetName& name_of) { return Writer(scene, name_of).text(); }

void write_scene(const Scene& scene, const std::string& file, const AssetName& name_of) {
  const std::string text = scene_text(scene, name_of);
  OutputFile out(file);
  out.write(text);
  out.finish();
}

}  // namespace abut::dynamics
