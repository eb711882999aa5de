#include <png.h>

#include <string>

#include "preprocess/draw/canvas.h"
#include "preprocess/mesh/write.h"
#include "runtime/core/error.h"

namespace abut::preprocess {

std::string png_bytes(const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  const auto encode = [&](void* to) {
    return png_image_write_to_memory(&header, to, &size, 0, image.rgb.data(), 0, nullptr) != 0;
  };
  std::string bytes;
  bool encoded = encode(nullptr);  // gets the size
  if (encoded) {
    bytes.resize(size);
    encoded = encode(bytes.data());
  }
  const std::string reason = header.message;
  png_image_free(&header);
  if (!encoded) throw IoError("cannot encode the picture: " + reason);
  bytes.resize(size);
  return bytes;
}

void write_png(const Image& image, const std::filesystem::path& file) { write_whole(file, png_bytes(image)); }

}  // namespace abut::preprocess
