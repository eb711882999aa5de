#pragma once

#include <filesystem>
#include <string_view>

namespace abut::dynamics::detail {

// For each element within another, and each link that hangs on another, urdfdom and its parser (TinyXML) take
// a part of the stack. Throws InvalidInput, naming the line, for elements more than 200 deep in one another
// or more than 5,000 links: beyond any robot's; for attributes of more than 16 KiB, of which TinyXML compares
// each with all others; for a second robot, which urdfdom leaves out without a word; for elements of xacro.
// Reads tags as TinyXML does, to the quotes of attributes.
void require_one_modest_robot(const std::filesystem::path& file, std::string_view text);

}  // namespace abut::dynamics::detail
