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
// header and body, so that a single flipped bit anywhere is detected before anything is parsed.
namespace abut::asset {

inline constexpr std::size_t kHeaderBytes = 512;  // of the header, for any body

// The kind of content of a file, and what to do about a file that cannot be read.
struct ContainerKind {
  std::string_view name;    // for example "asset": the first line is "ABUT asset"
  std::string_view remedy;  // for example "make the asset again"
  int newest_schema;        // newest version that this build reads, and the one it writes
};

// Returns "xxh3-128:<32 hex digits>" of the bytes.
std::string digest(std::span<const std::byte> bytes);

// Returns the bytes of a file: header and body.
std::vector<std::byte> pack_container(const ContainerKind& kind, std::span<const std::byte> body);

// Checks the bytes of a whole file, called `name` in messages, against the digest in its header; the body
// starts at kHeaderBytes. Throws BadAsset; a newer schema is refused by name.
void check_container(const ContainerKind& kind, const std::string& name, std::span<const std::byte> bytes);

// Writes an asset's header and body. At any moment, even if the process is killed, `file` is either the old
// file or the complete new one. Throws IoError (disk full, no permission) and leaves no partial file behind.
void write_container(const std::filesystem::path& file, int schema, std::span<const std::byte> body,
                     Replace replace = Replace::kTarget);

// Reads and checks a whole file; one whose header is not of its kind or says another size is refused before
// the rest of it is read. Throws IoError or BadAsset; a newer schema is refused by name.
std::vector<std::byte> read_container(const ContainerKind& kind, const std::filesystem::path& file);

// The same for an asset, whose schema may be up to `newest_schema`.
std::vector<std::byte> read_container(const std::filesystem::path& file, int newest_schema);

// Throws BadAsset with the message for a file whose schema is above `newest_schema`.
[[noreturn]] void refuse_newer_schema(const std::string& file, double schema, int newest_schema);

}  // namespace abut::asset
