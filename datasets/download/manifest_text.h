#pragma once

#include <span>

namespace abut::datasets {

// The texts of datasets/manifests/*.json, unchanged; generated.
extern const std::span<const char* const> kManifestTexts;

}  // namespace abut::datasets
