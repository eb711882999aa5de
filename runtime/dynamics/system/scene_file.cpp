#include "runtime/dynamics/system/scene_file.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <deque>
#include <set>
#include <string_view>
#include <vector>

#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/dynamics/system/material_words.h"

namespace abut::dynamics {
namespace {

constexpr double kQuaternionTolerance = 1e-3;  // |q| may be off by this much and is normalised
constexpr int kMaxShapes = 100000;             // of one body: more is a damaged file

class Reader {
 public:
  Reader(std::istream& in, const std::string& name, const AssetSource& assets)
      : in_(in), name_(name), assets_(assets) {}

  Scene read() {
    while (next_line()) entry();
    if (scene_.bodies.empty()) throw InvalidInput(name_ + ": the scene has no body");
    set_materials();
    return std::move(scene_);
  }

 private:
  // What a material is given beside the scene's.
  struct Given {
    double body::Material::*member;
    double value;
  };
  using GivenList = std::vector<Given>;

  [[noreturn]] void refuse(const std::string& what) const {
    throw InvalidInput(name_ + ":" + std::to_string(line_number_) + ": " + what);
  }

  // The next line that says something; its first word is keyword_.
  bool next_line() {
    std::string text;
    while (std::getline(in_, text)) {
      ++line_number_;
      split(text);
      if (words_.empty()) continue;
      keyword_ = words_[0];
      at_ = 1;
      return true;
    }
    return false;
  }

  static bool blank(char c) { return std::string_view(" \t\r\v\f").find(c) != std::string_view::npos; }

  // The words of a line up to its comment. One in quotes may hold blanks and #, and a quote where there are
  // two.
  void split(const std::string& text) {
    words_.clear();
    for (std::size_t i = 0;;) {
      while (i < text.size() && blank(text[i])) ++i;
      if (i == text.size() || text[i] == '#') return;
      std::string& word = words_.emplace_back();
      if (text[i] != '"') {
        for (; i < text.size() && !blank(text[i]) && text[i] != '#'; ++i) word += text[i];
        continue;
      }
      for (++i; i < text.size() && (text[i] != '"' || (i + 1 < text.size() && text[i + 1] == '"')); ++i) {
        word += text[i];
        if (text[i] == '"') ++i;
      }
      if (i == text.size()) refuse("a quote is not closed");
      if (++i < text.size() && !blank(text[i]) && text[i] != '#')
        refuse("no blank after the quoted name '" + word + "'");
      if (word.empty()) refuse("a name is empty");
    }
  }

  const std::string& word(const char* what) {
    if (at_ == words_.size()) refuse("'" + keyword_ + "' lacks " + what);
    return words_[at_++];
  }

  double number(const char* what) {
    const std::string& text = word(what);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
      refuse("'" + text + "' is no finite number (" + what + ")" + name_advice(text));
    return value;
  }

  // A word where numbers begin may be the rest of a name.
  const char* name_advice(const std::string& text) const {
    const bool named = keyword_ == "body" || keyword_ == "object" || keyword_ == "asset";
    const bool letter = !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0;
    return named && letter ? "; a name that has blanks stands in quotes" : "";
  }

  Vec3<double> vector(const char* what) {
    Vec3<double> result;
    for (int k = 0; k < 3; ++k) result[k] = number(what);
    return result;
  }

  std::array<double, 4> quaternion() {
    std::array<double, 4> q{};
    double squared = 0;
    for (double& entry : q) {
      entry = number("a quaternion (w, x, y, z)");
      squared += entry * entry;
    }
    const double length = std::sqrt(squared);
    if (!(std::abs(length - 1) <= kQuaternionTolerance))
      refuse("the quaternion has length " + std::to_string(length) + "; it must be 1 to a thousandth");
    for (double& entry : q) entry /= length;
    return q;
  }

  Pose<double> pose() {
    const Vec3<double> p = vector("a position");
    const auto q = quaternion();
    return {rotation_from_quaternion(q[0], q[1], q[2], q[3]), p};
  }

  void end_of_line() {
    if (at_ == words_.size()) return;
    refuse("'" + words_[at_] + "' is more than '" + keyword_ + "' takes" +
           (keyword_ == "body" ? "; its shapes stand below it, one a line" : ""));
  }

