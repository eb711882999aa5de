#include "runtime/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "runtime/cli/say.h"
#include "runtime/core/counted.h"

namespace abut::cli {
namespace {

// A missing reader is no reason to end the program.
void write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace

bool Progress::on_terminal() { return ::isatty(STDERR_FILENO) != 0; }

void Progress::update(double done, double share, const std::string& more) {
  if (!terminal_ || Clock::now() - shown_ < std::chrono::milliseconds(200)) return;
  shown_ = Clock::now();
  const double elapsed = seconds();
  const std::string left =
      share > 0 ? fmt::format(", {:.0f} s left", elapsed * (1 - share) / share) : std::string();
  write(fmt::format("\r{}{}, {:.0f} {}s/s{}\033[K", counted(static_cast<std::size_t>(done), unit_),
                    printable(more), (done - first_) / elapsed, unit_, left));
}

void Progress::finish(double done, const std::string& more) const {
  if (terminal_) write("\r\033[K");
  write(fmt::format("{} in {:.2f} s ({:.0f} {}s/s){}\n",
                    counted(static_cast<std::size_t>(done - first_), unit_), seconds(),
                    (done - first_) / seconds(), unit_, more));
}

}  // namespace abut::cli
