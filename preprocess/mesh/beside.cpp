#include "preprocess/mesh/beside.h"

#include <charconv>
#include <string_view>

namespace abut::preprocess {
namespace {
namespace fs = std::filesystem;

// Decodes %20 and other percent escapes, which glTF uses in names.
std::string percent_decoded(std::string_view uri) {
  std::string name;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned char byte = 0;
    const char* const digits = uri.data() + i + 1;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      name += static_cast<char>(byte);
      i += 2;
    } else {
      name += uri[i];
    }
  }
  return name;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path top = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  if (error) return false;
  const fs::path place = fs::canonical(path, error);
  if (error || !fs::is_regular_file(place, error)) return false;
  const fs::path relative = place.lexically_relative(top);
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

std::optional<fs::path> find_beside(const std::string& name, const fs::path& file) {
  const fs::path folder = file.parent_path();
  for (const std::string& spelt : {name, percent_decoded(name)})
    if (const fs::path path = folder / spelt; is_below(path, folder)) return path;
  return std::nullopt;
}

}  // namespace abut::preprocess