  void entry() {
    if (keyword_ == "gravity")
      scene_.gravity = vector("gravity");
    else if (const MaterialWord* material = find_word(keyword_))
      of_scene_.*material->member = material_number(*material);
    else if (keyword_ == "material")
      last_material();
    else if (keyword_ == "duration")
      scene_.duration = at_least_zero("the duration");
    else if (keyword_ == "plane")
      plane();
    else if (keyword_ == "sbox")
      fixed_box();
    else if (keyword_ == "body")
      return body();
    else if (keyword_ == "object")
      object();
    else
      refuse("'" + keyword_ +
             "' is no entry of a scene; there are: gravity, mu, restitution, patch, modulus, dissipation, "
             "duration, plane, sbox, body, object, material");
    end_of_line();
  }

  static const MaterialWord* find_word(const std::string& keyword) {
    for (const MaterialWord& word : kMaterialWords)
      if (keyword == word.keyword) return &word;
    return nullptr;
  }

  double material_number(const MaterialWord& word) {
    if (word.member == &body::Material::modulus && at_ < words_.size() && words_[at_] == kRigidWord) {
      ++at_;
      return body::kRigid;
    }
    const double value = at_least_zero(word.meaning);
    if (word.member == &body::Material::restitution && value > 1) refuse("the restitution must be in [0, 1]");
    body::Material material;
    material.*word.member = value;
    try {
      body::require_valid(material, "scene", "the material");
    } catch (const InvalidInput& error) {
      refuse(error.what());
    }
    return value;
  }

  // material KEYWORD NUMBER [KEYWORD NUMBER ...]
  GivenList material() {
    GivenList given;
    while (at_ < words_.size() || given.empty()) {
      const std::string& keyword = word("what is given: mu, restitution, patch, modulus or dissipation");
      const MaterialWord* found = find_word(keyword);
      if (!found)
        refuse("'" + keyword +
               "' is nothing of a material; there are: mu, restitution, patch, modulus, dissipation");
      given.push_back({found->member, material_number(*found)});
    }
    return given;
  }

  void last_material() {
    if (last_ == nullptr)
      refuse("'material' stands below the plane, sbox, body, shape or object that it is of");
    const GivenList given = material();
    last_->insert(last_->end(), given.begin(), given.end());
  }

  void set_materials() {
    const auto set = [this](Shape& shape, const GivenList& given) {
      shape.material = of_scene_;
      for (const Given& number : given) shape.material.*number.member = number.value;
    };
    for (std::size_t k = 0; k < scene_.fixed.size(); ++k) set(scene_.fixed[k], of_fixed_[k]);
    auto of_shape = of_shapes_.begin();
    for (Body& body : scene_.bodies)
      for (Shape& shape : body.shapes) set(shape, *of_shape++);
  }

  double at_least_zero(const char* what) {
    const double value = number(what);
    if (value < 0) refuse(std::string(what) + " is negative");
    return value;
  }

  void plane() {
    const Vec3<double> n = vector("a normal");
    const double d = number("an offset");
    if (!(n.norm() > 0)) refuse("the plane's normal is zero");
    Shape shape{body::Geometry(body::HalfSpace<double>{}), {}};
    shape.X_BS.R = shortest_rotation<double>(Vec3<double>::UnitZ(), n.stableNormalized());
    shape.X_BS.p = n * (d / n.squaredNorm());
    scene_.fixed.push_back(shape);
    last_ = &of_fixed_.emplace_back();
  }

  void fixed_box() {
    const Pose<double> X_WS = pose();
    scene_.fixed.push_back({primitive(body::Box<double>{vector("half sizes")}), X_WS});
    checked(scene_.fixed.back());
    last_ = &of_fixed_.emplace_back();
  }

  void checked(const Shape& shape) {
    try {
      require_valid(shape, "'" + keyword_ + "'");
    } catch (const InvalidInput& error) {
      refuse(error.what());
    }
  }

  body::Geometry primitive(const body::Primitive& sized) {
    try {
      return body::Geometry(sized);
    } catch (const InvalidInput& error) {
      refuse(error.what());
    }
  }

  Shape shape() {
    Shape result{geometry(), pose()};
    end_of_line();
    checked(result);
    return result;
  }

