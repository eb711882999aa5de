#include "runtime/dynamics/system/scene_file.h"

#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/dynamics/system/material_words.h"
#include "runtime/dynamics/system/scene_joints.h"
#include "runtime/dynamics/system/scene_lines.h"
#include "runtime/dynamics/system/system_tree.h"
#include "runtime/dynamics/tree/bad_link.h"

namespace abut::dynamics {
namespace {

constexpr int kMaxShapes = 100000;  // of one body: a larger number means a damaged file

class Reader : private SceneLines {
 public:
  Reader(std::istream& in, const std::string& name, const AssetSource& assets,
         const std::filesystem::path& robots)
      : SceneLines(in, name), assets_(assets), robots_(robots) {}

  Scene read() {
    while (next_line()) entry();
    if (scene_.bodies.empty()) throw InvalidInput(file() + ": the scene has no body");
    for (const auto& [body, message] : without_joint_)
      if (!scene_.bodies[body].joint) throw InvalidInput(message);
    check_joints();
    set_materials();
    return std::move(scene_);
  }

 private:
  // A number of a material that replaces the scene's default.
  struct Given {
    double body::Material::*member;
    double value;
  };
  using GivenList = std::vector<Given>;

  void entry() {
    if (keyword() == "gravity" && once())
      scene_.gravity = vector("gravity");
    else if (const MaterialWord* material = find_word(keyword()); material && once())
      of_scene_.*material->member = material_number(*material);
    else if (keyword() == "material")
      last_material();
    else if (keyword() == "duration" && once())
      scene_.duration = at_least_zero("the duration");
    else if (keyword() == "plane")
      plane();
    else if (keyword() == "sbox")
      fixed_box();
    else if (keyword() == "fixed")
      fixed(shape(word("its shape")));
    else if (keyword() == "body")
      return body();
    else if (keyword() == "object")
      object();
    else if (keyword() == "joint")
      last_line_[read_joint(*this, scene_)] = line_number();
    else if (keyword() == "robot")
      robot();
    else if (keyword() == "set")
      last_line_[set_joint(*this, scene_)] = line_number();
    else if (keyword() == "mimic")
      mimic();
    else if (keyword() == "apart")
      keep_apart(*this, scene_);
    else if (keyword() == "group")
      join_group(*this, scene_);
    else if (keyword() == "contact")
      choose_contact(*this, scene_);
    else if (keyword().starts_with('<'))
      refuse("this is XML, not a scene; abut-preprocess urdf makes a scene of a URDF file");
    else
      refuse("'" + keyword() +
             "' is no entry of a scene; there are: gravity, mu, restitution, patch, modulus, dissipation, "
             "duration, plane, sbox, fixed, body, object, material, joint, robot, set, mimic, apart, group, "
             "contact");
    end_of_line();
  }

  // Refuses a second line of what a scene has one of; otherwise true.
  bool once() {
    const auto [known, first] = once_.emplace(keyword(), line_number());
    if (!first) refuse("a second '" + keyword() + "'; the first is in line " + std::to_string(known->second));
    return true;
  }

  void mimic() {
    const std::size_t body = couple_joints(*this, scene_);
    last_line_[body] = line_number();
    const auto [known, first] = mimic_line_.emplace(body, line_number());
    if (!first)
      refuse("joint '" + scene_.bodies[body].joint->joint.name + "' mimics already, by line " +
             std::to_string(known->second));
  }

  static const MaterialWord* find_word(const std::string& keyword) {
    for (const MaterialWord& word : kMaterialWords)
      if (keyword == word.keyword) return &word;
    return nullptr;
  }

