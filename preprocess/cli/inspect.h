#pragma once

#include <filesystem>
#include <string>

namespace abut::preprocess {

// What is in an asset, as text for a person: parts with their counts, size, mass properties, where it comes
// from, what was mended, measures, seconds. Throws what asset::load throws.
std::string inspect(const std::filesystem::path& file);

}  // namespace abut::preprocess
