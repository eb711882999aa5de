#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/asset/hdf5_bytes.h"

namespace abut::asset {

// An attribute as a range of the image.
struct DenseAttribute {
  std::span<const std::byte> message;
  std::uint64_t order = 0;  // of writing
};

// Returns the attributes of an object that are too many for its header: messages in the fractal heap at
// `heap`, listed by name in the version 2 B-tree at `tree`. In no particular order. Internal to the parser.
std::vector<DenseAttribute> dense_attributes(Hdf5Bytes& bytes, std::uint64_t heap, std::uint64_t tree);

}  // namespace abut::asset
