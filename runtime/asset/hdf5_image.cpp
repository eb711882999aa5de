#include "runtime/asset/hdf5_image.h"

namespace abut::asset {
namespace {

constexpr std::size_t kGrowBytes = std::size_t{1} << 20;

std::mutex& library_lock() {
  static std::mutex lock;
  return lock;
}

// Access to a file that lives in memory alone.
Handle memory_access() {
  Handle access(checked(H5Pcreate(H5P_FILE_ACCESS), "HDF5: no memory"), H5Pclose);
  checked(H5Pset_fapl_core(access, kGrowBytes, false), "HDF5: no memory");
  // The oldest layout that can hold a part, which is what hdf5_parser.h reads.
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST), "HDF5: no memory");
  return access;
}

}  // namespace

Session::Session() : lock_(library_lock()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() { H5Eset_auto2(H5E_DEFAULT, print_, print_data_); }

Handle create_image() {
  const Handle access = memory_access();
  return {
      checked(H5Fcreate("abut-asset", H5F_ACC_TRUNC, H5P_DEFAULT, access), "HDF5: cannot create an image"),
      H5Fclose};
}

Handle open_image(std::span<const std::byte> image, const std::string& file) {
  const Handle access = memory_access();
  // HDF5 copies the image and never writes to it; its interface predates const.
  checked(H5Pset_file_image(access, const_cast<std::byte*>(image.data()), image.size()), "HDF5: no memory");
  return {checked(H5Fopen("abut-asset", H5F_ACC_RDONLY, access), file + ": the body is not an HDF5 file"),
          H5Fclose};
}

std::vector<std::byte> image_bytes(hid_t file) {
  checked(H5Fflush(file, H5F_SCOPE_GLOBAL), "HDF5: cannot lay out the asset");
  const ssize_t size = checked(H5Fget_file_image(file, nullptr, 0), "HDF5: cannot lay out the asset");
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  checked(H5Fget_file_image(file, bytes.data(), bytes.size()), "HDF5: cannot lay out the asset");
  return bytes;
}

}  // namespace abut::asset