  body::Geometry geometry() {
    if (keyword_ == "box") return primitive(body::Box<double>{vector("half sizes")});
    if (keyword_ == "cyl") {
      const double radius = number("a radius"), half_length = number("a half height");
      skip_padding(1);
      return primitive(body::Cylinder<double>{half_length, radius});
    }
    if (keyword_ == "sphere") {
      const double radius = number("a radius");
      skip_padding(2);
      return primitive(body::Sphere<double>{radius});
    }
    if (keyword_ == "asset") return asset();
    refuse("'" + keyword_ + "' is no shape of a body; there are: box, cyl, sphere, asset");
  }

  // Scenes are found with three sizes for every shape, those without meaning zero.
  void skip_padding(std::size_t count) {
    constexpr std::size_t kPose = 7;
    if (words_.size() - at_ != kPose + count) return;
    for (std::size_t k = 0; k < count; ++k)
      if (number("a size") != 0) refuse("'" + keyword_ + "' has a size too many");
  }

  body::Geometry asset() {
    const std::string& asset_name = word("the asset's name");
    try {
      return assets_(asset_name);
    } catch (const InvalidInput& error) {
      refuse(error.what());
    }
  }

  std::string new_name() {
    std::string name = word("a name");
    if (!names_.insert(name).second) refuse("there is a body '" + name + "' already");
    return name;
  }

  void object() {
    const std::string name = new_name();
    const body::Geometry of = asset();
    const double density = number("a density");
    const Pose<double> X_WO = pose();
    const Vec3<double> v_WB = vector("a velocity"), w_WB_W = vector("an angular velocity");
    try {
      scene_.bodies.push_back(object_body(name, of, density, X_WO));
    } catch (const InvalidInput& error) {
      refuse(error.what());
    }
    scene_.bodies.back().v_WB = v_WB;
    scene_.bodies.back().w_WB_W = w_WB_W;
    last_ = &of_shapes_.emplace_back();
  }

  void body() {
    const int line = line_number_;
    Body made;
    made.name = new_name();
    made.mass = number("a mass");
    made.inertia = vector("moments of inertia");
    made.p_WB = vector("a position");
    made.q_WB = quaternion();
    made.v_WB = vector("a velocity");
    made.w_WB_W = vector("an angular velocity");
    const double count = number("the number of shapes");
    if (!(count >= 1 && count <= kMaxShapes) || count != std::floor(count))
      refuse("the number of shapes is not a whole number from 1 to " + std::to_string(kMaxShapes));
    end_of_line();
    try {
      require_valid(made, "body '" + made.name + "'");
    } catch (const InvalidInput& error) {
      refuse(error.what());
    }
    GivenList of_body;
    while (static_cast<double>(made.shapes.size()) < count) {
      if (!next_line())
        throw InvalidInput(name_ + ":" + std::to_string(line) + ": the file ends after " +
                           counted(made.shapes.size(), "shape") + " of body '" + made.name + "'");
      if (keyword_ == "material" && made.shapes.empty()) {
        of_body = material();
      } else if (keyword_ == "material") {
        last_material();
      } else {
        made.shapes.push_back(shape());
        last_ = &of_shapes_.emplace_back(of_body);
      }
    }
    scene_.bodies.push_back(std::move(made));
  }

  std::istream& in_;
  std::string name_;
  const AssetSource& assets_;
  Scene scene_;
  body::Material of_scene_;                     // of shapes that are given nothing else
  std::deque<GivenList> of_fixed_, of_shapes_;  // in the order of the shapes
  GivenList* last_ = nullptr;                   // of the last of them
  std::set<std::string> names_;
  std::vector<std::string> words_;  // of the line at hand
  std::size_t at_ = 0;              // the next of them
  std::string keyword_;             // the first
  int line_number_ = 0;
};

}  // namespace

Scene read_scene(std::istream& in, const std::string& name, const AssetSource& assets) {
  return Reader(in, name, assets).read();
}

Scene read_scene(const std::string& file, const AssetSource& assets) {
  InputStream in(file);
  Scene scene = read_scene(in, file, assets);
  if (in.bad()) throw IoError(file + ": cannot be read to its end");
  return scene;
}

}  // namespace abut::dynamics
