#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/asset/hdf5_bytes.h"

namespace abut::asset {

// An attribute as it stands in the image.
struct DenseAttribute {
  std::span<const std::byte> message;
  std::uint64_t order = 0;  // of writing
};

// The attributes of an object that are too many for its header: messages in the fractal heap at `heap`, which
// the B-tree of version 2 at `tree` lists by their names. In no order. Internal to the parser.
std::vector<DenseAttribute> dense_attributes(Hdf5Bytes& bytes, std::uint64_t heap, std::uint64_t tree);

}  // namespace abut::asset
