#include <png.h>

#include <cerrno>
#include <cstring>

#include "preprocess/draw/canvas.h"
#include "runtime/core/error.h"

namespace abut::preprocess {

void write_png(const Image& image, const std::filesystem::path& file) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  errno = 0;
  if (png_image_write_to_file(&header, file.c_str(), 0, image.rgb.data(), 0, nullptr) == 0) {
    const std::string reason = errno != 0 ? std::strerror(errno) : header.message;
    png_image_free(&header);
    throw IoError(file.string() + ": cannot write the picture: " + reason);
  }
}

}  // namespace abut::preprocess
