#pragma once

#include <functional>

namespace abut::preprocess {

// The exit codes of abut-preprocess, and 128 + the signal's number where one ended it.
enum ExitCode { kAllFine = 0, kSomeFailed = 1, kBadInput = 2 };

// What the arguments ask for; gives the exit code.
using Action = std::function<int()>;

// The command abut-preprocess: reads its arguments, prints, returns the exit code. Throws nothing.
int run_command(int argc, char** argv);

// Reads the arguments and does nothing else. Throws InvalidInput where run_command would refuse them.
void check_command_line(int argc, const char* const* argv);

}  // namespace abut::preprocess
