#include "preprocess/export/visual.h"

#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "datasets/listing.h"
#include "preprocess/mesh/scene_file.h"
#include "preprocess/mesh/write.h"
#include "preprocess/process/packing.h"
#include "preprocess/process/runner.h"
#include "runtime/asset/container.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {
namespace fs = std::filesystem;

constexpr double kTimeout = 120;                               // s
constexpr std::size_t kMemory = std::size_t{4} << 30;          // bytes
constexpr std::size_t kLargestPicture = std::size_t{1} << 28;  // bytes

// From the file's coordinates to the asset's: as the pipeline read it.
struct Frame {
  double metres_per_unit = 1;
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();  // the asset's, m

  Eigen::Vector3d operator()(const Eigen::Vector3d& p) const { return p * metres_per_unit - origin; }
};

Frame frame_of(const asset::Provenance& provenance) {
  Frame frame;
  if (const auto scale = provenance.parameters.find("metres_per_unit"); scale != provenance.parameters.end())
    frame.metres_per_unit = std::strtod(scale->second.c_str(), nullptr);
  constexpr const char* kOrigin[] = {"recentred_x_m", "recentred_y_m", "recentred_z_m"};
  for (int k = 0; k < 3; ++k)
    if (const auto x = provenance.measures.find(kOrigin[k]); x != provenance.measures.end())
      frame.origin[k] = x->second;
  return frame;
}

// The extension of a picture by its first bytes; empty for what is none.
std::string picture_format(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return ".png";
  return bytes.starts_with("\xff\xd8\xff") ? ".jpg" : "";
}

// Reads one scene. Runs in the child.
class VisualReader {
 public:
  VisualReader(const std::string& content, const fs::path& file, const Frame& frame)
      : file_(file), frame_(frame), scene_(content, file, aiProcess_JoinIdenticalVertices) {}

  Visual read() {
    scene_.for_each_instance([&](const aiMesh& mesh, const aiMatrix4x4& X) { add(mesh, X); });
    bool any = false;
    for (auto& [material, gathered] : parts_) any |= finish(material, gathered);
    if (!any) visual_.parts.clear();
    return std::move(visual_);
  }

 private:
  struct Gathered {
    explicit Gathered(const fs::path& file) : soup(file) {}
    SceneSoup soup;
    VisualPart part;
    bool normals = true, places = true;  // of all its vertices
  };

