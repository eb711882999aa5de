#pragma once

namespace abut::cli {

// Runs the body of a program: an exception becomes one line on standard error and exit status 2. A signal
// that ends the program (SIGINT, SIGTERM, SIGHUP) leaves no unfinished file behind.
int run_program(const char* name, int (*body)(int, char**), int argc, char** argv);

// From this call on the first such signal is only noted, for a program that ends by itself, and `line` is
// written to standard error at once; the next one ends the program. `line`, which includes its newline, must
// be a literal.
void note_signals(const char* line);

// The signal that was noted; 0: none.
int noted_signal();

}  // namespace abut::cli
