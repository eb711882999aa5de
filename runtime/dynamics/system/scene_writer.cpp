#include <charconv>
#include <cmath>
#include <set>
#include <system_error>

#include "runtime/core/error.h"
#include "runtime/core/output_file.h"
#include "runtime/dynamics/system/material_words.h"
#include "runtime/dynamics/system/scene_file.h"

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
    line("duration", scene_.duration);
    of_scene_ = first_material();
    for (const MaterialWord& word : kMaterialWords) {
      text_ += word.keyword;
      put(word, of_scene_);
      text_ += '\n';
    }
    for (std::size_t k = 0; k < scene_.fixed.size(); ++k) fixed(scene_.fixed[k], k);
    for (const Body& body : scene_.bodies) add(body);
    for (const auto& [A, B] : scene_.apart) apart(A, B);
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
  // Where it differs from the scene's.
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

  // A name as one word of a line.
  static std::string quoted(const std::string& name, const std::string& who) {
    if (name.empty()) refuse(who + " has no name");
    if (name.find('\n') != std::string::npos)
      refuse(who + ": its name has an end of line, which scene files cannot hold");
    if (name.find_first_of(" \t\r\v\f#\"") == std::string::npos) return name;
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
    return text + '"';
  }

  void fixed(const Shape& shape, std::size_t number) {
    if (shape.geometry.half_space()) {
      const Vec3<double> n = shape.X_BS.R.col(2);
      line("plane", n, n.dot(shape.X_BS.p));
    } else if (const auto* box = shape.geometry.as<body::Box<double>>()) {
      line("sbox", shape.X_BS, box->half);
    } else {
      refuse("fixed shape " + std::to_string(number) +
             " is neither a box nor a plane, which are what scene files can hold");
    }
    put(shape.material);
  }

  void add(const Body& body) {
    const std::string who = "body '" + body.name + "'";
    if (body.joint || body.group != 0) refuse(who + " has a joint or a group, which are not written");
    if (body.shapes.empty()) refuse(who + " has no shape");
    if (!names_.insert(body.name).second) refuse("there are two bodies '" + body.name + "'");
    text_ += "body " + quoted(body.name, who);
    put(body.mass);
    put(body.inertia);
    put(body.p_WB);
    for (const double entry : body.q_WB) put(entry);
    put(body.v_WB);
    put(body.w_WB_W);
    text_ += ' ' + std::to_string(body.shapes.size()) + '\n';
    for (const Shape& shape : body.shapes) add(shape, who);
  }

  void apart(std::int32_t A, std::int32_t B) {
    text_ += "apart";
    for (const std::int32_t i : {A, B})
      text_ += ' ' + quoted(scene_.bodies[static_cast<std::size_t>(i)].name, "a body");
    text_ += '\n';
  }

  void add(const Shape& shape, const std::string& who) {
    add_geometry(shape, who);
    put(shape.material);
  }

  void add_geometry(const Shape& shape, const std::string& who) {
    if (const auto* box = shape.geometry.as<body::Box<double>>()) return line(" box", box->half, shape.X_BS);
    if (const auto* cylinder = shape.geometry.as<body::Cylinder<double>>())
      return line(" cyl", cylinder->radius, cylinder->half_length, shape.X_BS);
    if (const auto* sphere = shape.geometry.as<body::Sphere<double>>())
      return line(" sphere", sphere->radius, shape.X_BS);
    text_ += " asset " + quoted(name_of_(shape.geometry), who + ": its asset");
    line("", shape.X_BS);
  }

  const Scene& scene_;
  const AssetName& name_of_;
  body::Material of_scene_;
  std::set<std::string> names_;
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
