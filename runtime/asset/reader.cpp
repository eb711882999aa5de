#include "runtime/asset/reader.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <type_traits>

#include "runtime/asset/container.h"
#include "runtime/asset/hdf5_parser.h"
#include "runtime/asset/schema.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"

namespace abut::asset {
namespace {

// Reads one verified file part by part. Every message names the file and the object in it.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file)
      : name_(file.string()),
        bytes_(read_container(file, kSchemaVersion)),
        file_(std::span(bytes_).subspan(kHeaderBytes), name_) {
    double schema = 0;
    const Attributes root = attributes("");
    numbers(root, "schema", &schema, 1);
    if (schema > kSchemaVersion) refuse_newer_schema(name_, schema, kSchemaVersion);
    if (schema != kSchemaVersion)
      fail("schema", "is of an older version of Abut, this build reads " + std::to_string(kSchemaVersion));
    asset_name_ = text(root, "name");
  }

  Asset asset() {
    Asset result;
    result.name = asset_name_;
    visit_parts(result, [&](const char* name, auto& parts, Presence, auto&& visit_arrays) {
      read_levels(name, parts, visit_arrays);
    });
    const Attributes mass = attributes("mass");
    numbers(mass, "volume", &result.mass.volume, 1);
    numbers(mass, "area", &result.mass.area, 1);
    numbers(mass, "center_of_mass", result.mass.center_of_mass, 3);
    numbers(mass, "inertia", result.mass.inertia, 9);
    expect_unit("mass", mass, kMassUnit);
    result.provenance = provenance();
    for (const std::string& path : file_.paths())
      if (!known_.contains(path)) fail(path, "is unknown");
    return result;
  }

  Provenance provenance() {
    Provenance result;
    const Attributes root = attributes("provenance");
    result.source_file = text(root, "source_file");
    result.source_digest = text(root, "source_digest");
    result.parameters = texts("provenance/parameters");
    result.versions = texts("provenance/versions");
    result.warnings = lines("provenance/warnings");
    const Attributes seconds = attributes("provenance/stage_seconds");
    for (const Hdf5Attribute& a : seconds)
      numbers(seconds, a.name, &result.stage_seconds.emplace_back(a.name, 0).second, 1);
    const Attributes measures = attributes("provenance/measures");
    for (const Hdf5Attribute& a : measures) numbers(measures, a.name, &result.measures[a.name], 1);
    return result;
  }

 private:
  using Attributes = std::vector<Hdf5Attribute>;

  struct ArrayReader {
    Reader& reader;
    std::string prefix;
    template <class T>
    void operator()(const char* name, std::vector<T>& data, const Shape& shape, const char* unit,
                    const char*) const {
      reader.array(prefix + name, data, shape);
      reader.expect_unit(prefix + name, reader.file_.attributes(prefix + name), unit);
    }
  };

  [[noreturn]] void fail(const std::string& element, const std::string& what) const {
    throw BadAsset(name_ + ": " + element + ": " + what + "; make the asset again");
  }

  // Reads the levels or pieces of a part: groups "0", "1", ...
  template <class Part, class VisitPart>
  void read_levels(const std::string& name, std::vector<Part>& parts, VisitPart&& visit_part) {
    for (int i = 0;; ++i) {
      const std::string path = name + "/" + std::to_string(i);
      if (!file_.has(path)) break;
      visit_part(parts.emplace_back(), ArrayReader{*this, path + "/"});
    }
    know(name);
  }

  // Records the object and the groups that contain it as read.
  void know(std::string path) {
    for (; known_.insert(path).second && !path.empty();)
      path.resize(path.find('/') == std::string::npos ? 0 : path.rfind('/'));
  }

  Attributes attributes(const std::string& path) {
    know(path);
    return file_.attributes(path);
  }

  const Hdf5Array& value(const Attributes& attributes, const std::string& key) const {
    for (const Hdf5Attribute& a : attributes)
      if (a.name == key) return a.value;
    fail(key, "missing");
  }

