#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace abut {

// What an output replaces where its name exists already.
enum class Replace {
  kTarget,  // the target of a link, which itself stays; streams are written to
  kName,    // the entry of that name itself, be it a link or a pipe; never a folder
};

// A file that appears under its name either complete or not at all. Until finish() it has no name (or, where
// the file system does not support that, a temporary one in the same folder), and an existing file of that
// name stays. Streams: "-" and /dev/stdout mean standard output; open descriptors (/dev/fd/N), pipes and
// character devices are written to directly.
class OutputFile {
 public:
  // Opens the output. Throws IoError where nothing can be written there, so that the user learns it before
  // the work rather than after it.
  explicit OutputFile(const std::filesystem::path& path, Replace replace = Replace::kTarget);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // without finish(), removes the file

  // Appends `content`. Throws IoError where that fails (disk full, closed pipe); every later write() and
  // finish() then throws it, too.
  void write(std::string_view content);

  // Completes the file and gives it its name. With `durable`, it gets the name only once it is on the disk,
  // so that a power cut leaves either the old file or the complete new one. Throws IoError; then no partial
  // file is left.
  void finish(bool durable = true);

 private:
  void open_stream();
  void open_file();
  bool open_unnamed(const std::filesystem::path& folder);
  void open_temporary();
  template <class Create>
  int claim(const Create& create);
  std::FILE* opened(int fd);
  [[noreturn]] void fail(int error) const;

  std::string name_;              // of the output, for messages
  std::filesystem::path target_;  // path to replace; empty for a stream
  std::string temporary_;         // path of the temporary file; empty where the file has no name yet
  std::FILE* file_ = nullptr;
  int failed_ = 0;  // errno of a failed write; 0: none failed
  int slot_ = -1;   // index of temporary_ in the table of remove_temporaries(); -1: none
};

// Returns the absolute path of the file that an OutputFile would write: the end of all links, whether or not
// a file is there yet. Two paths with the same place are the same output. Never throws.
std::filesystem::path place_of(const std::filesystem::path& path) noexcept;

// Throws IoError where an OutputFile could not be opened. Does not open pipes.
void check_writable(const std::filesystem::path& path);

// Throws IoError where `output` and `input` are the same file, which the output would overwrite.
void require_not_input(const std::filesystem::path& output, const std::filesystem::path& input);

// Flushes standard output; throws IoError where anything written to it was lost. For the end of a program.
void finish_standard_output();

// Returns whether the path means standard output: "-", /dev/stdout or another name of descriptor 1.
bool is_standard_output(const std::filesystem::path& path);

// Returns the number of the open descriptor that the path names (/dev/stdin, /dev/fd/N, ...), or -1.
int descriptor_of(const std::filesystem::path& path);

// Removes the temporary files of all unfinished outputs of this process. Async-signal-safe, for the handler
// of a fatal signal.
void remove_temporaries() noexcept;

// For programs, before they open any file: opens /dev/null in the place of closed standard streams, in the
// direction in which using them still fails. Otherwise files would get the numbers of these streams, and
// messages would be written into them.
void hold_standard_streams();

// For programs: makes SIGINT, SIGTERM and SIGHUP, unless they are ignored, call remove_temporaries() before
// they end the process.
void clean_up_on_signals();

// Removes temporary files that killed processes left in `folder`. Those in use stay, and all stay where the
// file system has no locks.
void remove_stale_temporaries(const std::filesystem::path& folder);

}  // namespace abut
