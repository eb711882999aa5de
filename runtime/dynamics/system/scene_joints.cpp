#include "runtime/dynamics/system/scene_joints.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

#include "runtime/asset/reader.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/dynamics/system/robot.h"

namespace abut::dynamics {
namespace {

namespace fs = std::filesystem;

JointType joint_type(const SceneLines& line, const std::string& name) {
  std::string known;
  for (int k = 0; k < kJointTypeCount; ++k) {
    const auto type = static_cast<JointType>(k);
    if (joint_kind(type).name == name) return type;
    known += (k > 0 ? ", " : "") + std::string(joint_kind(type).name);
  }
  line.refuse("'" + name + "' is no type of joint; there are: " + known);
}

// Reads as many coordinates as the joint type has; a quaternion is normalised.
VecX<double> coordinates(SceneLines& line, JointType type) {
  VecX<double> q(joint_kind(type).nq);
  Eigen::Index k = 0;
  if (type == JointType::kSpherical || type == JointType::kFree)
    for (const double entry : line.quaternion()) q[k++] = entry;
  while (k < q.size()) q[k++] = line.number("a coordinate of the joint");
  return q;
}

// Returns the word for no limit of a keyword; empty for keywords that are no limits.
std::string_view no_limit(std::string_view keyword) {
  if (keyword == "lower") return "-inf";
  return keyword == "upper" || keyword == "velocity_limit" || keyword == "effort_limit" ? "inf" : "";
}

const JointWord& joint_word(SceneLines& line, const std::string& keyword) {
  std::string words;
  for (const JointWord& word : kJointWords) {
    if (word.keyword == keyword) return word;
    words.append(word.keyword).append(", ");
  }
  line.refuse("'" + keyword + "' is not a property of a joint; there are: " + words + "position, velocity");
}

// Reads `KEYWORD NUMBER ...` up to the end of the line.
void read_words(SceneLines& line, BodyJoint& joint) {
  std::set<std::string> given;
  while (line.words_left() > 0) {
    const std::string keyword = line.word("what is given");
    if (!given.insert(keyword).second) line.refuse("'" + keyword + "' is given twice");
    if (keyword == "position") {
      joint.q = coordinates(line, joint.joint.type);
      continue;
    }
    if (keyword == "velocity") {
      joint.v.resize(joint_kind(joint.joint.type).nv);
      for (double& entry : joint.v) entry = line.number("a velocity of the joint");
      continue;
    }
    const JointWord& known = joint_word(line, keyword);
    if (line.words_left() > 0 && no_limit(keyword) == line.peek()) {
      const double infinity = std::numeric_limits<double>::infinity();
      joint.joint.*known.member = line.word("a limit").front() == '-' ? -infinity : infinity;
      continue;
    }
    joint.joint.*known.member = line.number(("a value for '" + keyword + "'").c_str());
  }
}

std::int32_t find_body(const SceneLines& line, const Scene& scene, const std::string& name) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].name == name) return static_cast<std::int32_t>(i);
  line.refuse("there is no body '" + name + "' further up");
}

// Returns the index of the body that has the joint.
std::size_t find_joint(const SceneLines& line, const Scene& scene, const std::string& name) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].joint && scene.bodies[i].joint->joint.name == name) return i;
  line.refuse("there is no joint '" + name + "' further up");
}

Pose<double> pose_of(const Body& body) {
  const auto& q = body.q_WB;
  return {rotation_from_quaternion(q[0], q[1], q[2], q[3]), body.p_WB};
}

// Returns the file in the scene's folder, or else in the folder of robots. A path that cannot be checked is
// also returned, so that its reader reports the error.
fs::path robot_file(const SceneLines& line, const fs::path& word, const fs::path& robots) {
  std::vector<fs::path> places{fs::path(line.file()).parent_path() / word};
  if (!robots.empty() && word.is_relative()) places.push_back(robots / word);
  std::string looked;
  for (const fs::path& place : places) {
    std::error_code error;
    if (fs::exists(place, error) || error) return place;
    looked += (looked.empty() ? "" : " and ") + place.string();
  }
  line.refuse(
      "there is no robot's file '" + word.string() + "'; it was looked for as " + looked +
      (robots.empty() && word.is_relative() ? " (and in a folder of assets, where one is given)" : ""));
}

std::vector<std::byte> bytes_of(const fs::path& name) {
  InputFile file(name);
  std::vector<std::byte> bytes(file.size());
  bytes.resize(file.read(bytes));
  return bytes;
}

