#include "datasets/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace abut::datasets {
namespace {

// Length in bytes of the UTF-8 character at `i`; 0 if there is none (RFC 3629, which excludes overlong forms
// and surrogates).
std::size_t utf8_length(const std::string& text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
  const auto continues = [&](std::size_t k) { return (byte(k) & 0xC0U) == 0x80U; };
  const unsigned first = byte(i), second = byte(i + 1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return continues(i + 1) ? 2 : 0;
  if ((first & 0xF0U) == 0xE0U) {
    const bool bad = (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0);
    return !bad && continues(i + 1) && continues(i + 2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool bad = (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
    return !bad && continues(i + 1) && continues(i + 2) && continues(i + 3) ? 4 : 0;
  }
  return 0;
}

// FNV-1a: the same on every machine and in every version, so that shortened names never change.
std::uint64_t hash(const std::string& text) {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return value;
}

std::string replace_unprintable(const std::string& name) {
  std::string safe;
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t length = utf8_length(name, i);
    const auto c = static_cast<unsigned char>(name[i]);
    const bool c1 = c == 0xC2 && length == 2 && static_cast<unsigned char>(name[i + 1]) < 0xA0;
    const bool control = (length == 1 && (c < 0x20 || c == 0x7F)) || c1;
    const bool no_xml = name.compare(i, 3, "\xEF\xBF\xBE") == 0 || name.compare(i, 3, "\xEF\xBF\xBF") == 0;
    if (length == 0 || control || no_xml)
      safe += '_';
    else
      safe.append(name, i, length);
    i += std::max<std::size_t>(length, 1);
  }
  return safe;
}

std::string shorten(const std::string& name) {
  if (name.size() <= kLongestName) return name;
  const std::string end = fmt::format("_{:016x}", hash(name));
  std::size_t cut = kLongestName - end.size();
  while (cut > 0 && (static_cast<unsigned char>(name[cut]) & 0xC0U) == 0x80U)
    --cut;  // not within a character
  return name.substr(0, cut) + end;
}

// The extension of a mesh file without its dot, to distinguish a.obj from a.ply.
std::string extension_of(const ObjectSource& object) {
  const std::string extension = object.file.extension().string();
  return extension.empty() ? extension : extension.substr(1);
}

}  // namespace

std::string safe_name(const std::string& name) {
  std::string printable = replace_unprintable(name);
  if (printable.starts_with('@')) printable[0] = '_';  // would denote a primitive where bodies are named
  return shorten(printable.empty() ? "_" : printable);
}

void make_names_safe(std::vector<ObjectSource>& objects) {
  std::map<std::string, int> uses;
  std::vector<std::string> names;
  for (const ObjectSource& object : objects) ++uses[names.emplace_back(safe_name(object.name))];
  std::set<std::string> taken;
  for (const auto& [name, count] : uses)
    if (count == 1) taken.insert(name);  // a unique name is never given to another object
  for (std::size_t i = 0; i < objects.size(); ++i) {
    ObjectSource& object = objects[i];
    std::string name = names[i];
    const bool contested = uses[name] > 1;
    if (contested) {
      const std::string base = safe_name(name + "_" + extension_of(object));
      name = base;
      for (int k = 2; !taken.insert(name).second; ++k) name = safe_name(fmt::format("{}_{}", base, k));
      object.notes.push_back(fmt::format("called '{}': '{}' would name several objects", name, names[i]));
    } else if (name != object.name) {
      object.notes.push_back(
          fmt::format("called '{}': the file's own name is too long or cannot be printed", name));
    }
    object.name = name;
  }
  std::sort(objects.begin(), objects.end(),
            [](const ObjectSource& a, const ObjectSource& b) { return a.name < b.name; });
}

}  // namespace abut::datasets
