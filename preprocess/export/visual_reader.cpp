#include "preprocess/export/visual_reader.h"

#include <assimp/GltfMaterial.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "datasets/listing.h"
#include "preprocess/mesh/beside.h"
#include "preprocess/mesh/scene_file.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t kLargestPicture = std::size_t{1} << 28;  // bytes

// Without the blanks at its end.
std::string trimmed(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r");
  return std::string(text.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

// The extension of a picture by its first bytes; empty for what is none.
std::string picture_format(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return ".png";
  return bytes.starts_with("\xff\xd8\xff") ? ".jpg" : "";
}

// Whether a PNG can be decoded to its end.
bool is_whole_png(const std::string& bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  bool whole = png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) != 0;
  if (whole) {
    image.format = PNG_FORMAT_RGBA;
    std::vector<png_byte> pixels(PNG_IMAGE_SIZE(image));
    whole = png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) != 0;
  }
  png_image_free(&image);
  return whole;
}

// A part of light as pictures have it (sRGB), from how glTF has colours.
double encoded(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

// Files of materials that an OBJ names and that are not there.
std::vector<std::string> missing_materials(std::string_view content, const fs::path& file) {
  constexpr std::string_view kKey = "mtllib ";
  std::vector<std::string> missing;
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t end = std::min(content.find('\n', at), content.size());
    std::string_view line = content.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(kKey)) continue;
    line.remove_prefix(kKey.size());
    const std::string name = trimmed(line);
    if (!find_beside(name, file)) missing.push_back(name);
  }
  return missing;
}

// Reads one scene. Runs in the child.
class VisualReader {
 public:
  VisualReader(const std::string& content, const fs::path& file, const VisualFrame& frame)
      : file_(file),
        extension_(datasets::lower_extension(file)),
        frame_(frame),
        scene_(content, file, aiProcess_JoinIdenticalVertices) {
    if (extension_ == ".obj")
      for (const std::string& name : missing_materials(content, file))
        note(fmt::format("its materials '{}' are left out: no such file beside it or below", name));
  }

  Visual read() {
    scene_.for_each_instance([&](const aiMesh& mesh, const aiMatrix4x4& X) { add(mesh, X); });
    if (!(kFinest * largest_ * frame_.metres_per_unit <= kPlaces * frame_.size))
      throw InvalidInput(
          "its coordinates are too far from the origin for single precision, in which they are read here");
    bool any = false;
    for (auto& [key, gathered] : parts_) any |= finish(key.material, gathered);
    if (!any) visual_.parts.clear();
    if (colored_) note("colours of its vertices are left out");
    return std::move(visual_);
  }

 private:
  static constexpr double kFinest = std::numeric_limits<float>::epsilon();
  static constexpr double kPlaces = 1e-3;  // of the object's size, that places may be off

  // Meshes of one material, with the same numbers at their vertices.
  struct Key {
    unsigned material;
    bool normals, places;
    auto operator<=>(const Key&) const = default;
  };
  struct Gathered {
    explicit Gathered(const fs::path& file) : soup(file) {}
    SceneSoup soup;
    VisualPart part;
  };

