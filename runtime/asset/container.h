#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

// The envelope of an asset file: 512 bytes of readable header, then the body. The digest covers header and
// body, so that one flipped bit anywhere is found before anything is parsed.
namespace abut::asset {

inline constexpr std::size_t kHeaderBytes = 512;

// "xxh3-128:<32 hex digits>" of bytes.
std::string digest(std::span<const std::byte> bytes);

// Writes header and body under a temporary name beside `file`, syncs, renames: `file` is the old one or the
// whole new one at any moment, whoever kills the process. Throws IoError (disk full, no permission) and
// leaves no temporary.
void write_container(const std::filesystem::path& file, int schema, std::span<const std::byte> body);

// Header and body checked against the digest: returns the whole file; the body starts at kHeaderBytes. Throws
// IoError or BadAsset; a schema above `newest_schema` is refused by name.
std::vector<std::byte> read_container(const std::filesystem::path& file, int newest_schema);

// Throws the BadAsset of a file whose schema is above `newest_schema`.
[[noreturn]] void refuse_newer_schema(const std::string& file, double schema, int newest_schema);

// Removes temporaries that killed writers left in `folder`; those of running writers stay, and all stay where
// the file system has no locks.
void remove_stale_temporaries(const std::filesystem::path& folder);

}  // namespace abut::asset