  // `values` must have room for `count` numbers.
  template <class T>
  void copy(const std::string& path, const Hdf5Array& array, T* values, std::size_t count) const {
    if (array.type != hdf5_type<T>()) fail(path, "has numbers of the wrong type");
    if (array.count() != count) fail(path, "has the wrong length");
    array.copy_to(values);
  }

  template <class T>
  void array(const std::string& path, std::vector<T>& data, const Shape& shape) {
    know(path);
    const Hdf5Array found = file_.array(path);
    const Shape expected = resolve(found.count(), shape);
    if (!std::equal(found.extents.begin(), found.extents.end(), expected.begin(), expected.end(),
                    [](std::uint64_t a, int b) { return b >= 0 && a == static_cast<std::uint64_t>(b); }))
      fail(path, "has the wrong shape");
    if (found.type != hdf5_type<T>()) fail(path, "has numbers of the wrong type");
    data.resize(found.count());
    copy(path, found, data.data(), data.size());
  }

  void expect_unit(const std::string& path, const Attributes& attributes, std::string_view unit) const {
    if (std::none_of(attributes.begin(), attributes.end(), [](const auto& a) { return a.name == "unit"; }))
      fail(path, "has no unit");
    const std::string found = text(attributes, "unit");
    if (found != unit) fail(path, "is in the unit '" + found + "', not '" + std::string(unit) + "'");
  }

  std::string text(const Attributes& attributes, const std::string& key) const {
    const Hdf5Array& found = value(attributes, key);
    if (found.type != Hdf5Type::kText || !found.extents.empty()) fail(key, "is not a text");
    return found.text();
  }

  void numbers(const Attributes& attributes, const std::string& key, double* values,
               std::size_t count) const {
    copy(key, value(attributes, key), values, count);
  }

  std::map<std::string, std::string> texts(const std::string& path) {
    std::map<std::string, std::string> result;
    const Attributes entries = attributes(path);
    for (const Hdf5Attribute& a : entries) result[a.name] = text(entries, a.name);
    return result;
  }

  std::vector<std::string> lines(const std::string& path) {
    know(path);
    const Hdf5Array found = file_.array(path);
    if (found.type != Hdf5Type::kTexts) fail(path, "is not a list of texts");
    return file_.texts(found);
  }

  std::string name_;
  std::vector<std::byte> bytes_;
  Hdf5File file_;
  std::string asset_name_;
  std::set<std::string> known_;  // paths of what has been read
};

// Throws BadAsset unless the triangle across each edge has that edge in the opposite direction, and this
// triangle across it, so that walks over the surface stay on it.
void check_neighbours(const Surface& surface, const std::string& name) {
  const auto& corners = surface.triangles;
  for (std::size_t slot = 0; slot < corners.size(); ++slot) {
    const std::size_t t = slot / 3, k = slot % 3, across = static_cast<std::size_t>(surface.neighbours[slot]);
    const std::int32_t a = corners[slot], b = corners[3 * t + (k + 1) % 3];
    bool shared = false;
    for (std::size_t j = 0; j < 3; ++j)
      shared |= corners[3 * across + j] == b && corners[3 * across + (j + 1) % 3] == a &&
                static_cast<std::size_t>(surface.neighbours[3 * across + j]) == t;
    if (!shared)
      throw BadAsset(name + "/neighbours: triangles " + std::to_string(t) + " and " + std::to_string(across) +
                     " do not share edge " + std::to_string(k) + " of the first; make the asset again");
  }
}

}  // namespace

Asset load(const std::filesystem::path& file) {
  return within_memory(file, [&] {
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
    for (std::size_t i = 0; i < asset.surfaces.size(); ++i) {
      check_neighbours(asset.surfaces[i], file.string() + ": surface/" + std::to_string(i));
      add_search(asset.surfaces[i]);
    }
    for (DistanceGrid& grid : asset.grids) add_rows(grid);
    return asset;
  });
}

Provenance load_provenance(const std::filesystem::path& file) {
  return within_memory(file, [&] { return Reader(file).provenance(); });
}

}  // namespace abut::asset
