#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace abut {

// Bytes as base64 text (RFC 4648), for pages that carry their data.
std::string base64(std::span<const std::byte> bytes);

}  // namespace abut
