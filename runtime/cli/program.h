#pragma once

namespace abut::cli {

// Runs the body of a program: what it throws becomes one line on standard error and exit status 2. A signal
// that ends the program (SIGINT, SIGTERM, SIGHUP) leaves no unfinished file behind.
int run_program(const char* name, int (*body)(int, char**), int argc, char** argv);

// From here on the first such signal is noted only, for a program that ends by itself; the next one ends it.
void note_signals();

// The signal that was noted; 0: none.
int noted_signal();

}  // namespace abut::cli