  double material_number(const MaterialWord& word) {
    if (word.member == &body::Material::modulus && words_left() > 0 && peek() == kRigidWord) {
      SceneLines::word("the word");
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

  // Parses `material KEYWORD NUMBER [KEYWORD NUMBER ...]`, of the shape or body read last.
  GivenList material() {
    GivenList given;
    while (words_left() > 0 || given.empty()) {
      const std::string& keyword = word("what is given: mu, restitution, patch, modulus or dissipation");
      const MaterialWord* found = find_word(keyword);
      if (!found)
        refuse("'" + keyword +
               "' is not a property of a material; there are: mu, restitution, patch, modulus, dissipation");
      const auto [known, first] = given_line_.emplace(keyword, line_number());
      if (!first) refuse("'" + keyword + "' is given twice, first in line " + std::to_string(known->second));
      given.push_back({found->member, material_number(*found)});
    }
    return given;
  }

  // The next lines `material` are of this shape.
  void begin_material(GivenList& of_shape) {
    last_ = &of_shape;
    given_line_.clear();
  }

  void last_material() {
    if (last_ == nullptr)
      refuse("'material' stands below the plane, sbox, fixed, body, shape or object that it is of");
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

  void plane() {
    const Vec3<double> n = vector("a normal");
    const double d = number("an offset");
    if (!(n.norm() > 0)) refuse("the plane's normal is zero");
    Shape shape{body::Geometry(body::HalfSpace<double>{}), {}};
    const Vec3<double> unit = n.stableNormalized();
    shape.X_BS.R = shortest_rotation<double>(Vec3<double>::UnitZ(), unit);
    shape.X_BS.p = unit * (d / n.stableNorm());
    fixed(shape);
  }

  void fixed_box() {
    const Pose<double> X_WS = pose();
    const Shape box{primitive(body::Box<double>{vector("half sizes")}), X_WS};
    checked(box);
    fixed(box);
  }

  void fixed(const Shape& shape) {
    scene_.fixed.push_back(shape);
    begin_material(of_fixed_.emplace_back());
  }

  void checked(const Shape& shape) {
    try {
      require_valid(shape, "'" + keyword() + "'");
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

  Shape shape(const std::string& kind) {
    Shape result{geometry(kind), pose()};
    end_of_line();
    checked(result);
    return result;
  }

  body::Geometry geometry(const std::string& kind) {
    if (kind == "asset") return asset();
    std::string words;
    for (const body::PrimitiveRow& row : body::primitives()) {
      const std::string_view word = shape_word(row);
      if (word.empty()) continue;
      if (kind == word) return primitive(row, kind);
      words.append(word).append(", ");
    }
    refuse("'" + kind + "' is no shape of a body; there are: " + words + "asset");
  }

  body::Geometry primitive(const body::PrimitiveRow& row, const std::string& kind) {
    constexpr std::size_t kColumns = 3;
    const std::string what = "a size (" + std::string(row.help) + ")";
    std::vector<double> sizes(row.size_count);
    for (double& size : sizes) size = number(what.c_str());
    skip_padding(kColumns - row.size_count, kind);
    return primitive(row.make(sizes));
  }

  // Skips padding: some scenes give three sizes for every shape, with zeros for the unused ones.
  void skip_padding(std::size_t count, const std::string& kind) {
    constexpr std::size_t kPose = 7;
    if (words_left() != kPose + count) return;
    for (std::size_t k = 0; k < count; ++k)
      if (number("a size") != 0) refuse("'" + kind + "' has a size too many");
  }

  body::Geometry asset() {
    const std::string& asset_name = word("the asset's name");
    try {
      return assets_(asset_name);
    } catch (const InvalidInput& error) {
      refuse(error.what());
    } catch (const IoError& error) {
      throw IoError(file() + ":" + std::to_string(line_number()) + ": " + error.what());
    }
  }

  std::string new_name() {
    std::string name = word("a name");
    if (means(kWorld, name)) refuse("'world' is what is fixed; give the body another name");
    if (!names_.insert(name).second) refuse("there is a body '" + name + "' already");
    return name;
  }

  void object() {
    const std::string name = new_name();
    const body::Geometry of = asset();
    const double density = number("a density");
    const Pose<double> X_WO = pose();
    const Vec3<double> v_WB = vector("a velocity"), w_WB_W = vector("an angular velocity");
    last_line_[scene_.bodies.size()] = line_number();
    try {
      scene_.bodies.push_back(object_body(name, of, density, X_WO));
    } catch (const InvalidInput& error) {
      refuse(error.what());
    }
    scene_.bodies.back().v_WB = v_WB;
    scene_.bodies.back().w_WB_W = w_WB_W;
    begin_material(of_shapes_.emplace_back());
  }

  // Stores the error of a body that is valid only with a joint, which may follow below.
  void require_valid_without_joint(const Body& made, bool shapeless) {
    const std::string who = "body '" + made.name + "'";
    try {
      if (shapeless) throw InvalidInput(who + " has no shape; only one with a joint may have none");
      require_valid(made, who);
    } catch (const InvalidInput& error) {
      without_joint_.emplace_back(scene_.bodies.size(),
                                  file() + ":" + std::to_string(line_number()) + ": " + error.what());
    }
  }

  void robot() {
    last_ = nullptr;
    const std::size_t first = read_robot(*this, scene_, assets_, robots_);
    for (std::size_t i = first; i < scene_.bodies.size(); ++i) {
      const Body& made = scene_.bodies[i];
      if (!names_.insert(made.name).second) refuse("there is a body '" + made.name + "' already");
      for (std::size_t other = 0; made.joint && other < first; ++other)
        if (const auto& joint = scene_.bodies[other].joint;
            joint && joint->joint.name == made.joint->joint.name)
          refuse("there is a joint '" + joint->joint.name + "' already");
      of_shapes_.resize(of_shapes_.size() + scene_.bodies[i].shapes.size());
      last_line_[i] = line_number();
    }
  }

  // Checks joints and the bodies that they connect, and names the line of an error.
  void check_joints() const {
    const auto refuse = [this](std::size_t body, const InvalidInput& error) {
      throw InvalidInput(file() + ":" + std::to_string(last_line_.at(body)) + ": " + error.what());
    };
    for (std::size_t body = 0; body < scene_.bodies.size(); ++body) try {
        if (scene_.bodies[body].joint)
          require_valid(scene_.bodies[body], "body '" + scene_.bodies[body].name + "'");
      } catch (const InvalidInput& error) {
        refuse(body, error);
      }
    for (const std::vector<std::int32_t>& bodies : jointed_bodies(scene_)) try {
        Tree(links_of(scene_, bodies), scene_.gravity);
      } catch (const BadLink& error) {
        refuse(static_cast<std::size_t>(bodies[error.link()]), error);
      }
  }

  void body() {
    last_ = nullptr;
    given_line_.clear();
    const int line = last_line_[scene_.bodies.size()] = line_number();
    Body made;
    made.name = new_name();
    made.mass = number("a mass");
    made.inertia = vector("moments of inertia");
    made.p_WB = vector("a position");
    made.q_WB = quaternion();
    made.v_WB = vector("a velocity");
    made.w_WB_W = vector("an angular velocity");
    const double count = number("the number of shapes");
    if (!(count >= 0 && count <= kMaxShapes) || count != std::floor(count))
      refuse("the number of shapes is not a whole number from 0 to " + std::to_string(kMaxShapes));
    end_of_line();
    require_valid_without_joint(made, count == 0);
    GivenList of_body;
    while (static_cast<double>(made.shapes.size()) < count) {
      if (!next_line())
        throw InvalidInput(file() + ":" + std::to_string(line) + ": the file ends after " +
                           counted(made.shapes.size(), "shape") + " of body '" + made.name + "'");
      if (keyword() == "material" && made.shapes.empty()) {
        const GivenList given = material();
        of_body.insert(of_body.end(), given.begin(), given.end());
      } else if (keyword() == "material") {
        last_material();
      } else {
        made.shapes.push_back(shape(keyword()));
        begin_material(of_shapes_.emplace_back(of_body));
      }
    }
    scene_.bodies.push_back(std::move(made));
  }

  const AssetSource& assets_;
  const std::filesystem::path& robots_;
  Scene scene_;
  body::Material of_scene_;                     // default of all shapes
  std::deque<GivenList> of_fixed_, of_shapes_;  // in the order of the shapes
  GivenList* last_ = nullptr;                   // that of the last shape read
  std::map<std::string, int> given_line_;       // by keyword: lines of its numbers, or of its body's
  std::set<std::string> names_;
  std::map<std::string, int> once_;        // lines of entries that a scene has one of
  std::map<std::size_t, int> last_line_;   // by body: the last line about it or its joint
  std::map<std::size_t, int> mimic_line_;  // by body: the line `mimic` of its joint
  std::vector<std::pair<std::size_t, std::string>> without_joint_;  // bodies that need a joint, and why
};

}  // namespace

Scene read_scene(std::istream& in, const std::string& name, const AssetSource& assets,
                 const std::filesystem::path& robots) {
  return Reader(in, name, assets, robots).read();
}

Scene read_scene(const std::string& file, const AssetSource& assets, const std::filesystem::path& robots) {
  InputStream in(file);
  Scene scene = read_scene(in, file, assets, robots);
  if (in.bad()) throw IoError(file + ": cannot be read to its end");
  return scene;
}

}  // namespace abut::dynamics
