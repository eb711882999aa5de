#include "runtime/dynamics/tree/urdf_limits.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <string>
#include <vector>

#include "runtime/core/error.h"

namespace abut::dynamics::detail {
namespace {

constexpr std::size_t kMaxDepth = 200;
constexpr int kMaxLinks = 5000;
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

// The elements around a place in a URDF, from the outermost one.
class Nesting {
 public:
  std::size_t depth() const { return open_.size(); }
  std::string innermost() const { return open_.empty() ? "" : std::string(open_.back().name); }

  // Enters an element. Returns whether it is a second one in a link or joint of what urdfdom takes the first
  // of: of these names, or any shape of a geometry.
  bool enter(std::string_view name) {
    static constexpr std::string_view kOnce[] = {"inertial", "origin",   "mass",  "inertia",
                                                 "geometry", "parent",   "child", "axis",
                                                 "limit",    "dynamics", "mimic"};
    bool second = false;
    if (of_part() && open_.size() <= kInnermost) {
      const bool shape = open_.back().name == "geometry";
      if (shape || std::find(std::begin(kOnce), std::end(kOnce), name) != std::end(kOnce)) {
        std::vector<std::string_view>& met = open_.back().met;
        second = std::find(met.begin(), met.end(), shape ? "" : name) != met.end();
        met.push_back(shape ? "" : name);
      }
    }
    open_.push_back({name, {}});
    return second;
  }
  void leave() {
    if (!open_.empty()) open_.pop_back();
  }

 private:
  static constexpr std::size_t kInnermost = 4;  // robot, link, collision, geometry
  struct Element {
    std::string_view name;
    std::vector<std::string_view> met;  // within it
  };

  bool of_part() const {
    return open_.size() >= 2 && open_[0].name == "robot" &&
           (open_[1].name == "link" || open_[1].name == "joint");
  }

  std::vector<Element> open_;
};

// The name of the element whose tag this is.
std::string_view name_of(std::string_view tag) {
  const auto ends = [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '>';
  };
  return {tag.begin() + 1, std::find_if(tag.begin() + 1, tag.end(), ends)};
}

}  // namespace

void require_one_modest_robot(const std::filesystem::path& file, std::string_view text) {
  Nesting nesting;
  int links = 0, robots = 0;
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
      const std::string_view name = name_of(tag);
      if (nesting.depth() == 0 && robots == 0 && name == "mujoco")
        refuse("is MJCF, which is not read; a URDF is needed");
      if (nesting.depth() == 0 && name == "robot" && ++robots > 1)
        refuse("a second <robot>; a file has one: put the other into a file of its own");
      const std::size_t end = past_tag(text, at);
      if (end - at > kLongestTag)
        refuse("an element's attributes take more than " + std::to_string(kLongestTag) + " bytes");
      const std::string_view element = text.substr(at, end - at);
      if (element.starts_with("<xacro:") || element.find("${") != std::string_view::npos)
        refuse("is xacro, of which a URDF is made first: `xacro FILE > robot.urdf` (ROS)");
      at = end;
      if (name == "link" && ++links > kMaxLinks) refuse("more links than " + std::to_string(kMaxLinks));
      const std::string around = nesting.innermost();
      if (nesting.enter(name))
        refuse(std::string("a second ") + (around == "geometry" ? "shape, <" : "<") + std::string(name) +
               "> in one <" + around + ">: one of the two would be ignored");
      if (text[at - 1] == '>' && text[at - 2] == '/') nesting.leave();
      if (nesting.depth() > kMaxDepth)
        refuse("elements lie deeper in one another than " + std::to_string(kMaxDepth));
    } else {
      if (is_declaration(tag) && !is_plain_declaration(tag))
        refuse("a declaration that is not of the form <?xml version=\"1.0\"?>");
      at = past(text, ">", at);
      if (tag.starts_with("</")) nesting.leave();
    }
  }
}

}  // namespace abut::dynamics::detail
