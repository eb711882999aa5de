#include "runtime/cli/sim_outputs.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "runtime/cli/asset_folder.h"
#include "runtime/cli/output_ending.h"
#include "runtime/core/error.h"
#include "runtime/core/extension.h"
#include "runtime/core/output_file.h"

namespace abut::cli {
namespace {

constexpr std::string_view kRecordingEnding = ".h5", kCsvEnding = ".csv";

}  // namespace

bool is_recording(const std::string& out) { return lower_extension(out) == kRecordingEnding; }

void require_distinct_outputs(const SimArguments& arguments) {
  const std::pair<const char*, const std::string*> outputs[] = {
      {"--out", &arguments.out},
      {"--stats", &arguments.stats},
      {"--contact-forces", &arguments.contact_forces},
      {"--page", &arguments.page}};
  const auto place = [](const std::string& path) {
    return is_standard_output(path) ? "-" : place_of(path).string();
  };
  for (std::size_t i = 0; i < std::size(outputs); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const std::string &path = *outputs[k].second, &other = *outputs[i].second;
      if (!path.empty() && !other.empty() && place(path) == place(other))
        throw InvalidInput(fmt::format("{} and {} both go to {}; give each a file of its own",
                                       outputs[k].first, outputs[i].first,
                                       is_standard_output(path) ? "standard output" : path));
    }
}

void require_fit_outputs(const SimArguments& arguments, const dynamics::Scene& scene) {
  for (const std::string& output :
       {arguments.out, arguments.stats, arguments.contact_forces, arguments.page}) {
    require_not_input(output, arguments.scene);
    for (const std::filesystem::path& robot : scene.robot_files) require_not_input(output, robot);
    for (const std::string& control : {arguments.control, arguments.joint_control})
      if (!control.empty()) require_not_input(output, control);
    require_no_container_replaced(output, output == arguments.out && is_recording(output));
  }
  require_ending("--out", arguments.out, {kRecordingEnding, kCsvEnding});
  require_ending("--stats", arguments.stats, {kCsvEnding});
  require_ending("--contact-forces", arguments.contact_forces, {kCsvEnding});
  require_ending("--page", arguments.page, {".html", ".htm"});
}

}  // namespace abut::cli
