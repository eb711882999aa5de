#include "runtime/cli/program.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "runtime/cli/say.h"
#include "runtime/core/output_file.h"

namespace abut::cli {
namespace {

volatile std::sig_atomic_t noted = 0;
const char* notice = "";

// May be called from any thread; uses only what a signal handler may.
void print(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // there is no reader
}

// Notes the first signal and restores the default effect for the next one. Preserves errno for the
// interrupted code.
void note(int signal) {
  const int error = errno;
  noted = signal;
  clean_up_on_signals();
  if (isatty(STDERR_FILENO) != 0) print("\n");  // moves below the line of progress
  print(notice);
  errno = error;
}

}  // namespace

int run_program(const char* name, int (*body)(int, char**), int argc, char** argv) {
  hold_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // makes a closed pipe a write error with a message
  clean_up_on_signals();
  try {
    const int status = body(argc, argv);
    finish_standard_output();
    return status;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: error: out of memory\n", name);
  } catch (const std::exception& error) {
    say_error(name, error.what());
  }
  return 2;
}

void note_signals(const char* line) {
  notice = line;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, note) == SIG_IGN) std::signal(signal, SIG_IGN);
}

int noted_signal() { return noted; }

}  // namespace abut::cli
