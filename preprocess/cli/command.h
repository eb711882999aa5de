#pragma once

namespace abut::preprocess {

// The exit codes of abut-preprocess, and 128 + the signal's number where one ended it.
enum ExitCode { kAllFine = 0, kSomeFailed = 1, kBadInput = 2 };

// The command abut-preprocess: reads its arguments, prints, returns the exit code. Throws nothing.
int run_command(int argc, char** argv);

}  // namespace abut::preprocess
