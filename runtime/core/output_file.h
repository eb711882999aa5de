#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace abut {

// Of a name that is taken already, what an output replaces.
enum class Replace {
  kTarget,  // a link stays, and what it leads to is replaced; streams are written as they are
  kName,    // whatever has the name, a link or a pipe itself; no folder
};

// A file that appears under its name whole or not at all: until finish() it has no name (or, where the file
// system cannot do that, a temporary one beside it), and whatever was there before stays. Streams: "-" and
// /dev/stdout are standard output, and open descriptors (/dev/fd/N), pipes and character devices are what
// they lead to.
class OutputFile {
 public:
  // Throws IoError where nothing can be written there: better said before the work than after it.
  explicit OutputFile(const std::filesystem::path& path, Replace replace = Replace::kTarget);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // without finish(): nothing is left of it

  // Throws IoError: disk full, closed pipe. So does whatever is done with the file after that.
  void write(std::string_view content);

  // Gives the file its name. `durable`: not before it is on the disk, so that a power cut leaves the old one
  // or the whole new one. Throws IoError, and nothing is left.
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

  std::string name_;              // for messages
  std::filesystem::path target_;  // empty: a stream
  std::string temporary_;         // empty: none, the file has no name yet
  std::FILE* file_ = nullptr;
  int failed_ = 0;  // the error of a write; 0: none
  int slot_ = -1;   // of temporary_ among those that remove_temporaries() knows
};

// The absolute path of the file that an OutputFile would write: at the end of all links, whether or not there
// is a file yet. Two names with one place are one output. Never throws.
std::filesystem::path place_of(const std::filesystem::path& path) noexcept;

// Throws IoError where an OutputFile could not be opened; opens no pipe.
void check_writable(const std::filesystem::path& path);

// Throws IoError where an output would replace the file that a program reads.
void require_not_input(const std::filesystem::path& output, const std::filesystem::path& input);

// Throws IoError where what was written to standard output did not get there: for a program's end.
void finish_standard_output();

// "-" and /dev/stdout.
bool is_standard_output(const std::filesystem::path& path);

// The number of the open descriptor that the path stands for (/dev/stdin, /dev/fd/N, ...), or -1.
int descriptor_of(const std::filesystem::path& path);

// Removes the temporaries of all unfinished files of this process. For the handler of a deadly signal.
void remove_temporaries() noexcept;

// For programs, before they open anything: standard streams that are closed lead nowhere from now on, and
// still fail where they are used. Or files would take their numbers, and messages would go there.
void hold_standard_streams();

// For programs: has SIGINT, SIGTERM and SIGHUP, unless they are ignored, do so before they end the process.
void clean_up_on_signals();

// Removes temporaries that killed processes left in `folder`; those in use stay, and all stay where the file
// system has no locks.
void remove_stale_temporaries(const std::filesystem::path& folder);

}  // namespace abut
