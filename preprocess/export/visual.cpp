#include "preprocess/export/visual.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "datasets/listing.h"
#include "preprocess/export/visual_reader.h"
#include "preprocess/mesh/gltf.h"
#include "preprocess/mesh/write.h"
#include "preprocess/process/packing.h"
#include "preprocess/process/runner.h"
#include "runtime/core/error.h"
#include "runtime/core/extension.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {
namespace fs = std::filesystem;

constexpr double kTimeout = 120;                       // s
constexpr std::size_t kMemory = std::size_t{4} << 30;  // bytes

// From the asset's provenance, which may be forged. Throws InvalidInput.
VisualFrame frame_of(const asset::Provenance& provenance, const Eigen::AlignedBox3d& box) {
  VisualFrame frame;
  frame.box = box;
  if (const auto scale = provenance.parameters.find("metres_per_unit");
      scale != provenance.parameters.end()) {
    const std::string& text = scale->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), frame.metres_per_unit);
    if (error != std::errc() || end != text.data() + text.size() || !(frame.metres_per_unit > 0) ||
        !std::isfinite(frame.metres_per_unit))
      throw InvalidInput("the asset's metres_per_unit is no positive number");
  }
  constexpr const char* kOrigin[] = {"recentred_x_m", "recentred_y_m", "recentred_z_m"};
  for (int k = 0; k < 3; ++k)
    if (const auto x = provenance.measures.find(kOrigin[k]); x != provenance.measures.end()) {
      if (!std::isfinite(x->second))
        throw InvalidInput(fmt::format("the asset's {} is not finite", kOrigin[k]));
      frame.origin[k] = x->second;
    }
  for (const char* measure : {"components_dropped", "dropped_area_percent"}) {
    const auto dropped = provenance.measures.find(measure);
    frame.parts_dropped =
        frame.parts_dropped || (dropped != provenance.measures.end() && dropped->second > 0);
  }
  return frame;
}

// --- transfer from the child to the parent ---

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

Visual visual_of(const asset::Asset& asset, const Eigen::AlignedBox3d& box) {
  const fs::path file = asset.provenance.source_file;
  const std::string extension = lower_extension(file);
  constexpr std::string_view kWithMaterials[] = {".obj", ".dae", ".glb", ".gltf"};
  if (std::find(std::begin(kWithMaterials), std::end(kWithMaterials), extension) == std::end(kWithMaterials))
    return {};
  std::error_code error;
  if (!fs::exists(file, error))
    return without(file.string() + (file.is_absolute()
                                        ? " is not there"
                                        : " is not there, seen from the folder of this command"));
  const Work work = [&](std::size_t, const StageCallback& stage) {
    stage("materials");
    const std::string content = read_text(file);
    if (source_digest(content, file) != asset.provenance.source_digest)
      throw InvalidInput(file.string() + " has changed since the asset was made");
    return pack(read_visual(content, file, frame_of(asset.provenance, box)));
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
