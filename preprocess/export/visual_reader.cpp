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
#include "preprocess/export/mtl_materials.h"
#include "preprocess/export/plain_obj.h"
#include "preprocess/export/words.h"
#include "preprocess/mesh/beside.h"
#include "preprocess/mesh/formats.h"
#include "preprocess/mesh/scene_file.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/extension.h"
#include "runtime/core/input_file.h"

namespace abut::preprocess {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t kLargestPicture = std::size_t{1} << 28;  // bytes
constexpr std::size_t kMaxPixels = std::size_t{1} << 28;       // total of all pictures, decoded one by one

// The extension of a picture by its first bytes; empty if the format is unknown.
std::string picture_format(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return ".png";
  return bytes.starts_with("\xff\xd8\xff") ? ".jpg" : "";
}

// Describes what is wrong with a PNG; empty if it can be decoded completely. `room`: number of pixels
// allowed, reduced by the picture's own.
std::string png_fault(const std::string& bytes, std::size_t& room) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  bool whole = png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) != 0;
  const std::size_t count = std::size_t{image.width} * image.height;
  const bool fits = count <= room;
  if (whole && fits) {
    room -= count;
    image.format = PNG_FORMAT_RGBA;
    std::vector<png_byte> pixels(PNG_IMAGE_SIZE(image));
    whole = png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) != 0;
  }
  png_image_free(&image);
  if (!whole) return "a damaged PNG";
  return fits ? "" : fmt::format("too large ({} x {} pixels)", image.width, image.height);
}

