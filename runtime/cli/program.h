#pragma once

#include <csignal>
#include <cstdio>
#include <exception>

namespace abut::cli {

// Runs the body of a program: what it throws becomes one line on standard error and exit status 2.
inline int run_program(const char* name, int (*body)(int, char**), int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write error with a message, not a death
  try {
    return body(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: error: %s\n", name, error.what());
    return 2;
  }
}

}  // namespace abut::cli
