#pragma once

#include <string_view>

namespace abut::contact {

// Returns true for the name of a model's setting that is the slip at which friction reaches 0.7 of its full
// value; without friction that setting has no effect.
inline bool is_slip_setting(std::string_view name) { return name == "stiction_speed" || name == "stiction"; }

}  // namespace abut::contact
