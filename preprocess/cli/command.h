#pragma once

#include <functional>

namespace abut::preprocess {

// Exit codes of abut-preprocess; if a signal ended the run, 128 + its number.
enum ExitCode { kAllFine = 0, kSomeFailed = 1, kBadInput = 2 };

// The action that the arguments select; returns the exit code.
using Action = std::function<int()>;

// The command abut-preprocess: parses its arguments, runs, prints, and returns the exit code. Throws nothing.
int run_command(int argc, char** argv);

// Only parses the arguments. Throws InvalidInput if run_command would reject them.
void check_command_line(int argc, const char* const* argv);

}  // namespace abut::preprocess
