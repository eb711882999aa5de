#pragma once

namespace abut::cli {

// Runs the body of a program: what it throws becomes one line on standard error and exit status 2. A signal
// that ends the program (SIGINT, SIGTERM, SIGHUP) leaves no unfinished file behind.
int run_program(const char* name, int (*body)(int, char**), int argc, char** argv);

// From here on the first such signal is noted only, for a program that ends by itself, and `line` goes to
// standard error at once; the next one ends the program. `line`, with its newline, is a literal.
void note_signals(const char* line);

// The signal that was noted; 0: none.
int noted_signal();

}  // namespace abut::cli
