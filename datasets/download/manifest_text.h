#pragma once

#include <span>

namespace abut::datasets {

// datasets/manifests/*.json as they are: generated.
extern const std::span<const char* const> kManifestTexts;

}  // namespace abut::datasets
