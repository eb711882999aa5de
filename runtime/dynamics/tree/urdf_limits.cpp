#include "runtime/dynamics/tree/urdf_limits.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <string>

#include "runtime/core/error.h"

namespace abut::dynamics::detail {
namespace {

constexpr int kMaxDepth = 200, kMaxLinks = 5000;
constexpr std::size_t kLongestTag = 1 << 14;  // bytes

// Returns one past the first `end` in the text at or after `at`, or the text's size where there is none.
std::size_t past(std::string_view text, std::string_view end, std::size_t at) {
  const std::size_t found = text.find(end, at);
  return found == std::string_view::npos ? text.size() : found + end.size();
}

// Returns one past the '>' that ends an element's tag; a '>' within quotes is part of an attribute.
std::size_t past_tag(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '>') {
    const char c = text[at++];
    if (c == '"' || c == '\'') at = past(text, {&c, 1}, at);
  }
  return std::min(at + 1, text.size());
}

bool is_declaration(std::string_view tag) {
  constexpr std::string_view kStart = "<?xml";
  return tag.size() >= kStart.size() &&
         std::equal(kStart.begin(), kStart.end(), tag.begin(),
                    [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

// Whether a declaration ends at its first '>' for every parser: TinyXML reads on where that is within quotes.
bool is_plain_declaration(std::string_view tag) {
  constexpr std::size_t kLongest = 200;
  static const std::regex kForm(
      R"(<\?xml(\s+(version|encoding|standalone)\s*=\s*("[\w.:-]*"|'[\w.:-]*'))*\s*\?)");
  const std::string_view inside = tag.substr(0, tag.find('>'));
  return inside.size() <= kLongest && std::regex_match(inside.begin(), inside.end(), kForm);
}

bool names_element(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalpha(byte) != 0 || c == '_' || byte >= 127;
}

bool begins(std::string_view tag, std::string_view element) {
  const std::size_t end = element.size() + 1;
  return tag.substr(1).starts_with(element) &&
         (tag.size() == end || std::isspace(static_cast<unsigned char>(tag[end])) != 0 || tag[end] == '/' ||
          tag[end] == '>');
}

}  // namespace

void require_one_modest_robot(const std::filesystem::path& file, std::string_view text) {
  int depth = 0, links = 0, robots = 0;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    const std::string_view tag = text.substr(at);
    const auto refuse = [&](const std::string& what) {
      const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
      throw InvalidInput(file.string() + ": line " + std::to_string(1 + std::count(text.begin(), end, '\n')) +
                         ": " + what);
    };
    if (tag.starts_with("<!--")) {
      at = past(text, "-->", at + 4);
    } else if (tag.starts_with("<![CDATA[")) {
      at = past(text, "]]>", at + 9);
    } else if (tag.size() > 1 && names_element(tag[1])) {
      if (depth == 0 && robots == 0 && begins(tag, "mujoco"))
        refuse("is MJCF, which is not read; a URDF is needed");
      if (depth == 0 && begins(tag, "robot") && ++robots > 1)
        refuse("a second <robot>; a file has one: put the other into a file of its own");
      const std::size_t end = past_tag(text, at);
      if (end - at > kLongestTag)
        refuse("an element's attributes take more than " + std::to_string(kLongestTag) + " bytes");
      const std::string_view element = text.substr(at, end - at);
      if (element.starts_with("<xacro:") || element.find("${") != std::string_view::npos)
        refuse("is xacro, of which a URDF is made first: `xacro FILE > robot.urdf` (ROS)");
      at = end;
      if (begins(tag, "link") && ++links > kMaxLinks) refuse("more links than " + std::to_string(kMaxLinks));
      if (text[at - 1] == '>' && text[at - 2] == '/') continue;
      if (++depth > kMaxDepth) refuse("elements lie deeper in one another than " + std::to_string(kMaxDepth));
    } else {
      if (is_declaration(tag) && !is_plain_declaration(tag))
        refuse("a declaration that is not of the form <?xml version=\"1.0\"?>");
      at = past(text, ">", at);
      if (tag.starts_with("</") && depth > 0) --depth;
    }
  }
}

}  // namespace abut::dynamics::detail
