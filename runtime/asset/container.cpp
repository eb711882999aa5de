#include "runtime/asset/container.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string_view>

#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/extension.h"
#include "runtime/core/input_file.h"
#include "runtime/core/output_file.h"

namespace abut::asset {
namespace {

using Header = std::array<char, kHeaderBytes>;

XXH128_hash_t hash_parts(const Header& header, std::span<const std::byte> body) {
  XXH3_state_t* state = XXH3_createState();
  XXH3_128bits_reset(state);
  XXH3_128bits_update(state, header.data(), header.size());
  XXH3_128bits_update(state, body.data(), body.size());
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return hash;
}

std::string hex(XXH128_hash_t hash) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

// The header's text is determined by its values, so reading compares it as a whole. The digest is that of the
// header with a digest of zeros, followed by the body.
Header make_header(const std::string& first_line, int schema, std::span<const std::byte> body) {
  Header header{};
  const auto print = [&](const char* digest_text) {
    std::snprintf(header.data(), header.size(),
                  "%sschema %d\nbytes %zu\nxxh3-128 %s\nThe rest, from byte 512 on, is an HDF5 file.\n",
                  first_line.c_str(), schema, body.size() + kHeaderBytes, digest_text);
  };
  print("00000000000000000000000000000000");
  print(hex(hash_parts(header, body)).c_str());
  return header;
}

std::string first_line(const ContainerKind& kind) { return "ABUT " + std::string(kind.name) + "\n"; }

ContainerKind asset_kind(int schema) { return {"asset", "make the asset again", schema}; }

// Judged by the ending of its name.
bool is_mesh(const std::string& file) {
  constexpr std::string_view kEndings[] = {".obj", ".ply", ".stl", ".dae", ".glb", ".gltf"};
  return std::find(std::begin(kEndings), std::end(kEndings), lower_extension(file)) != std::end(kEndings);
}

// Checks what the header says of itself and of the file's size, without the digest, and returns the schema.
// `bytes` are the first of a file of `size` bytes: a header, or all of a shorter file.
int check_header(const ContainerKind& kind, const std::string& name, std::span<const std::byte> bytes,
                 std::uint64_t size) {
  const std::string remedy = "; " + std::string(kind.remedy), first = first_line(kind);
  if (bytes.empty()) throw BadAsset(name + ": the file is empty" + remedy);
  const char* text = reinterpret_cast<const char*>(bytes.data());
  if (std::memcmp(text, first.data(), std::min(bytes.size(), first.size())) != 0)
    throw BadAsset(name + ": not an Abut " + std::string(kind.name) + " (its first line is not 'ABUT " +
                   std::string(kind.name) + "')" +
                   (is_mesh(name) ? "; of meshes, make assets with abut-preprocess" : ""));
  if (size <= kHeaderBytes || bytes.size() < kHeaderBytes)
    throw BadAsset(name + ": damaged: " + std::to_string(size) + " bytes, less than a header" + remedy);
  Header header;
  std::memcpy(header.data(), text, kHeaderBytes);
  header.back() = '\0';
  int schema = 0;
  std::uint64_t said = 0;
  if (std::sscanf(header.data() + first.size(), "schema %d\nbytes %" SCNu64 "\n", &schema, &said) != 2 ||
      schema < 1)
    throw BadAsset(name + ": damaged header" + remedy);
  if (said != size)
    throw BadAsset(name + ": damaged: " + counted(size, "byte") + " where the header says " +
                   std::to_string(said) + remedy);
  return schema;
}

}  // namespace

std::string digest(std::span<const std::byte> bytes) {
  return "xxh3-128:" + hex(XXH3_128bits(bytes.data(), bytes.size()));
}

std::vector<std::byte> pack_container(const ContainerKind& kind, std::span<const std::byte> body) {
  const Header header = make_header(first_line(kind), kind.newest_schema, body);
  std::vector<std::byte> bytes(kHeaderBytes + body.size());
  std::memcpy(bytes.data(), header.data(), kHeaderBytes);
  std::copy(body.begin(), body.end(), bytes.begin() + kHeaderBytes);
  return bytes;
}

void refuse_newer_schema(const std::string& file, double schema, int newest_schema) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", schema);
  throw BadAsset(file + ": made by a newer version of Abut: its schema is " + text +
                 ", this build reads up to " + std::to_string(newest_schema) +
                 "; update Abut, or make the file again");
}

void check_container(const ContainerKind& kind, const std::string& name, std::span<const std::byte> bytes) {
  const int schema =
      check_header(kind, name, bytes.first(std::min(bytes.size(), kHeaderBytes)), bytes.size());
  const Header expected = make_header(first_line(kind), schema, bytes.subspan(kHeaderBytes));
  if (std::memcmp(expected.data(), bytes.data(), kHeaderBytes) != 0)
    throw BadAsset(name + ": damaged: the contents do not match the digest in the header; " +
                   std::string(kind.remedy));
  if (schema > kind.newest_schema) refuse_newer_schema(name, schema, kind.newest_schema);
}

void write_container(const std::filesystem::path& file, int schema, std::span<const std::byte> body,
                     Replace replace) {
  std::error_code ignored;
  const std::filesystem::file_status there = std::filesystem::status(file, ignored);
  if (replace == Replace::kTarget && std::filesystem::exists(there) &&
      !std::filesystem::is_regular_file(there))
    throw IoError(file.string() +
                  ": cannot write: the name is taken by something that is not a regular file");
  OutputFile out(file, replace);
  const Header header = make_header(first_line(asset_kind(schema)), schema, body);
  out.write({header.data(), header.size()});
  out.write({reinterpret_cast<const char*>(body.data()), body.size()});
  out.finish();
}

std::vector<std::byte> read_container(const ContainerKind& kind, const std::filesystem::path& file) {
  return within_memory(file, [&] {
    InputFile in(file);
    std::vector<std::byte> bytes(kHeaderBytes);
    bytes.resize(in.read(bytes));
    check_header(kind, file.string(), bytes, in.size());
    bytes.resize(static_cast<std::size_t>(in.size()));
    bytes.resize(kHeaderBytes + in.read(std::span(bytes).subspan(kHeaderBytes)));
    check_container(kind, file.string(), bytes);
    return bytes;
  });
}

std::vector<std::byte> read_container(const std::filesystem::path& file, int newest_schema) {
  return read_container(asset_kind(newest_schema), file);
}

}  // namespace abut::asset
