#pragma once

#include <string_view>

namespace abut::contact {

// Whether a model's setting of this name is the slip at which friction is 0.7 of its value; without friction
// it has no effect.
inline bool is_slip_setting(std::string_view name) { return name == "stiction_speed" || name == "stiction"; }

}  // namespace abut::contact
