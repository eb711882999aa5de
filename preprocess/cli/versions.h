#pragma once

#include <map>
#include <string>

namespace abut::preprocess {

// Versions of the tool ("abut", and "code": a digest of the sources that shape an asset) and of the libraries
// under it.
std::map<std::string, std::string> versions();

}  // namespace abut::preprocess
