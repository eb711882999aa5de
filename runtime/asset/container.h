#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/output_file.h"

// The envelope of the files that Abut writes: 512 bytes of readable header, then the body. The digest covers
// header and body, so that one flipped bit anywhere is found before anything is parsed.
namespace abut::asset {

inline constexpr std::size_t kHeaderBytes = 512;  // of the header, whatever the body

// What a file holds, and what to do about one that cannot be read.
struct ContainerKind {
  std::string_view name;    // "asset": the first line is "ABUT asset"
  std::string_view remedy;  // "make the asset again"
  int newest_schema;        // that this build reads and writes
};

// "xxh3-128:<32 hex digits>" of bytes.
std::string digest(std::span<const std::byte> bytes);

// Header and body as they are written.
std::vector<std::byte> pack_container(const ContainerKind& kind, std::span<const std::byte> body);

// Checks header and body, the bytes of a whole file that is `name` in messages, against the digest; the body
// starts at kHeaderBytes. Throws BadAsset; a newer schema is refused by name.
void check_container(const ContainerKind& kind, const std::string& name, std::span<const std::byte> bytes);

// An asset's header and body: `file` is the old one or the whole new one at any moment, whoever kills the
// process. Throws IoError (disk full, no permission) and leaves nothing behind.
void write_container(const std::filesystem::path& file, int schema, std::span<const std::byte> body,
                     Replace replace = Replace::kTarget);

// The whole file of an asset, checked. Throws IoError or BadAsset; a schema above `newest_schema` is refused
// by name.
std::vector<std::byte> read_container(const std::filesystem::path& file, int newest_schema);

// Throws the BadAsset of a file whose schema is above `newest_schema`.
[[noreturn]] void refuse_newer_schema(const std::string& file, double schema, int newest_schema);

}  // namespace abut::asset
