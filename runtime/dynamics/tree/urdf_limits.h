#pragma once

#include <filesystem>
#include <string_view>

namespace abut::dynamics::detail {

// Rejects URDF texts that urdfdom or its parser, TinyXML, cannot handle safely. They recurse on the stack for
// each nested element and for each link that hangs on another. Throws InvalidInput, naming the line, for
// elements nested more than 200 deep or more than 5,000 links, beyond any robot's; for an element with more
// than 16 KiB of attributes, because TinyXML compares each with all others; for a second robot, or a second
// element of a link or joint that has one alone, which urdfdom silently ignores; for an XML declaration that
// is not of the plain form; for elements of xacro; and for MJCF. Parses tags as TinyXML does, including the
// quotes of attributes.
void require_one_modest_robot(const std::filesystem::path& file, std::string_view text);

}  // namespace abut::dynamics::detail
