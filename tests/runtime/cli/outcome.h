#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

// What a program that was run said and left.
namespace abut::test {

namespace fs = std::filesystem;

struct Outcome {
  int exit_code;
  std::string out, err;
};

inline std::string contents(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace abut::test
