#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace abut::datasets {

// SHA-256 of the bytes added, by OpenSSL.
class Sha256 {
 public:
  Sha256();
  void add(std::span<const std::byte> bytes);
  std::string finish();  // in lower-case hexadecimal

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

// SHA-256 of a whole file. Throws IoError.
std::string sha256_of(const std::filesystem::path& file);

}  // namespace abut::datasets
