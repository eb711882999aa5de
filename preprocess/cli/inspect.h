#pragma once

#include <filesystem>
#include <string>

namespace abut::preprocess {

// Describes the contents of an asset as text for people: parts with their counts, size, mass properties,
// origin, repairs, measures, seconds. Throws what asset::load throws.
std::string inspect(const std::filesystem::path& file);

}  // namespace abut::preprocess
