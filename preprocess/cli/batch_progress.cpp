#include "preprocess/cli/batch_progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "preprocess/cli/summary.h"
#include "runtime/cli/say.h"

namespace abut::preprocess {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string minutes(double seconds) {
  const auto s = static_cast<long>(std::ceil(seconds));
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

BatchProgress::BatchProgress(const std::vector<datasets::ObjectSource>& objects, bool quiet)
    : quiet_(quiet), terminal_(!quiet && ::isatty(STDOUT_FILENO) == 1) {
  for (const datasets::ObjectSource& object : objects) {
    std::error_code ignored;
    const std::uintmax_t size = std::filesystem::file_size(object.file, ignored);
    names_.push_back(object.name);
    sizes_.push_back(ignored ? 1.0 : 1.0 + static_cast<double>(size));
    left_bytes_ += sizes_.back();
    width_ = std::max(width_, object.name.size());
  }
}

void BatchProgress::started(std::size_t object) { running_[object] = {"", Clock::now()}; }

void BatchProgress::stage(std::size_t object, std::string_view stage) { running_[object].stage = stage; }

void BatchProgress::finished(std::size_t object, const ObjectResult& result) {
  running_.erase(object);
  ++finished_;
  left_bytes_ -= sizes_[object];
  if (result.status != ObjectStatus::kUpToDate) made_bytes_ += sizes_[object];
  clear();
  const bool failed = result.status == ObjectStatus::kFailed;
  failed_ += failed ? 1 : 0;
  if (!quiet_) {
    cli::say("[{:>{}}/{}] {:<{}}  {:>7} triangles  {:>5} on the hull  {:>6.2f} s  {}\n", finished_,
             fmt::to_string(names_.size()).size(), names_.size(), result.name, width_,
             failed ? "-" : fmt::to_string(result.triangles),
             failed ? "-" : fmt::to_string(result.hull_vertices), result.seconds, status_text(result));
    if (result.status == ObjectStatus::kMade) {
      if (!result.reason.empty()) cli::say("    made again: {}\n", result.reason);
      for (const std::string& note : result.notes) cli::say("    note: {}\n", note);
      for (const std::string& warning : result.warnings) cli::say("    warning: {}\n", warning);
    }
  }
  std::fflush(stdout);
  if (failed) cli::say_error("abut-preprocess", failure_text(result));
  if (terminal_) draw();
}

void BatchProgress::tick() {
  if (!terminal_) return;
  clear();
  draw();
}

void BatchProgress::clear() {
  if (drawn_lines_ > 0)  // up, to the start of the line, erase everything below
    std::fputs(fmt::format("\x1b[{}A\r\x1b[J", drawn_lines_).c_str(), stdout);
  drawn_lines_ = 0;
}

std::string BatchProgress::overall() const {
  std::string text = fmt::format("{} of {} done", finished_, names_.size());
  if (failed_ > 0) text += fmt::format(", {} failed", failed_);
  const double elapsed = seconds_since(begin_);
  text += fmt::format(", {} elapsed", minutes(elapsed));
  if (made_bytes_ > 0) text += fmt::format(", about {} left", minutes(elapsed * left_bytes_ / made_bytes_));
  return text;
}

void BatchProgress::draw() {
  const std::size_t columns = terminal_columns();
  const auto line = [&](const std::string& text) {
    cli::say("{}\n", text.substr(0, columns - 1));
    ++drawn_lines_;
  };
  for (const auto& [object, running] : running_)
    line(fmt::format("  {:<{}}  {:>6.1f} s  {}", names_[object], width_, seconds_since(running.begin),
                     running.stage));
  line(overall());
  std::fflush(stdout);
}

}  // namespace abut::preprocess