  void add(const aiMesh& mesh, const aiMatrix4x4& X) {
    const unsigned set = places_set(mesh.mMaterialIndex);
    const Key key{mesh.mMaterialIndex, mesh.HasNormals(), mesh.HasTextureCoords(set)};
    Gathered& to = parts_.try_emplace(key, file_).first->second;
    const std::size_t first = to.soup.mesh.vertices.size();
    to.soup.add(mesh, X);
    for (std::size_t v = first; v < to.soup.mesh.vertices.size(); ++v)
      largest_ = std::max(largest_, to.soup.mesh.vertices[v].cwiseAbs().maxCoeff());
    colored_ = colored_ || mesh.HasVertexColors(0);
    aiMatrix3x3 turn(X);
    turn.Inverse().Transpose();
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      if (key.normals) {
        const aiVector3D n = turn * mesh.mNormals[v];
        to.part.normals.push_back(Eigen::Vector3d(n.x, n.y, n.z).normalized());
      }
      if (key.places)
        to.part.places.emplace_back(mesh.mTextureCoords[set][v].x, mesh.mTextureCoords[set][v].y);
    }
  }

  // Which of a mesh's sets of texture coordinates the material's picture has.
  unsigned places_set(unsigned material) const {
    int set = 0;
    if (material < scene_.scene().mNumMaterials) {
      const aiMaterial& from = *scene_.scene().mMaterials[material];
      if (from.Get(AI_MATKEY_UVWSRC(aiTextureType_DIFFUSE, 0), set) != AI_SUCCESS)
        from.Get(AI_MATKEY_UVWSRC(aiTextureType_BASE_COLOR, 0), set);
    }
    return static_cast<unsigned>(std::clamp(set, 0, AI_MAX_NUMBER_OF_TEXTURECOORDS - 1));
  }

  // Whether the material is one that the file states.
  bool finish(unsigned material, Gathered& gathered) {
    VisualPart& part = gathered.part;
    part.mesh = std::move(gathered.soup.mesh);
    if (part.mesh.triangles.empty()) return false;
    for (Eigen::Vector3d& p : part.mesh.vertices) p = frame_(p);
    const auto finite = [](const auto& v) { return v.allFinite(); };
    if (!std::all_of(part.normals.begin(), part.normals.end(), finite)) part.normals.clear();
    if (!std::all_of(part.places.begin(), part.places.end(), finite)) {
      part.places.clear();
      note("texture coordinates that are not finite are left out");
    }
    bool stated = false;
    if (material < scene_.scene().mNumMaterials) {
      const aiMaterial& from = *scene_.scene().mMaterials[material];
      if (!part.places.empty()) part.texture = take_texture(from);
      stated = take_color(from, !part.texture.empty(), part.color) || !part.texture.empty();
    }
    visual_.parts.push_back(std::move(part));
    return stated;
  }

  // Whether the file states it. Assimp gives what has no material, or none but a picture, a grey of 0.6.
  // Where glTF has two ways to say a colour, its diffuse one is of that which counts.
  bool take_color(const aiMaterial& from, bool textured, Eigen::Vector4d& color) const {
    constexpr float kUnstated = 0.6F;
    aiColor4D c(1, 1, 1, 1);
    if (from.Get(AI_MATKEY_COLOR_DIFFUSE, c) != AI_SUCCESS) from.Get(AI_MATKEY_BASE_COLOR, c);
    const bool stated = c.r != kUnstated || c.g != kUnstated || c.b != kUnstated;
    if (!stated && textured) c = aiColor4D(1, 1, 1, c.a);
    float opacity = c.a;
    from.Get(AI_MATKEY_OPACITY, opacity);
    aiString mode;
    if (from.Get(AI_MATKEY_GLTF_ALPHAMODE, mode) == AI_SUCCESS && mode == aiString("OPAQUE")) opacity = 1;
    const double numbers[] = {c.r, c.g, c.b, opacity};
    for (int k = 0; k < 4; ++k) color[k] = std::isfinite(numbers[k]) ? std::clamp(numbers[k], 0.0, 1.0) : 1.0;
    const bool linear = extension_ == ".gltf" || extension_ == ".glb";
    for (int k = 0; k < 3 && linear; ++k) color[k] = encoded(color[k]);
    return stated;
  }

  // The name of the material's picture in visual_.textures; empty where there is none.
  std::string take_texture(const aiMaterial& from) {
    aiString named;
    aiTextureType type = aiTextureType_DIFFUSE;
    if (from.GetTexture(type, 0, &named) != AI_SUCCESS) {
      type = aiTextureType_BASE_COLOR;
      if (from.GetTexture(type, 0, &named) != AI_SUCCESS) return {};
    }
    const std::string name = named.C_Str();
    aiUVTransform moved;
    if (from.Get(AI_MATKEY_UVTRANSFORM(type, 0), moved) == AI_SUCCESS && !is_none(moved))
      note(fmt::format("its texture '{}' is moved, scaled or turned: that is left out", shown(name)));
    const auto [known, is_new] = names_.try_emplace(name);
    if (!is_new) return known->second;
    const std::optional<std::string> bytes = picture(name);
    if (!bytes) return {};
    const std::string format = picture_format(*bytes);
    if (format.empty() || (format == ".png" && !is_whole_png(*bytes))) {
      note(fmt::format("its texture '{}' is {} and is left out", shown(name),
                       format.empty() ? "neither PNG nor JPEG" : "a damaged PNG"));
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
    } else if (const auto file = picture_file(name)) {
      std::error_code ignored;
      if (fs::file_size(*file, ignored) <= kLargestPicture) return read_text(*file);
      note(fmt::format("its texture '{}' is left out: it has more than {} MiB", shown(name),
                       kLargestPicture >> 20));
      return std::nullopt;
    }
    note(fmt::format("its texture '{}' is left out: no such picture beside it or below", shown(name)));
    return std::nullopt;
  }

  // Google Scanned Objects have meshes/model.obj, and its pictures in materials/textures.
  std::optional<fs::path> picture_file(const std::string& name) const {
    std::string path = trimmed(name);
    std::replace(path.begin(), path.end(), '\\', '/');
    if (auto file = find_beside(path, file_)) return file;
    const fs::path folder = file_.parent_path();
    if (folder.filename() != "meshes") return std::nullopt;
    return find_beside("materials/textures/" + path, folder);
  }

  static bool is_none(const aiUVTransform& t) {
    return t.mTranslation == aiVector2D(0, 0) && t.mScaling == aiVector2D(1, 1) && t.mRotation == 0;
  }
  static std::string shown(const std::string& name) {
    constexpr std::size_t kMost = 100;
    return name.size() <= kMost ? name : name.substr(0, kMost) + "...";
  }
  // What is left out, once.
  void note(const std::string& what) {
    const std::string text = fmt::format("{}: {}", file_.string(), what);
    if (std::find(visual_.notes.begin(), visual_.notes.end(), text) == visual_.notes.end())
      visual_.notes.push_back(text);
  }

  fs::path file_;
  std::string extension_;
  VisualFrame frame_;
  SceneFile scene_;
  std::map<Key, Gathered> parts_;
  double largest_ = 0;                        // coordinate, in the file's units
  bool colored_ = false;                      // whether vertices have colours
  std::map<std::string, std::string> names_;  // in visual_.textures, by that in the scene
  Visual visual_;
};

}  // namespace

Visual read_visual(const std::string& content, const fs::path& file, const VisualFrame& frame) {
  return VisualReader(content, file, frame).read();
}

}  // namespace abut::preprocess
