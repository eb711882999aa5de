#pragma once

#include <string>

namespace abut::cli {

// "0.1.0 (code 7e5e2f0d9bd8f431)": the version and a digest of the runtime's sources.
std::string version();

}  // namespace abut::cli
