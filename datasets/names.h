#pragma once

#include <string>
#include <vector>

#include "datasets/dataset.h"

namespace abut::datasets {

// The name with everything that cannot be printed or stored replaced by '_' (control characters, bytes that
// are not UTF-8, U+FFFE and U+FFFF, which XML does not allow, and a leading '@'), shortened to kLongestName
// bytes with a hash of the whole name as its end.
std::string safe_name(const std::string& name);

// Gives every object a safe and unique name, adds a note to those that changed, and sorts by name.
void make_names_safe(std::vector<ObjectSource>& objects);

}  // namespace abut::datasets
