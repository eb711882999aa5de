#include "datasets/download/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/core/input_file.h"

namespace abut::datasets {
namespace {

EVP_MD_CTX* md(void* context) { return static_cast<EVP_MD_CTX*>(context); }

void require(int ok) {
  if (ok != 1) throw IoError("SHA-256 is not offered by OpenSSL here");
}

}  // namespace

void Sha256::Free::operator()(void* context) const { EVP_MD_CTX_free(md(context)); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ ? EVP_DigestInit_ex(md(context_.get()), EVP_sha256(), nullptr) : 0);
}

void Sha256::add(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(md(context_.get()), bytes.data(), bytes.size()));
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  require(EVP_DigestFinal_ex(md(context_.get()), digest.data(), &size));
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256_of(const std::filesystem::path& path) {
  InputFile file(path);
  Sha256 digest;
  std::vector<std::byte> block(std::size_t{1} << 16);
  while (const std::size_t n = file.read(block)) digest.add(std::span(block).first(n));
  return digest.finish();
}

}  // namespace abut::datasets