  void add(const aiMesh& mesh, const aiMatrix4x4& X) {
    Gathered& to = parts_.try_emplace(mesh.mMaterialIndex, file_).first->second;
    to.soup.add(mesh, X);
    to.normals &= mesh.HasNormals();
    to.places &= mesh.HasTextureCoords(0);
    aiMatrix3x3 turn(X);
    turn.Inverse().Transpose();
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      if (to.normals) {
        const aiVector3D n = turn * mesh.mNormals[v];
        to.part.normals.push_back(Eigen::Vector3d(n.x, n.y, n.z).normalized());
      }
      if (to.places) to.part.places.emplace_back(mesh.mTextureCoords[0][v].x, mesh.mTextureCoords[0][v].y);
    }
  }

  // Whether the material is one that the file states.
  bool finish(unsigned material, Gathered& gathered) {
    VisualPart& part = gathered.part;
    part.mesh = std::move(gathered.soup.mesh);
    if (part.mesh.triangles.empty()) return false;
    for (Eigen::Vector3d& p : part.mesh.vertices) p = frame_(p);
    const auto finite = [](const auto& v) { return v.allFinite(); };
    if (!gathered.normals || !std::all_of(part.normals.begin(), part.normals.end(), finite))
      part.normals.clear();
    if (!gathered.places || !std::all_of(part.places.begin(), part.places.end(), finite)) part.places.clear();
    bool stated = false;
    if (material < scene_.scene().mNumMaterials) {
      const aiMaterial& from = *scene_.scene().mMaterials[material];
      stated = take_color(from, part.color);
      if (!part.places.empty()) part.texture = take_texture(from);
      stated |= !part.texture.empty();
    }
    visual_.parts.push_back(std::move(part));
    return stated;
  }

  // Assimp gives what has no material, or one of an MTL that is not there, a grey of 0.6.
  static bool take_color(const aiMaterial& from, Eigen::Vector4d& color) {
    constexpr float kUnstated = 0.6F;
    aiColor4D c(1, 1, 1, 1);
    if (from.Get(AI_MATKEY_BASE_COLOR, c) != AI_SUCCESS) from.Get(AI_MATKEY_COLOR_DIFFUSE, c);
    float opacity = c.a;
    from.Get(AI_MATKEY_OPACITY, opacity);
    const bool stated = c.r != kUnstated || c.g != kUnstated || c.b != kUnstated;
    const double numbers[] = {c.r, c.g, c.b, opacity};
    for (int k = 0; k < 4; ++k) color[k] = std::isfinite(numbers[k]) ? std::clamp(numbers[k], 0.0, 1.0) : 1.0;
    return stated;
  }

  // The name of the material's picture in visual_.textures; empty where there is none.
  std::string take_texture(const aiMaterial& from) {
    aiString named;
    if (from.GetTexture(aiTextureType_BASE_COLOR, 0, &named) != AI_SUCCESS &&
        from.GetTexture(aiTextureType_DIFFUSE, 0, &named) != AI_SUCCESS)
      return {};
    const std::string name = named.C_Str();
    const auto [known, is_new] = names_.try_emplace(name);
    if (!is_new) return known->second;
    const std::optional<std::string> bytes = picture(name);
    if (!bytes) return {};
    const std::string format = picture_format(*bytes);
    if (format.empty()) {
      visual_.notes.push_back(
          fmt::format("{}: its texture '{}' is neither PNG nor JPEG and is left out", file_.string(), name));
      return {};
    }
    known->second = fmt::format("texture_{}{}", visual_.textures.size(), format);
    visual_.textures.emplace(known->second, *bytes);
    return known->second;
  }

  std::optional<std::string> picture(const std::string& name) {
    if (const aiTexture* inside = scene_.scene().GetEmbeddedTexture(name.c_str())) {
      if (inside->mHeight == 0)
        return std::string(reinterpret_cast<const char*>(inside->pcData), inside->mWidth);
    } else {
      std::string path = name;
      std::replace(path.begin(), path.end(), '\\', '/');
      std::error_code ignored;
      if (const auto file = scene_.beside(path); file && fs::file_size(*file, ignored) <= kLargestPicture)
        return read_text(*file);
    }
    visual_.notes.push_back(fmt::format(
        "{}: its texture '{}' is left out: no such picture beside it or below", file_.string(), name));
    return std::nullopt;
  }

  fs::path file_;
  Frame frame_;
  SceneFile scene_;
  std::map<unsigned, Gathered> parts_;        // by material
  std::map<std::string, std::string> names_;  // in visual_.textures, by that in the scene
  Visual visual_;
};

// --- from the child to the parent ---

std::string pack(const Visual& visual) {
  Packer packer;
  const auto number = [&](std::size_t count) { packer.put(std::vector{count}); };
  number(visual.parts.size());
  for (const VisualPart& part : visual.parts) {
    packer.put(part.mesh.vertices);
    packer.put(part.mesh.triangles);
    packer.put(part.normals);
    packer.put(part.places);
    packer.put(std::vector(part.color.begin(), part.color.end()));
    packer.put(part.texture);
  }
  number(visual.textures.size());
  for (const auto& [name, bytes] : visual.textures) {
    packer.put(name);
    packer.put(bytes);
  }
  number(visual.notes.size());
  for (const std::string& note : visual.notes) packer.put(note);
  return std::move(packer.bytes);
}

Visual unpack(const std::string& bytes) {
  Unpacker unpacker(bytes);
  const auto number = [&] {
    std::vector<std::size_t> count;
    unpacker.take(count);
    return count.at(0);
  };
  Visual visual;
  visual.parts.resize(number());
  for (VisualPart& part : visual.parts) {
    unpacker.take(part.mesh.vertices);
    unpacker.take(part.mesh.triangles);
    unpacker.take(part.normals);
    unpacker.take(part.places);
    std::vector<double> color;
    unpacker.take(color);
    part.color = Eigen::Vector4d::Map(color.data());
    unpacker.take(part.texture);
  }
  for (std::size_t k = number(); k-- > 0;) {
    std::string name;
    unpacker.take(name);
    unpacker.take(visual.textures[name]);
  }
  visual.notes.resize(number());
  for (std::string& note : visual.notes) unpacker.take(note);
  return visual;
}

