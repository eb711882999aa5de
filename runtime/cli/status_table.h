#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/status.h"

namespace abut::cli {

// Every status that a row of answers may have, in the order of core/status.h.
std::vector<Status> all_statuses();

// The meaning of a status to the reader of a row, in one line.
std::string_view meaning(Status status);

// The text of the table for --help.
std::string describe_statuses();

}  // namespace abut::cli
