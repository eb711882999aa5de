#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/core/error.h"

// HDF5 in memory: assets and recordings are laid out in a file image that HDF5 itself never writes to disk,
// so that writing the file is one atomic step. Reading uses a parser of its own (hdf5_parser.h).
namespace abut::asset {

// Must be held while calling HDF5: it allows one caller at a time in the process (HDF5 need not be built
// thread-safe) and turns off HDF5's printing of its error stack, since every failure becomes an exception.
class Session {
 public:
  Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

 private:
  std::lock_guard<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

// Owns an HDF5 identifier of any kind.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = H5I_INVALID_HID; }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }  // NOLINT: converts to the identifier in calls

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// Returns `code`; throws BadAsset with `message` if it is an HDF5 failure (negative).
template <class Code>
Code checked(Code code, const std::string& message) {
  if (code < 0) throw BadAsset(message);
  return code;
}

// The type of an array's numbers in memory and in the file: little-endian on every machine.
inline hid_t native_type(double) { return H5T_NATIVE_DOUBLE; }
inline hid_t native_type(float) { return H5T_NATIVE_FLOAT; }
inline hid_t native_type(std::int32_t) { return H5T_NATIVE_INT32; }
inline hid_t native_type(std::int64_t) { return H5T_NATIVE_INT64; }
inline hid_t native_type(std::uint64_t) { return H5T_NATIVE_UINT64; }
inline hid_t file_type(double) { return H5T_IEEE_F64LE; }
inline hid_t file_type(float) { return H5T_IEEE_F32LE; }
inline hid_t file_type(std::int32_t) { return H5T_STD_I32LE; }
inline hid_t file_type(std::int64_t) { return H5T_STD_I64LE; }
inline hid_t file_type(std::uint64_t) { return H5T_STD_U64LE; }

// Functions that write; failures throw BadAsset. write_text: a UTF-8 attribute. make_array, write_texts,
// write_array: data sets without time stamps, in groups that are created as needed; the texts may have any
// length.
void write_text(hid_t object, const std::string& name, const std::string& text);
Handle make_array(hid_t parent, const std::string& path, hid_t type, const std::vector<hsize_t>& extents);
void write_texts(hid_t parent, const std::string& path, const std::vector<std::string>& texts);
template <class T>
Handle write_array(hid_t parent, const std::string& path, const std::vector<T>& data,
                   const std::vector<hsize_t>& extents) {
  Handle set = make_array(parent, path, file_type(T{}), extents);
  if (!data.empty())
    checked(H5Dwrite(set, native_type(T{}), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()),
            "HDF5: cannot lay out " + path);
  return set;
}

// Creates an empty file in memory.
Handle create_image();

// Returns the bytes of an image made by create_image.
std::vector<std::byte> image_bytes(hid_t file);

}  // namespace abut::asset
