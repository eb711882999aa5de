#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

// Puts the fuzzer's bytes into a file of this process, in memory where there is such a file system.
inline std::filesystem::path scratch_file(const std::uint8_t* data, std::size_t size,
                                          const std::string& extension) {
  const std::filesystem::path folder =
      std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
  const std::filesystem::path path = folder / ("abut_fuzz_" + std::to_string(::getpid()) + extension);
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return path;
}
