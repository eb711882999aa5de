#include "runtime/cli/output_ending.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/core/error.h"
#include "runtime/core/extension.h"

namespace abut::cli {

void require_ending(const std::string& option, const std::string& output,
                    std::initializer_list<std::string_view> known) {
  const std::string ending = lower_extension(output);
  if (ending.empty() || std::find(known.begin(), known.end(), ending) != known.end()) return;
  throw InvalidInput(fmt::format("{} {}: '{}' is no ending of what it writes; there {}: {}", option, output,
                                 ending, known.size() == 1 ? "is" : "are", fmt::join(known, ", ")));
}

}  // namespace abut::cli
