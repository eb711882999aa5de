#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace abut::cli {

// Throws InvalidInput where the name of an option's output ends like a file of another format, that is, in
// none of `known`, such as ".csv". Upper and lower case are the same; names without an ending, which streams
// have, are taken.
void require_ending(const std::string& option, const std::string& output,
                    std::initializer_list<std::string_view> known);

}  // namespace abut::cli
