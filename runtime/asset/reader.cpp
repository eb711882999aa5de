#include "runtime/asset/reader.h"

#include <algorithm>

#include "runtime/asset/container.h"
#include "runtime/asset/hdf5_image.h"
#include "runtime/asset/schema.h"

namespace abut::asset {
namespace {

// One verified file, read part by part. Every message names the file and the object in it.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file)
      : name_(file.string()),
        bytes_(read_container(file, kSchemaVersion)),
        file_(open_image(std::span(bytes_).subspan(kHeaderBytes), name_)) {}

  Asset asset() const {
    Asset result;
    result.name = text(file_, "name");
    for (int i = 0; exists("surface/" + std::to_string(i)); ++i)
      visit_surface(result.surfaces.emplace_back(), ArrayReader{*this, "surface/" + std::to_string(i) + "/"});
    for (int i = 0; exists("convex/" + std::to_string(i)); ++i)
      visit_convex(result.convex.emplace_back(), ArrayReader{*this, "convex/" + std::to_string(i) + "/"});
    for (int i = 0; exists("volume") && exists("volume/" + std::to_string(i)); ++i)
      visit_volume(result.volumes.emplace_back(), ArrayReader{*this, "volume/" + std::to_string(i) + "/"});
    for (int i = 0; exists("points") && exists("points/" + std::to_string(i)); ++i)
      visit_points(result.points.emplace_back(), ArrayReader{*this, "points/" + std::to_string(i) + "/"});
    const Handle mass = group("mass");
    numbers(mass, "volume", &result.mass.volume, 1);
    numbers(mass, "area", &result.mass.area, 1);
    numbers(mass, "center_of_mass", result.mass.center_of_mass, 3);
    numbers(mass, "inertia", result.mass.inertia, 9);
    result.provenance = provenance();
    return result;
  }

  Provenance provenance() const {
    Provenance result;
    const Handle root = group("provenance");
    result.source_file = text(root, "source_file");
    result.source_digest = text(root, "source_digest");
    result.parameters = texts("provenance/parameters");
    result.versions = texts("provenance/versions");
    result.warnings = lines("provenance/warnings");
    const Handle seconds = group("provenance/stage_seconds");
    for (const std::string& key : attribute_names(seconds))
      numbers(seconds, key, &result.stage_seconds.emplace_back(key, 0).second, 1);
    const Handle measures = group("provenance/measures");
    for (const std::string& key : attribute_names(measures)) numbers(measures, key, &result.measures[key], 1);
    return result;
  }

 private:
  struct ArrayReader {
    const Reader& reader;
    std::string prefix;
    template <class T>
    void operator()(const char* name, std::vector<T>& data, const Shape& shape, const char*,
                    const char*) const {
      reader.array(prefix + name, data, shape);
    }
  };

  [[noreturn]] void fail(const std::string& element, const std::string& what) const {
    throw BadAsset(name_ + ": " + element + ": " + what + "; make the asset again");
  }

  template <class Code>
  Code must(Code code, const std::string& element) const {
    if (code < 0) fail(element, "missing or unreadable");
    return code;
  }

  bool exists(const std::string& path) const { return H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0; }

  Handle group(const std::string& path) const {
    return {must(H5Gopen2(file_, path.c_str(), H5P_DEFAULT), path), H5Gclose};
  }

  template <class T>
  void array(const std::string& path, std::vector<T>& data, const Shape& shape) const {
    const Handle set(must(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), path), H5Dclose);
    const Handle space(must(H5Dget_space(set), path), H5Sclose);
    const hssize_t count = must(H5Sget_simple_extent_npoints(space), path);
    std::vector<hsize_t> dims(shape.size());
    if (H5Sget_simple_extent_ndims(space) != static_cast<int>(dims.size())) fail(path, "has the wrong shape");
    must(H5Sget_simple_extent_dims(space, dims.data(), nullptr), path);
    const Shape expected = resolve(static_cast<std::size_t>(count), shape);
    if (!std::equal(dims.begin(), dims.end(), expected.begin(),
                    [](hsize_t a, int b) { return b >= 0 && a == static_cast<hsize_t>(b); }))
      fail(path, "has the wrong shape");
    data.resize(static_cast<std::size_t>(count));
    if (count > 0) must(H5Dread(set, native_type(T{}), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()), path);
  }

  std::string text(hid_t object, const std::string& key) const {
    const Handle attribute(must(H5Aopen(object, key.c_str(), H5P_DEFAULT), key), H5Aclose);
    const Handle type(must(H5Aget_type(attribute), key), H5Tclose);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) fail(key, "is not a text");
    std::string value(H5Tget_size(type), '\0');
    must(H5Aread(attribute, type, value.data()), key);
    value.resize(value.find_last_not_of('\0') + 1);
    return value;
  }

  void numbers(hid_t object, const std::string& key, double* values, hssize_t count) const {
    const Handle attribute(must(H5Aopen(object, key.c_str(), H5P_DEFAULT), key), H5Aclose);
    const Handle space(must(H5Aget_space(attribute), key), H5Sclose);
    if (H5Sget_simple_extent_npoints(space) != count) fail(key, "has the wrong length");
    must(H5Aread(attribute, H5T_NATIVE_DOUBLE, values), key);
  }

  // In the order of writing.
  std::vector<std::string> attribute_names(hid_t object) const {
    std::vector<std::string> names;
    const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
      static_cast<std::vector<std::string>*>(out)->emplace_back(name);
      return 0;
    };
    hsize_t index = 0;
    must(H5Aiterate2(object, H5_INDEX_CRT_ORDER, H5_ITER_INC, &index, collect, &names), "attributes");
    return names;
  }

  std::map<std::string, std::string> texts(const std::string& path) const {
    std::map<std::string, std::string> result;
    const Handle entries = group(path);
    for (const std::string& key : attribute_names(entries)) result[key] = text(entries, key);
    return result;
  }

  std::vector<std::string> lines(const std::string& path) const {
    const Handle set(must(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), path), H5Dclose);
    const Handle space(must(H5Dget_space(set), path), H5Sclose);
    const Handle type(must(H5Dget_type(set), path), H5Tclose);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) <= 0)
      fail(path, "is not a list of texts");
    std::vector<char*> raw(static_cast<std::size_t>(must(H5Sget_simple_extent_npoints(space), path)));
    if (raw.empty()) return {};
    must(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()), path);
    std::vector<std::string> result;
    result.reserve(raw.size());
    for (const char* line : raw) result.emplace_back(line == nullptr ? "" : line);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw.data());
    return result;
  }

  std::string name_;
  std::vector<std::byte> bytes_;
  Session session_;
  Handle file_;
};

}  // namespace

Asset load(const std::filesystem::path& file) {
  Asset asset = Reader(file).asset();
  check(asset, file.string());
  for (std::size_t i = 0; i < asset.points.size(); ++i) {
    try {
      add_blocks(asset.points[i]);
    } catch (const InvalidInput& error) {
      throw BadAsset(file.string() + ": points/" + std::to_string(i) + ": " + error.what() +
                     "; make the asset again");
    }
  }
  return asset;
}

Provenance load_provenance(const std::filesystem::path& file) { return Reader(file).provenance(); }

}  // namespace abut::asset
