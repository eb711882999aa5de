#include "runtime/asset/hdf5_image.h"

namespace abut::asset {
namespace {

const std::string kFailed = "HDF5: cannot lay out the file";
constexpr std::size_t kGrowBytes = std::size_t{1} << 20;

std::mutex& library_lock() {
  static std::mutex lock;
  return lock;
}

// Access properties of a file that exists only in memory.
Handle memory_access() {
  Handle access(checked(H5Pcreate(H5P_FILE_ACCESS), "HDF5: no memory"), H5Pclose);
  checked(H5Pset_fapl_core(access, kGrowBytes, false), "HDF5: no memory");
  // Uses for each part the oldest layout that can hold it, which is what hdf5_parser.h reads.
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST), "HDF5: no memory");
  return access;
}

Handle make_text_type(std::size_t size) {
  Handle type(checked(H5Tcopy(H5T_C_S1), kFailed), H5Tclose);
  checked(H5Tset_size(type, size), kFailed);
  checked(H5Tset_cset(type, H5T_CSET_UTF8), kFailed);
  return type;
}

}  // namespace

Session::Session() : lock_(library_lock()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() { H5Eset_auto2(H5E_DEFAULT, print_, print_data_); }

void write_text(hid_t object, const std::string& name, const std::string& text) {
  const Handle type = make_text_type(text.size() + 1);
  const Handle space(checked(H5Screate(H5S_SCALAR), kFailed), H5Sclose);
  const Handle attribute(
      checked(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), kFailed), H5Aclose);
  checked(H5Awrite(attribute, type, text.c_str()), kFailed);
}

Handle make_array(hid_t parent, const std::string& path, hid_t type, const std::vector<hsize_t>& extents) {
  const Handle space(
      checked(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), kFailed),
      H5Sclose);
  const Handle links(checked(H5Pcreate(H5P_LINK_CREATE), kFailed), H5Pclose);
  checked(H5Pset_create_intermediate_group(links, 1), kFailed);
  const Handle create(checked(H5Pcreate(H5P_DATASET_CREATE), kFailed), H5Pclose);
  checked(H5Pset_obj_track_times(create, false), kFailed);
  return {checked(H5Dcreate2(parent, path.c_str(), type, space, links, create, H5P_DEFAULT), kFailed),
          H5Dclose};
}

void write_texts(hid_t parent, const std::string& path, const std::vector<std::string>& texts) {
  const Handle type = make_text_type(H5T_VARIABLE);
  const Handle set = make_array(parent, path, type, {texts.size()});
  std::vector<const char*> lines;
  lines.reserve(texts.size());
  for (const std::string& text : texts) lines.push_back(text.c_str());
  if (!lines.empty()) checked(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, lines.data()), kFailed);
}

Handle create_image() {
  const Handle access = memory_access();
  return {
      checked(H5Fcreate("abut-asset", H5F_ACC_TRUNC, H5P_DEFAULT, access), "HDF5: cannot create an image"),
      H5Fclose};
}

std::vector<std::byte> image_bytes(hid_t file) {
  checked(H5Fflush(file, H5F_SCOPE_GLOBAL), kFailed);
  const ssize_t size = checked(H5Fget_file_image(file, nullptr, 0), kFailed);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  checked(H5Fget_file_image(file, bytes.data(), bytes.size()), kFailed);
  return bytes;
}

}  // namespace abut::asset
