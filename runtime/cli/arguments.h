#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cli/edit_distance.h"
#include "runtime/core/error.h"

// Checks of command-line arguments that an option parser accepts although they are wrong.
namespace abut::cli {

// Throws InvalidInput if the first argument is almost the name of a subcommand and no existing file.
inline void refuse_misspelt_command(const CLI::App& app, int argc, const char* const* argv) {
  constexpr std::size_t kLettersPerSlip = 3;
  if (argc < 2) return;
  const std::string_view word = argv[1];
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored)) return;
  std::string nearest;
  std::size_t least = word.size() / kLettersPerSlip + 1;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::size_t distance = edit_distance(word, command->get_name());
    if (distance == 0) return;
    if (distance < least) nearest = command->get_name();
    least = std::min(least, distance);
  }
  if (!nearest.empty())
    throw InvalidInput(fmt::format("there is no command '{}'; did you mean '{}'? See {} --help", word,
                                   nearest, app.get_name()));
}

// Makes the parser refuse values of flags: CLI11 reads --force=false as no --force, and --force=1e300 as one.
inline void refuse_values_of_flags(CLI::App& app) {
  for (CLI::Option* const option : app.get_options({}))
    if (option->get_items_expected_max() == 0) option->disable_flag_override();
  for (CLI::App* const command : app.get_subcommands({})) refuse_values_of_flags(*command);
}

// Throws InvalidInput where an option was given an empty value, often from an unset variable of a script, or
// none, so that the parser took the next option for it. With --out= it would take the next argument, too.
inline void refuse_missing_values(int argc, const char* const* argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw InvalidInput(fmt::format("{}: its value is empty; give one, or leave the option out",
                                     word.substr(0, word.size() - 1)));
  }
}
inline void refuse_missing_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    const std::string& name = option->get_lnames().front();
    for (const std::string& value : option->results()) {
      if (value.empty())
        throw InvalidInput(fmt::format("--{}: its value is empty; give one, or leave the option out", name));
      if (value.starts_with('-') && app.get_option_no_throw(value) != nullptr)
        throw InvalidInput(fmt::format(
            "--{}: lacks its value: '{}' is an option; a file of that name is ./{}", name, value, value));
    }
  }
  for (const CLI::App* command : app.get_subcommands()) refuse_missing_values(*command);
}

}  // namespace abut::cli