// sRGB-encoded value from linear light, in which glTF states colours.
double encoded(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

// Bounding box of the triangles' corners.
Eigen::AlignedBox3d box_of(const TriangleMesh& mesh) {
  Eigen::AlignedBox3d box;
  for (const Triangle& t : mesh.triangles)
    for (const std::int32_t v : t) box.extend(mesh.vertices[static_cast<std::size_t>(v)]);
  return box;
}

// Largest distance between corresponding faces of two boxes.
double apart(const Eigen::AlignedBox3d& a, const Eigen::AlignedBox3d& b) {
  return std::max((a.min() - b.min()).cwiseAbs().maxCoeff(), (a.max() - b.max()).cwiseAbs().maxCoeff());
}

// Reads one scene. Runs in the child process.
class VisualReader {
 public:
  VisualReader(const std::string& content, const fs::path& file, const VisualFrame& frame)
      : file_(file),
        extension_(lower_extension(file)),
        frame_(frame),
        obj_(extension_ == ".obj" ? std::optional(plain_obj(content, file)) : std::nullopt),
        scene_(obj_ ? obj_->text : content, file, aiProcess_JoinIdenticalVertices) {
    if (obj_) take_obj(content);
  }

  Visual read() {
    scene_.for_each_instance([&](const aiMesh& mesh, const aiMatrix4x4& X) { add(mesh, X); });
    if (!(kFinest * largest_ * frame_.metres_per_unit <= kPlaces * frame_.box.sizes().norm()))
      throw InvalidInput(
          "its coordinates are too far from the origin for single precision, in which they are read here");
    if (obj_) require_same_shape();
    bool any = false;
    for (auto& [key, gathered] : parts_) any |= finish(key.material, gathered);
    require_place();
    if (!any) visual_.parts.clear();
    if (colored_) note("colours of its vertices are left out");
    return std::move(visual_);
  }

 private:
  static constexpr double kFinest = std::numeric_limits<float>::epsilon();
  static constexpr double kPlaces = 1e-3;  // largest error of positions, over the object's size

  // Groups meshes of one material whose vertices have the same attributes.
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

  // Takes from an OBJ what is not left to assimp: the shape by the rules of the asset's reader, and its
  // materials' pictures and colours.
  void take_obj(const std::string& content) {
    Report ignored;
    const TriangleMesh mesh = parse_obj(content, file_.string(), ignored);
    triangles_ = mesh.triangles.size();
    box_ = box_of(mesh);
    colored_ = obj_->colored;
    for (const std::string& name : obj_->missing)
      note(fmt::format("its materials '{}' are left out: no such file beside it or below", name));
    for (const std::string& name : obj_->libraries)
      if (const auto library = find_beside(name, file_))
        add_mtl_materials(read_text(*library), fs::path(name).parent_path(), mtl_materials_);
    if (obj_->bare_faces > 0)
      note(fmt::format(
          "texture coordinates or normals of {} are left out: not all corners have one that is there",
          counted(obj_->bare_faces, "face")));
  }

  // For an OBJ: checks that assimp, which has rules of its own, has read the shape from which the asset was
  // made.
  void require_same_shape() const {
    constexpr double kRoundings = 16;
    std::size_t triangles = 0;
    Eigen::AlignedBox3d box;
    for (const auto& [key, gathered] : parts_) {
      triangles += gathered.soup.mesh.triangles.size();
      box.extend(box_of(gathered.soup.mesh));
    }
    if (triangles != triangles_ || !(apart(box, box_) <= kRoundings * kFinest * largest_))
      throw InvalidInput("assimp reads another shape from it than the asset was made from");
  }

  // Checks the position: the asset's frame comes from its file, and may be forged.
  void require_place() const {
    constexpr double kSlack = 0.1, kFarthest = 1e3;  // over the asset's size: for repair; for dropped parts
    const double size = frame_.box.sizes().norm();
    Eigen::AlignedBox3d box;
    for (const VisualPart& part : visual_.parts) {
      for (const Eigen::Vector3d& v : part.mesh.vertices)
        if (!v.allFinite()) throw InvalidInput("its places in the asset's frame are not finite");
      box.extend(box_of(part.mesh));
    }
    if (visual_.parts.empty()) return;
    const Eigen::Vector3d slack = Eigen::Vector3d::Constant(kSlack * size);
    const Eigen::AlignedBox3d room(box.min() - slack, box.max() + slack);
    const double most = frame_.parts_dropped ? kFarthest * size : kSlack * size;
    if (!room.contains(frame_.box) || !(apart(box, frame_.box) <= most))
      throw InvalidInput("it does not lie where the asset does: the asset's scale or origin is wrong");
  }

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

  // Index of the mesh's set of texture coordinates that the material's picture uses.
  unsigned places_set(unsigned material) const {
    int set = 0;
    if (material < scene_.scene().mNumMaterials) {
      const aiMaterial& from = *scene_.scene().mMaterials[material];
      if (from.Get(AI_MATKEY_UVWSRC(aiTextureType_DIFFUSE, 0), set) != AI_SUCCESS)
        from.Get(AI_MATKEY_UVWSRC(aiTextureType_BASE_COLOR, 0), set);
    }
    return static_cast<unsigned>(std::clamp(set, 0, AI_MAX_NUMBER_OF_TEXTURECOORDS - 1));
  }

  // Finishes a part; returns whether the file states its material.
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
      if (const auto picture = picture_of(from)) {
        if (part.places.empty())
          note(fmt::format("its texture '{}' is left out where faces have no texture coordinates",
                           shown(picture->name)));
        else
          part.texture = take_texture(*picture);
      }
      stated = take_color(from, !part.texture.empty(), part.color) || !part.texture.empty();
    }
    visual_.parts.push_back(std::move(part));
    return stated;
  }

  // What the MTL files of an OBJ state of a material.
  MtlMaterial mtl_material(const aiMaterial& from) const {
    aiString name;
    from.Get(AI_MATKEY_NAME, name);
    const auto found = mtl_materials_.find(name.C_Str());
    return found == mtl_materials_.end() ? MtlMaterial() : found->second;
  }

  // Whether the file states the colour of a material that has a picture or not. Where none is stated, assimp
  // has a grey of 0.6 as the diffuse one. COLLADA has either a colour or a picture; glTF always has a colour.
  bool states_color(const aiMaterial& from, bool textured) const {
    if (obj_) return mtl_material(from).color.has_value();
    aiString name;
    from.Get(AI_MATKEY_NAME, name);
    return is_gltf() || (!textured && name != aiString(AI_DEFAULT_MATERIAL_NAME));
  }

  // Gets the colour and returns whether the file states it. If glTF states a colour in both of its ways,
  // assimp's diffuse colour is the one that applies.
  bool take_color(const aiMaterial& from, bool textured, Eigen::Vector4d& color) const {
    aiColor4D c(1, 1, 1, 1);
    if (from.Get(AI_MATKEY_COLOR_DIFFUSE, c) != AI_SUCCESS) from.Get(AI_MATKEY_BASE_COLOR, c);
    const bool stated = states_color(from, textured);
    if (!stated && textured) c = aiColor4D(1, 1, 1, c.a);
    float opacity = c.a;
    from.Get(AI_MATKEY_OPACITY, opacity);
    aiString mode;
    if (from.Get(AI_MATKEY_GLTF_ALPHAMODE, mode) == AI_SUCCESS && mode == aiString("OPAQUE")) opacity = 1;
    double numbers[] = {c.r, c.g, c.b, opacity};
    if (obj_ && stated) Eigen::Vector3d::Map(numbers) = *mtl_material(from).color;
    for (int k = 0; k < 4; ++k) color[k] = std::isfinite(numbers[k]) ? std::clamp(numbers[k], 0.0, 1.0) : 1.0;
    for (int k = 0; k < 3 && is_gltf(); ++k) color[k] = encoded(color[k]);
    return stated;
  }

  // The picture that a material refers to.
  std::optional<MtlPicture> picture_of(const aiMaterial& from) const {
    if (obj_) return mtl_material(from).picture;
    aiString named;
    aiTextureType type = aiTextureType_DIFFUSE;
    if (from.GetTexture(type, 0, &named) != AI_SUCCESS) {
      type = aiTextureType_BASE_COLOR;
      if (from.GetTexture(type, 0, &named) != AI_SUCCESS) return std::nullopt;
    }
    aiUVTransform moved;
    const bool moves = from.Get(AI_MATKEY_UVTRANSFORM(type, 0), moved) == AI_SUCCESS && !is_none(moved);
    return MtlPicture{named.C_Str(), {}, moves};
  }

  // Loads a picture and returns its name in visual_.textures; empty if it is omitted.
  std::string take_texture(const MtlPicture& from) {
    if (from.moved)
      note(fmt::format("its texture '{}' is moved, scaled or turned: that is left out", shown(from.name)));
    const auto [known, is_new] = names_.try_emplace({from.folder, from.name});
    if (!is_new) return known->second;
    const std::optional<std::string> bytes = picture(from);
    if (!bytes) return {};
    const std::string format = picture_format(*bytes);
    std::string fault = format.empty() ? "neither PNG nor JPEG" : "";
    if (format == ".png") fault = png_fault(*bytes, pixels_left_);
    if (!fault.empty()) {
      note(fmt::format("its texture '{}' is {} and is left out", shown(from.name), fault));
      return {};
    }
    known->second = fmt::format("texture_{}{}", visual_.textures.size(), format);
    visual_.textures.emplace(known->second, *bytes);
    return known->second;
  }

  std::optional<std::string> picture(const MtlPicture& from) {
    const std::string& name = from.name;
    if (const aiTexture* inside = scene_.scene().GetEmbeddedTexture(name.c_str())) {
      if (inside->mHeight == 0)
        return std::string(reinterpret_cast<const char*>(inside->pcData), inside->mWidth);
    } else if (const auto file = picture_file(from)) {
      std::error_code ignored;
      if (fs::file_size(*file, ignored) <= kLargestPicture) return read_text(*file);
      note(fmt::format("its texture '{}' is left out: it has more than {} MiB", shown(name),
                       kLargestPicture >> 20));
      return std::nullopt;
    }
    note(fmt::format("its texture '{}' is left out: no such picture beside it or below", shown(name)));
    return std::nullopt;
  }

  // Searches next to the MTL or the scene. Google Scanned Objects have meshes/model.obj, and its pictures in
  // materials/textures.
  std::optional<fs::path> picture_file(const MtlPicture& from) const {
    std::string path(trimmed(from.name));
    std::replace(path.begin(), path.end(), '\\', '/');
    if (auto file = find_beside((from.folder / path).string(), file_)) return file;
    if (auto file = find_beside(path, file_)) return file;
    const fs::path folder = file_.parent_path();
    if (folder.filename() != "meshes") return std::nullopt;
    return find_beside("materials/textures/" + path, folder);
  }

  bool is_gltf() const { return extension_ == ".gltf" || extension_ == ".glb"; }
  static bool is_none(const aiUVTransform& t) {
    return t.mTranslation == aiVector2D(0, 0) && t.mScaling == aiVector2D(1, 1) && t.mRotation == 0;
  }
  static std::string shown(const std::string& name) {
    constexpr std::size_t kMax = 100;
    return name.size() <= kMax ? name : name.substr(0, kMax) + "...";
  }
  // Notes what is omitted, once.
  void note(const std::string& what) {
    const std::string text = fmt::format("{}: {}", file_.string(), what);
    if (std::find(visual_.notes.begin(), visual_.notes.end(), text) == visual_.notes.end())
      visual_.notes.push_back(text);
  }

  fs::path file_;
  std::string extension_;
  VisualFrame frame_;
  std::optional<PlainObj> obj_;  // empty for other formats
  SceneFile scene_;
  std::map<Key, Gathered> parts_;
  double largest_ = 0;                                // largest coordinate, in the file's units
  bool colored_ = false;                              // whether vertices have colours
  std::size_t triangles_ = 0;                         // number in an OBJ, as the asset's reader counts
  Eigen::AlignedBox3d box_;                           // bounding box of these, in the file's units
  std::map<std::string, MtlMaterial> mtl_materials_;  // of an OBJ, by name
  std::map<std::pair<fs::path, std::string>, std::string>
      names_;  // name in visual_.textures, by folder and name in the scene
  std::size_t pixels_left_ = kMaxPixels;
  Visual visual_;
};

}  // namespace

Visual read_visual(const std::string& content, const fs::path& file, const VisualFrame& frame) {
  return VisualReader(content, file, frame).read();
}

}  // namespace abut::preprocess