Visual without(const std::string& note) {
  Visual visual;
  visual.notes.push_back(note + ": materials that it may have are left out");
  return visual;
}

std::string obj_of(const VisualPart& part, std::size_t k) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "mtllib visual.mtl\nusemtl material_{}\n", k);
  for (const Eigen::Vector3d& v : part.mesh.vertices)
    fmt::format_to(out, "v {:.9g} {:.9g} {:.9g}\n", v.x(), v.y(), v.z());
  for (const Eigen::Vector2d& p : part.places) fmt::format_to(out, "vt {:.9g} {:.9g}\n", p.x(), p.y());
  for (const Eigen::Vector3d& n : part.normals)
    fmt::format_to(out, "vn {:.9g} {:.9g} {:.9g}\n", n.x(), n.y(), n.z());
  for (const Triangle& t : part.mesh.triangles) {
    fmt::format_to(out, "f");
    for (const std::int32_t i : t) {
      fmt::format_to(out, " {}", i + 1);
      if (!part.places.empty() || !part.normals.empty()) fmt::format_to(out, "/");
      if (!part.places.empty()) fmt::format_to(out, "{}", i + 1);
      if (!part.normals.empty()) fmt::format_to(out, "/{}", i + 1);
    }
    fmt::format_to(out, "\n");
  }
  return {text.data(), text.size()};
}

std::string materials_of(const Visual& visual) {
  std::string text;
  for (std::size_t k = 0; k < visual.parts.size(); ++k) {
    const VisualPart& part = visual.parts[k];
    const Eigen::Vector4d& c = part.color;
    fmt::format_to(std::back_inserter(text), "newmtl material_{}\nKd {:.6g} {:.6g} {:.6g}\nd {:.6g}\n", k,
                   c[0], c[1], c[2], c[3]);
    if (!part.texture.empty()) text += "map_Kd " + part.texture + "\n";
  }
  return text;
}

}  // namespace

void Visual::drop_data() {
  for (VisualPart& part : parts) {
    part.mesh = {};
    part.normals = {};
    part.places = {};
  }
  for (auto& texture : textures) texture.second = {};
}

Visual visual_of(const asset::Asset& asset) {
  const fs::path file = asset.provenance.source_file;
  const std::string extension = datasets::lower_extension(file);
  constexpr std::string_view kWithMaterials[] = {".obj", ".dae", ".glb", ".gltf"};
  if (std::find(std::begin(kWithMaterials), std::end(kWithMaterials), extension) == std::end(kWithMaterials))
    return {};
  std::error_code error;
  if (!fs::exists(file, error)) return without(file.string() + " is not there");
  const Work work = [&](std::size_t, const StageCallback& stage) {
    stage("materials");
    const std::string content = read_text(file);
    if (asset::digest(std::as_bytes(std::span(content))) != asset.provenance.source_digest)
      throw InvalidInput(file.string() + " has changed since the asset was made");
    return pack(VisualReader(content, file, frame_of(asset.provenance)).read());
  };
  RunObserver silent;
  const RunResult run = run_jobs(1, work, {1, kTimeout, kMemory}, silent);
  if (run.signal != 0) ::raise(run.signal);
  const JobResult& job = run.jobs.front();
  if (job.outcome == Outcome::kDone) return unpack(job.payload);
  return without(job.reason.starts_with(file.string()) ? job.reason : file.string() + ": " + job.reason);
}

std::vector<std::string> write_textures(const Visual& visual, const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& [name, bytes] : visual.textures) {
    write_whole(folder / name, bytes);
    files.push_back(name);
  }
  return files;
}

std::vector<std::string> write_visual(const Visual& visual, const fs::path& folder) {
  if (visual.parts.empty()) return {};
  std::vector<std::string> files = write_textures(visual, folder);
  for (std::size_t k = 0; k < visual.parts.size(); ++k) {
    files.push_back(fmt::format("visual_{}.obj", k));
    write_whole(folder / files.back(), obj_of(visual.parts[k], k));
  }
  files.emplace_back("visual.mtl");
  write_whole(folder / files.back(), materials_of(visual));
  return files;
}

}  // namespace abut::preprocess
