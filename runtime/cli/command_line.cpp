#include "runtime/cli/command_line.h"

#include <fmt/format.h>

#include "runtime/cli/arguments.h"
#include "runtime/cli/number_checks.h"
#include "runtime/cli/version.h"
#include "runtime/core/error.h"

namespace abut::cli {
namespace {

constexpr int kMaxJobs = 1024;

}  // namespace

bool parse(CLI::App& app, int argc, const char* const* argv) {
  app.set_version_flag("--version", version());
  refuse_misspelt_command(app, argc, argv);
  refuse_missing_values(argc, argv);
  refuse_values_of_flags(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      throw InvalidInput(fmt::format("{}; see {} --help", error.what(), app.get_name()));
    app.exit(error);
    return false;
  }
  refuse_missing_values(app);
  return true;
}

CLI::Validator whole_number_from(std::int64_t low, std::int64_t high, const std::string& what) {
  return in_range(low, high, what);
}

CLI::Validator number_from(double low, double high, const std::string& what) {
  return in_range(low, high, what);
}

void add_jobs(CLI::App& app, int& jobs, const std::string& purpose) {
  app.add_option("--jobs", jobs, purpose + "; 0: one per core")
      ->capture_default_str()
      ->check(whole_number_from(0, kMaxJobs,
                                fmt::format("a whole number from 0 (one per core) to {}", kMaxJobs)));
}

}  // namespace abut::cli
