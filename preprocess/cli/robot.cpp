#include "preprocess/cli/robot.h"

#include <fmt/format.h>
#include <signal.h>
#include <tinyxml.h>

#include <algorithm>
#include <map>
#include <span>

#include "datasets/names.h"
#include "preprocess/cli/summary.h"
#include "preprocess/mesh/read.h"
#include "preprocess/mesh/weld.h"
#include "preprocess/mesh/write.h"
#include "preprocess/process/packing.h"
#include "preprocess/process/runner.h"
#include "runtime/asset/container.h"
#include "runtime/asset/reader.h"
#include "runtime/cli/shell_word.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/core/output_file.h"
#include "runtime/dynamics/system/scene.h"
#include "runtime/dynamics/system/scene_lines.h"

namespace abut::preprocess {
namespace {

namespace fs = std::filesystem;
using dynamics::Mesh;

// Length of a unit if the scale is uniform and positive, else 0.
double uniform(const Vec3<double>& scale) {
  return scale[0] > 0 && scale == Vec3<double>::Constant(scale[0]) ? scale[0] : 0;
}

// Name of the scaled mesh's file: the same in every run, and different for every other mesh of any robot.
std::string scaled_name(const Mesh& mesh) {
  const std::string what = fmt::format("{} {} {} {}", fs::absolute(mesh.file).lexically_normal().string(),
                                       mesh.scale[0], mesh.scale[1], mesh.scale[2]);
  const std::string digest = asset::digest(std::as_bytes(std::span(what)));
  return fmt::format("{}_{}.ply", mesh.file.stem().string(), digest.substr(digest.size() - 8));
}

// Distinguishes a mesh from the same mesh at other scales; empty at scale 1.
std::string scale_suffix(const Vec3<double>& scale) {
  if (scale == Vec3<double>::Ones()) return "";
  if (uniform(scale) != 0) return fmt::format("_{}", scale[0]);
  return fmt::format("_{}x{}x{}", scale[0], scale[1], scale[2]);
}

// Writes the mesh with its scale applied, each vertex once; a mirrored one is reoriented outward. Returns the
// reader's warnings.
std::vector<std::string> write_scaled(const Mesh& mesh, const fs::path& file) {
  Report report;
  TriangleMesh scaled = weld(read_mesh_in_its_units(mesh.file, report)).mesh;
  for (Eigen::Vector3d& vertex : scaled.vertices) vertex = vertex.cwiseProduct(mesh.scale);
  if (mesh.scale.prod() < 0)
    for (Triangle& triangle : scaled.triangles) std::swap(triangle[1], triangle[2]);
  write_mesh(scaled, file);
  return report.warnings;
}

// The same in a process of its own, since a mesh reader may crash or never end on a bad file.
std::vector<std::string> write_scaled(const Mesh& mesh, const fs::path& file, const BatchOptions& limits) {
  const Work work = [&](std::size_t, const StageCallback& stage) {
    stage("read");
    Packer packer;
    for (const std::string& warning : write_scaled(mesh, file)) packer.put(warning);
    return std::move(packer.bytes);
  };
  RunObserver silent;
  const RunResult run =
      run_jobs(1, work,
               {.timeout_seconds = limits.timeout_seconds,
                .memory_bytes = limits.memory_bytes > 0 ? limits.memory_bytes : machine_memory()},
               silent);
  if (run.signal != 0) ::raise(run.signal);
  const JobResult& job = run.jobs.front();
  const std::string name = mesh.file.string();
  if (job.outcome != Outcome::kDone)
    throw InvalidInput(job.reason.starts_with(name) ? job.reason : name + ": " + job.reason);
  std::vector<std::string> warnings;
  for (Unpacker unpacker(job.payload); !unpacker.done();) unpacker.take(warnings.emplace_back());
  return warnings;
}

// First line of the files written here, which identifies them.
constexpr const char* kMark = " made by abut-preprocess urdf: made again, changes are lost ";

constexpr std::string_view kSourceMark = " its robot: ";
constexpr std::string_view kHyphen = "%2D";  // the second of two hyphens, which XML comments cannot contain

// The comment that identifies the copy of a robot's file as that robot's.
std::string source_comment(const fs::path& urdf) {
  std::string comment{kSourceMark};
  for (const char c : fs::absolute(urdf).lexically_normal().string())
    if (c == '-' && comment.back() == '-')
      comment += kHyphen;
    else
      comment += c;
  return comment + " ";
}

// The file from which a copy was made; empty if the copy does not say.
fs::path source_in(const std::string& copy) {
  const std::size_t at = copy.find(kSourceMark), end = copy.find(" -->", at);
  if (at == std::string::npos || end == std::string::npos) return {};
  std::string path = copy.substr(at + kSourceMark.size(), end - at - kSourceMark.size());
  for (std::size_t i = 0; (i = path.find(kHyphen, i)) != std::string::npos; ++i)
    path.replace(i, kHyphen.size(), "-");
  return path;
}

// Throws InvalidInput if the file is not an earlier copy of a robot's file, or is that of another robot that
// still exists.
void require_copy(const fs::path& file, const fs::path& urdf) {
  if (!fs::exists(file)) return;
  const std::string text = read_text(file);
  if (text.find(kMark) == std::string::npos)
    throw InvalidInput(
        file.string() +
        ": is there, and was not made by this command; move it away, or choose another folder");
  const fs::path before = source_in(text);
  std::error_code error;
  if (!fs::exists(before, error) || fs::equivalent(before, urdf, error)) return;
  if (read_text(before) != read_text(urdf))
    throw InvalidInput(
        fmt::format("{} was made of {}, this is {}: give another OUT, or remove the copy first",
                    file.string(), before.string(), fs::absolute(urdf).lexically_normal().string()));
}

// Throws InvalidInput if the existing asset was made of the mesh at another scale: another robot that refers
// to it would change in size.
void require_same_scale(const datasets::ObjectSource& mesh, const fs::path& file) {
  if (!fs::exists(file)) return;
  try {
    const asset::Provenance before = asset::load(file).provenance;
    const auto scale = before.parameters.find("metres_per_unit");
    const std::string now = fmt::format("{}", mesh.metres_per_unit);
    if (scale == before.parameters.end() || scale->second == now ||
        before.source_file != absolute_source(mesh))
      return;
    throw InvalidInput(fmt::format(
        "{} was made at a scale of {}, this robot has {} at {}: give another OUT, or --force where no other "
        "robot uses it",
        file.string(), scale->second, mesh.file.string(), now));
  } catch (const BadAsset&) {  // it is made again
  }
}

// Removes elements that the copy does not need, or that would refer to files in other folders.
void remove_all(TiXmlElement& parent, const char* name) {
  while (TiXmlElement* child = parent.FirstChildElement(name)) parent.RemoveChild(child);
}

}  // namespace

RobotFolder::RobotFolder(const fs::path& urdf, const fs::path& out, const BatchOptions& limits)
    : urdf_(urdf), out_(out), text_(read_text(urdf)), robot_(dynamics::read_urdf(urdf)) {
  std::error_code ignored;  // check_writable() reports what is wrong with the folder
  fs::create_directories(out_, ignored);
  for (const fs::path& file : {copy(), scene()}) {
    check_writable(file);
    require_not_input(file, urdf_);
  }
  require_copy(copy(), urdf_);
  (void)scene_name();  // throws for a name that scene files cannot hold before meshes are made
  list_meshes(limits);
}

std::string RobotFolder::scene_name() const {
  const bool named = !robot_.name.empty() && !dynamics::means(dynamics::kWorld, robot_.name);
  return dynamics::scene_word(named ? robot_.name : "robot", urdf_.string() + ": the robot");
}

void RobotFolder::list_meshes(const BatchOptions& limits) {
  std::map<std::string, int> uses;  // number of (file, scale) pairs for each mesh name
  for (const dynamics::CollisionShape& shape : robot_.collisions) {
    const auto* mesh = std::get_if<Mesh>(&shape.shape);
    if (mesh == nullptr || find(*mesh) != used_.end()) continue;
    UsedMesh used{*mesh, mesh->file, uniform(mesh->scale)};
    std::vector<std::string> notes;
    if (used.metres_per_unit == 0) {
      used.metres_per_unit = 1;
      used.file = out_ / "scaled" / scaled_name(*mesh);
      std::error_code ignored;
      fs::create_directories(used.file.parent_path(), ignored);
      notes = write_scaled(*mesh, used.file, limits);
    }
    ++uses[mesh->file.stem().string()];
    meshes_.push_back({mesh->file.stem().string(), used.file, used.metres_per_unit, std::move(notes)});
    used_.push_back(std::move(used));
  }
  for (std::size_t i = 0; i < used_.size(); ++i)
    if (uses.at(meshes_[i].name) > 1) meshes_[i].name += scale_suffix(used_[i].mesh.scale);
  datasets::make_names_safe(meshes_);
  if (limits.force) return;
  for (const datasets::ObjectSource& mesh : meshes_) require_same_scale(mesh, out_ / (mesh.name + ".h5"));
}

std::vector<RobotFolder::UsedMesh>::const_iterator RobotFolder::find(const Mesh& mesh) const {
  return std::find_if(used_.begin(), used_.end(), [&](const UsedMesh& used) {
    return used.mesh.file == mesh.file && used.mesh.scale == mesh.scale;
  });
}

const std::string& RobotFolder::asset_name(const Mesh& mesh) const {
  const UsedMesh& used = *find(mesh);
  return std::find_if(meshes_.begin(), meshes_.end(),
                      [&](const datasets::ObjectSource& source) {
                        return source.file == used.file && source.metres_per_unit == used.metres_per_unit;
                      })
      ->name;
}

bool RobotFolder::names_others(const BatchResult& batch) {
  return std::any_of(batch.objects.begin(), batch.objects.end(), [](const ObjectResult& object) {
    return object.status == ObjectStatus::kFailed && fs::exists(object.asset_file);
  });
}

void RobotFolder::write(const BatchResult& batch) const {
  for (const ObjectResult& object : batch.objects)
    if (object.measures.contains("recentred_x_m"))
      throw InvalidInput(object.source_file + ": lies too far from its link's frame: move the mesh there");
  if (names_others(batch)) return;
  if (read_text(urdf_) != text_)
    throw InvalidInput(urdf_.string() + ": has changed while its meshes were made; run again");
  TiXmlDocument document;
  document.Parse(text_.c_str());
  TiXmlElement* robot = document.FirstChildElement("robot");
  if (document.Error() || robot == nullptr) throw InvalidInput(urdf_.string() + ": no URDF");
  std::map<std::string, std::vector<const dynamics::CollisionShape*>> shapes;  // of each link, in file order
  for (const dynamics::CollisionShape& shape : robot_.collisions)
    shapes[robot_.links[static_cast<std::size_t>(shape.link)].name].push_back(&shape);
  for (TiXmlElement* link = robot->FirstChildElement("link"); link != nullptr;
       link = link->NextSiblingElement("link")) {
    remove_all(*link, "visual");
    auto shape = shapes[link->Attribute("name")].begin();
    for (TiXmlElement* part = link->FirstChildElement("collision"); part != nullptr;
         part = part->NextSiblingElement("collision")) {
      const auto* mesh = std::get_if<Mesh>(&(*shape++)->shape);
      if (mesh == nullptr) continue;
      TiXmlElement* element = part->FirstChildElement("geometry")->FirstChildElement("mesh");
      element->SetAttribute("filename", asset_name(*mesh) + ".h5");
      element->RemoveAttribute("scale");
    }
  }
  for (const std::string& comment : {std::string(kMark), source_comment(urdf_)}) {
    TiXmlComment mark;
    mark.SetValue(comment);
    document.InsertBeforeChild(robot, mark);
  }
  TiXmlPrinter printer;
  document.Accept(&printer);
  write_whole(copy(), printer.Str());
  if (fs::exists(scene())) return;  // it may have been edited
  const std::string name = scene_name();
  write_whole(scene(), fmt::format("# To drive a joint: set {}/JOINT stiffness NUMBER damping NUMBER\n"
                                   "gravity 0 0 -9.81\nduration 1\nrobot {} {}  0 0 0  1 0 0 0\n",
                                   name, name, dynamics::scene_word(copy().filename().string(), "its file")));
}

std::string RobotFolder::shapes_of(int link, const BatchResult& batch) const {
  std::map<std::string, int> counts;
  for (const dynamics::CollisionShape& shape : robot_.collisions) {
    if (shape.link != link) continue;
    const auto* mesh = std::get_if<Mesh>(&shape.shape);
    std::string what = std::get_if<body::Box<double>>(&shape.shape)        ? "box"
                       : std::get_if<body::Cylinder<double>>(&shape.shape) ? "cylinder"
                                                                           : "sphere";
    if (mesh != nullptr) {
      what = "asset " + asset_name(*mesh);
      const auto made = std::find_if(batch.objects.begin(), batch.objects.end(),
                                     [&](const ObjectResult& o) { return o.name == asset_name(*mesh); });
      if (made == batch.objects.end() || made->status == ObjectStatus::kFailed) what += " MISSING";
    }
    ++counts[what];
  }
  std::string text;
  for (const auto& [what, count] : counts)
    text += (text.empty() ? "" : ", ") + (count > 1 ? fmt::format("{} x {}", count, what) : what);
  return text.empty() ? "nothing" : text;
}

std::string RobotFolder::joint_text(const dynamics::Link& link) const {
  if (link.parent < 0) return "fixed to the world";
  const auto other = [&](int i) -> const dynamics::Link& {
    return robot_.links[static_cast<std::size_t>(i)];
  };
  return fmt::format("{}, {} on {}{}", link.joint.name, dynamics::joint_kind(link.joint.type).name,
                     other(link.parent).name,
                     link.joint.mimic ? ", mimics " + other(link.joint.mimic->link).joint.name : "");
}

std::string RobotFolder::table(const BatchResult& batch, const Parameters& parameters) const {
  std::size_t link_width = 4, joint_width = 5;
  for (const dynamics::Link& link : robot_.links) {
    link_width = std::max(link_width, link.name.size());
    joint_width = std::max(joint_width, joint_text(link).size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}} {:>8}  collides with\n", "link", link_width, "joint",
                                 joint_width, "mass, kg");
  for (std::size_t i = 0; i < robot_.links.size(); ++i) {
    const dynamics::Link& link = robot_.links[i];
    text += fmt::format("{:<{}}  {:<{}} {:>8.4g}  {}\n", link.name, link_width, joint_text(link), joint_width,
                        link.inertia.mass, shapes_of(static_cast<int>(i), batch));
  }
  if (names_others(batch))
    text +=
        fmt::format("  {} is not written: a mesh failed, and the asset of its name here is of another run\n",
                    copy().string());
  for (const std::string& warning : robot_.warnings) text += "  warning: " + warning + "\n";
  const bool volumes = !parameters.volume.tetrahedra.empty(), points = !parameters.points.levels.empty();
  if (!all_fine(batch)) return text;
  std::string how;  // empty for surfaces, which the default integrator uses
  if (volumes || points || meshes_.empty())
    how = fmt::format(" --integrator implicit{} --dt 0.008", volumes ? "" : " --model soft_potential");
  const auto beside = [&](const char* extension) {
    return cli::shell_word(copy().replace_extension(extension).string());
  };
  return text + fmt::format("next: abut-sim {} --assets {}{} --out {} --page {}\n",
                            cli::shell_word(scene().string()), cli::shell_word(out_.string()), how,
                            beside(".csv"), beside(".html"));
}

}  // namespace abut::preprocess
