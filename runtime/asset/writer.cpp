#include "runtime/asset/writer.h"

#include "runtime/asset/container.h"
#include "runtime/asset/hdf5_image.h"
#include "runtime/asset/schema.h"

namespace abut::asset {
namespace {

const std::string kFailed = "HDF5: cannot lay out the asset";

void write_numbers(hid_t object, const std::string& name, const double* values, hsize_t count) {
  const Handle space(
      checked(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), kFailed), H5Sclose);
  const Handle attribute(
      checked(H5Acreate2(object, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT), kFailed),
      H5Aclose);
  checked(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values), kFailed);
}

// Creates a group whose attributes keep the order of writing.
Handle make_group(hid_t parent, const std::string& name) {
  const Handle create(checked(H5Pcreate(H5P_GROUP_CREATE), kFailed), H5Pclose);
  checked(H5Pset_attr_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), kFailed);
  checked(H5Pset_obj_track_times(create, false), kFailed);
  return {checked(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, create, H5P_DEFAULT), kFailed), H5Gclose};
}

// Writes the arrays of one part into `group`.
class ArrayWriter {
 public:
  explicit ArrayWriter(hid_t group) : group_(group) {}

  template <class T>
  void operator()(const char* name, const std::vector<T>& data, const Shape& shape, const char* unit,
                  const char* description) const {
    const Shape extents = resolve(data.size(), shape);
    const Handle set = write_array(group_, name, data, {extents.begin(), extents.end()});
    write_text(set, "unit", unit);
    write_text(set, "description", description);
  }

 private:
  hid_t group_;
};

void write_map(hid_t parent, const char* name, const std::map<std::string, std::string>& entries) {
  constexpr std::size_t kLongest = 3900;  // bytes: HDF5 stores larger entries where the reader does not look
  const Handle group = make_group(parent, name);
  for (const auto& [key, value] : entries) {
    if (key.size() + value.size() > kLongest)
      throw InvalidInput("provenance/" + std::string(name) + ": '" + key.substr(0, 40) +
                         "' and its value are longer than " + std::to_string(kLongest) + " bytes");
    write_text(group, key, value);
  }
}

void write_provenance(hid_t file, const Provenance& provenance) {
  const Handle group = make_group(file, "provenance");
  write_text(group, "source_file", provenance.source_file);
  write_text(group, "source_digest", provenance.source_digest);
  write_map(group, "parameters", provenance.parameters);
  write_map(group, "versions", provenance.versions);
  write_texts(group, "warnings", provenance.warnings);
  const Handle seconds = make_group(group, "stage_seconds");
  for (const auto& [stage, value] : provenance.stage_seconds) write_numbers(seconds, stage, &value, 1);
  const Handle measures = make_group(group, "measures");
  for (const auto& [key, value] : provenance.measures) write_numbers(measures, key, &value, 1);
}

void write_mass(hid_t file, const MassProperties& mass) {
  const Handle group = make_group(file, "mass");
  write_numbers(group, "volume", &mass.volume, 1);
  write_numbers(group, "area", &mass.area, 1);
  write_numbers(group, "center_of_mass", mass.center_of_mass, 3);
  write_numbers(group, "inertia", mass.inertia, 9);
  write_text(group, "unit", kMassUnit);
}

std::vector<std::byte> lay_out(const Asset& asset) {
  const Session session;
  const Handle file = create_image();
  write_text(file, "name", asset.name);
  const double schema = kSchemaVersion;
  write_numbers(file, "schema", &schema, 1);
  visit_parts(asset, [&](const char* name, const auto& parts, Presence presence, auto&& visit_arrays) {
    if (parts.empty() && presence == Presence::kOptional) return;
    const Handle group = make_group(file, name);
    for (std::size_t i = 0; i < parts.size(); ++i)
      visit_arrays(parts[i], ArrayWriter(make_group(group, std::to_string(i))));
  });
  write_mass(file, asset.mass);
  write_provenance(file, asset.provenance);
  return image_bytes(file);
}

}  // namespace

void save(const Asset& asset, const std::filesystem::path& file, Replace replace) {
  check(asset, file.string());
  write_container(file, kSchemaVersion, lay_out(asset), replace);
}

}  // namespace abut::asset
