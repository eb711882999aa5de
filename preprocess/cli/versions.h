#pragma once

#include <map>
#include <string>

namespace abut::preprocess {

// Versions of the tool ("abut", and "code": a digest of the sources that determine an asset) and of the
// libraries that it uses.
std::map<std::string, std::string> versions();

}  // namespace abut::preprocess
