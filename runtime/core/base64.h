#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace abut {

// Encodes bytes as base64 text (RFC 4648), for web pages that embed their data.
std::string base64(std::span<const std::byte> bytes);

}  // namespace abut
