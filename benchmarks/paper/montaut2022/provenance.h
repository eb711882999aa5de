#pragma once

#include <cstdint>
#include <fstream>
#include <ostream>
#include <string>

#include "runtime/core/parallel.h"

namespace abut::benchmarks {

inline std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

// First lines of a CSV file: where its figures come from.
inline void write_provenance(std::ostream& out, const char* program, std::uint64_t seed, int threads) {
  out << "# " << program << ", commit " << ABUT_COMMIT << ", " << cpu_name() << ", GCC-compatible "
      << __VERSION__ << ", flags " << ABUT_FLAGS << ", threads "
      << (threads > 0 ? threads : default_threads()) << ", seed " << seed << "\n";
}

}  // namespace abut::benchmarks