bool same_mesh(const fs::path& one, const fs::path& other) {
  std::error_code missing;
  return one == other || (fs::exists(one, missing) && fs::exists(other, missing) &&
                          (fs::equivalent(one, other, missing) || bytes_of(one) == bytes_of(other)));
}

// What to do about a robot's file that names meshes.
std::string make_robot(const fs::path& robot) {
  return "make its assets with `abut-preprocess urdf " + robot.string() +
         " OUT`, and let the scene name the copy OUT/" + robot.stem().string() + ".urdf instead";
}

// Returns the asset of a robot's mesh, by the mesh's name.
body::Geometry asset_of(const fs::path& mesh, const fs::path& robot, const AssetSource& assets) {
  try {
    return assets(mesh.stem().string());
  } catch (const Error& error) {
    throw InvalidInput(mesh.string() + ": " + error.what() + "; " + make_robot(robot));
  }
}

}  // namespace

std::size_t read_joint(SceneLines& line, Scene& scene) {
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
  return scene.bodies.size() - 1;
}

std::size_t read_robot(SceneLines& line, Scene& scene, const AssetSource& assets, const fs::path& robots) {
  const std::string name = line.word("a name");
  if (name == kWorld) line.refuse("'world' is what is fixed; give the robot another name");
  const fs::path file = robot_file(line, line.word("a URDF file"), robots);
  const Pose<double> X_WR = line.pose();
  scene.robot_files.push_back(file);
  try {
    return add_robot(scene, name, read_urdf(file), X_WR, [&](const Mesh& mesh) {
      if (mesh.scale != Vec3<double>::Ones())
        throw InvalidInput(mesh.file.string() + ": is scaled, which an asset is not; " + make_robot(file));
      if (mesh.file.extension() != ".h5") {
        const fs::path other = scene.robot_meshes.emplace(mesh.file.stem(), mesh.file).first->second;
        if (!same_mesh(other, mesh.file))
          throw InvalidInput(mesh.file.string() + ": its asset has the name of that of " + other.string() +
                             "; " + make_robot(file));
        return asset_of(mesh.file, file, assets);
      }
      const auto known = scene.robot_assets.find(mesh.file);
      if (known != scene.robot_assets.end()) return known->second;
      scene.robot_files.push_back(mesh.file);
      return scene.robot_assets.emplace(mesh.file, asset::load(mesh.file)).first->second;
    });
  } catch (const Error& error) {
    line.refuse(error.what());
  }
}

std::size_t set_joint(SceneLines& line, Scene& scene) {
  const std::size_t body = find_joint(line, scene, line.word("a joint's name"));
  if (line.words_left() == 0) line.refuse("'set' lacks what is set");
  read_words(line, *scene.bodies[body].joint);
  return body;
}

std::size_t couple_joints(SceneLines& line, Scene& scene) {
  const std::size_t body = find_joint(line, scene, line.word("a joint's name"));
  Mimic mimic;
  mimic.link = static_cast<int>(find_joint(line, scene, line.word("the name of the joint that it mimics")));
  mimic.multiplier = line.number("a multiplier");
  mimic.offset = line.number("an offset");
  scene.bodies[body].joint->joint.mimic = mimic;
  return body;
}

void keep_apart(SceneLines& line, Scene& scene) {
  const std::int32_t A = find_body(line, scene, line.word("a body's name"));
  const std::int32_t B = find_body(line, scene, line.word("another body's name"));
  scene.apart.emplace_back(A, B);
}

void join_group(SceneLines& line, Scene& scene) {
  std::int32_t group = 0;
  for (const Body& body : scene.bodies) group = std::max(group, body.group);
  do {
    Body& body = scene.bodies[static_cast<std::size_t>(find_body(line, scene, line.word("a body's name")))];
    if (body.group != 0) line.refuse("body '" + body.name + "' has a group already");
    body.group = group + 1;
  } while (line.words_left() > 0);
}

void choose_contact(SceneLines& line, Scene& scene) {
  ContactChoice choice;
  choice.A = line.word("a body, a robot or `world`");
  choice.B = line.word("another body, robot or `world`");
  choice.model = line.word("a contact model");
  while (line.words_left() > 0) {
    const std::string name = line.word("a setting");
    if (std::any_of(choice.settings.begin(), choice.settings.end(),
                    [&](const SettingValue& value) { return value.name == name; }))
      line.refuse("the setting '" + name + "' is given twice");
    choice.settings.emplace_back(name, line.word("the setting's value"));
  }
  try {
    require_valid(choice, scene);
  } catch (const InvalidInput& error) {
    line.refuse(error.what());
  }
  scene.contacts.push_back(std::move(choice));
}

}  // namespace abut::dynamics
