#include "preprocess/cli/selection.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "runtime/core/counted.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

bool matches(const datasets::ObjectSource& object, const std::string& glob) {
  return ::fnmatch(glob.c_str(), object.name.c_str(), 0) == 0;
}

}  // namespace

Selection select(const datasets::Dataset& dataset, const std::vector<std::string>& only, const Shard& shard) {
  std::set<std::string_view> all, names;
  for (const datasets::ObjectSource& object : dataset.objects) all.insert(object.name);
  std::vector<std::string> globs;
  for (const std::string& word : only) {
    if (all.contains(word))
      names.insert(word);
    else
      globs.push_back(word);
  }
  for (const std::string& glob : globs)
    if (std::none_of(dataset.objects.begin(), dataset.objects.end(),
                     [&](const datasets::ObjectSource& object) { return matches(object, glob); }))
      throw InvalidInput(fmt::format("{}: it has {}, none of which matches '{}'{}; the first is called {}",
                                     dataset.root.string(), counted(dataset.objects.size(), "object"), glob,
                                     glob.find(',') == glob.npos ? "" : " (give --only again for another)",
                                     dataset.objects.empty() ? "nothing" : dataset.objects.front().name));
  Selection selection;
  for (datasets::ObjectSource& object : select(dataset.objects, shard)) {
    const bool is_selected = only.empty() || names.contains(object.name) ||
                             std::any_of(globs.begin(), globs.end(),
                                         [&](const std::string& glob) { return matches(object, glob); });
    (is_selected ? selection.objects : selection.others).push_back(std::move(object));
  }
  return selection;
}

}  // namespace abut::preprocess
