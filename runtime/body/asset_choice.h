#pragma once

#include <string>

#include "runtime/body/geometry.h"

namespace abut::body {

// An asset as commands and scene files name it: the name of its file, followed by the convex piece and the
// levels that represent it if they are not the default, as in "mug:volume=1" or "mug:convex=3:points=1".
struct AssetChoice {
  std::string file;
  Detail detail;
};

// Parses such a name. Throws InvalidInput for a part that is unknown or given twice and for an index that is
// not a whole number from 0 to 999,999,999. Words after a colon without "=" belong to the name of the file.
AssetChoice parse_asset_choice(const std::string& text);

}  // namespace abut::body
