#include "runtime/body/asset_choice.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "runtime/core/error.h"

namespace abut::body {

namespace {

struct Part {
  std::string_view name;
  int Detail::*index;
};

constexpr Part kParts[] = {{"convex", &Detail::convex},
                           {"surface", &Detail::surface},
                           {"volume", &Detail::volume},
                           {"points", &Detail::points}};

// Reads "part=index" of the name `text`; `given` marks the parts that it has had.
void read(const std::string& text, std::string_view words, Detail& detail, bool (&given)[std::size(kParts)]) {
  const std::size_t equals = words.find('=');
  const std::string_view name = words.substr(0, equals), number = words.substr(equals + 1);
  const auto fail = [&](const std::string& what) { throw InvalidInput("asset '" + text + "': " + what); };
  const auto* const part =
      std::find_if(std::begin(kParts), std::end(kParts), [&](const Part& p) { return p.name == name; });
  if (part == std::end(kParts))
    fail("no part '" + std::string(name) + "'; there are convex (a piece), surface, volume, points (levels)");
  bool& again = given[part - kParts];
  if (again) fail(std::string(name) + " is given twice");
  again = true;
  constexpr std::size_t kMostDigits = 9;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (number.empty() || number.size() > kMostDigits || !std::all_of(number.begin(), number.end(), is_digit))
    fail(std::string(name) + "=" + std::string(number) + ": not a whole number from 0 to 999999999");
  std::from_chars(number.data(), number.data() + number.size(), detail.*(part->index));
}

}  // namespace

AssetChoice parse_asset_choice(const std::string& text) {
  AssetChoice result;
  bool given[std::size(kParts)] = {};
  std::string_view rest = text;
  for (std::size_t colon = rest.rfind(':'); colon != std::string_view::npos; colon = rest.rfind(':')) {
    const std::string_view words = rest.substr(colon + 1);
    if (words.find('=') == std::string_view::npos) break;
    read(text, words, result.detail, given);
    rest = rest.substr(0, colon);
  }
  result.file = rest;
  return result;
}

}  // namespace abut::body
