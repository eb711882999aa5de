#include "runtime/core/input_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

namespace {

namespace fs = std::filesystem;

class InputFileTest : public testing::Test {
 protected:
  InputFileTest() : folder(fs::temp_directory_path() / ("abut_input_test_" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
  }
  ~InputFileTest() override { fs::remove_all(folder); }

  static std::string error_of(const fs::path& file) {
    try {
      (void)abut::read_file(file);
    } catch (const abut::IoError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder;
};

TEST_F(InputFileTest, AByteOrderMarkIsNoPartOfAStreamsText) {
  const std::pair<std::string, std::string> kTexts[] = {
      {"\xEF\xBB\xBFtext", "text"}, {"\xEF\xBB\xBF", ""}, {"\xEF\xBBtext", "\xEF\xBBtext"}};
  for (const auto& [bytes, text] : kTexts) {
    std::ofstream(folder / "text", std::ios::binary) << bytes;
    abut::InputStream stream(folder / "text");
    std::string line;
    std::getline(stream, line);
    EXPECT_EQ(line, text);
  }
}

TEST_F(InputFileTest, ReadsWhatIsThere) {
  const fs::path file = folder / "text";
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i) + "\n";  // more than one buffer
  std::ofstream(file, std::ios::binary) << text;
  EXPECT_EQ(abut::read_text(file), text);
  EXPECT_EQ(abut::read_file(file).size(), text.size());
  fs::create_symlink(file, folder / "link");
  abut::InputStream stream(folder / "link");
  EXPECT_EQ(stream.size(), text.size());
  std::string line;
  int lines = 0;
  while (std::getline(stream, line)) EXPECT_EQ(line, "line " + std::to_string(lines++));
  EXPECT_EQ(lines, 100'000);
  EXPECT_FALSE(stream.bad());
  std::ofstream(folder / "empty");
  EXPECT_EQ(abut::read_text(folder / "empty"), "");
}

// A pipe without a writer would be waited for, /dev/zero never ends.
TEST_F(InputFileTest, WhatIsNoRegularFileIsRefusedAtOnce) {
  const fs::path pipe = folder / "pipe", local = folder / "socket";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  local.string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const std::pair<fs::path, const char*> refused[] = {
      {pipe, "it is a pipe"},          {local, "it is a socket"},  {"/dev/zero", "it is a device"},
      {"/dev/null", "it is a device"}, {folder, "it is a folder"}, {folder / "absent", "No such file"}};
  const auto start = std::chrono::steady_clock::now();
  for (const auto& [file, reason] : refused) {
    EXPECT_NE(error_of(file).find(file.string() + ": cannot "), std::string::npos) << error_of(file);
    EXPECT_NE(error_of(file).find(reason), std::string::npos) << error_of(file);
    EXPECT_THROW(abut::InputStream stream(file), abut::IoError);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  ::close(socket);
}

// A file of holes may be larger than any memory.
TEST_F(InputFileTest, AFileBeyondTheMemoryIsNamed) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "a sanitizer ends the program where an allocation fails";
#endif
#endif
  const fs::path file = folder / "huge";
  std::ofstream(file) << "x";
  ASSERT_EQ(::truncate(file.c_str(), off_t{1} << 43), 0);
  EXPECT_NE(error_of(file).find(file.string() + ": not enough memory"), std::string::npos) << error_of(file);
}

}  // namespace
