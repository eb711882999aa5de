#include "runtime/core/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>

#include "runtime/core/error.h"

namespace {

namespace fs = std::filesystem;
using abut::OutputFile;

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest() {
    std::string pattern = (fs::temp_directory_path() / "abut_output_XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    file = folder / "out.csv";
  }
  ~OutputFileTest() override { fs::remove_all(folder); }

  static std::string contents(const fs::path& of) {
    std::ifstream in(of, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // Names in the folder, one after the other.
  std::string names() const {
    std::string all;
    for (const auto& entry : fs::directory_iterator(folder)) all += entry.path().filename().string() + " ";
    return all;
  }

  static std::string refusal(const std::function<void()>& action) {
    try {
      action();
    } catch (const abut::IoError& error) {
      return error.what();
    }
    return "";
  }

  // The exit status of `body` in a process of its own.
  static int in_child(const std::function<void()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
      body();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  fs::path folder, file;
};

TEST_F(OutputFileTest, AppearsWholeOrNotAtAll) {
  {
    OutputFile out(file);
    out.write("half");
  }
  EXPECT_EQ(names(), "");
  {
    OutputFile out(file);
    out.write("one,");
    out.write(std::string(100000, 'x'));
    EXPECT_FALSE(fs::exists(file));
    out.finish();
  }
  EXPECT_EQ(contents(file).size(), 100004U);
  {
    OutputFile out(file);
    out.write("two");
    EXPECT_EQ(contents(file).size(), 100004U);
    out.finish(false);
  }
  EXPECT_EQ(contents(file), "two");
  EXPECT_EQ(names(), "out.csv ");
}

// Or rows would be missing from its middle, where there is space again.
TEST_F(OutputFileTest, AFileOfWhichAWriteFailedNeverAppears) {
  const int status = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {1000, 1000000}, large = {1000000, 1000000};
    ::setrlimit(RLIMIT_FSIZE, &small);
    OutputFile out(file);
    const bool failed = !refusal([&] { out.write(std::string(100000, 'x')); }).empty();
    ::setrlimit(RLIMIT_FSIZE, &large);
    ::_exit(failed && !refusal([&] { out.write("y"); }).empty() && !refusal([&] { out.finish(); }).empty()
                ? 0
                : 1);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(names(), "");
}

TEST_F(OutputFileTest, SeveralFilesOfOneNameDoNotMeet) {
  OutputFile first(file), second(file);
  first.write("first");
  second.write("second");
  first.finish();
  EXPECT_EQ(contents(file), "first");
  second.finish();
  EXPECT_EQ(contents(file), "second");
}

// What a killed process of the same number left does not stop a run, and is not touched.
TEST_F(OutputFileTest, StaleTemporariesAreNotInTheWay) {
  std::string stale;
  for (int k = 0; k < 3; ++k) {
    const std::string name = ".out.csv." + std::to_string(::getpid()) + "." + std::to_string(k) + ".partial";
    std::ofstream(folder / name) << "stale";
  }
  OutputFile out(file);
  out.write("new");
  out.finish();
  EXPECT_EQ(contents(file), "new");
  EXPECT_EQ(contents(folder / (".out.csv." + std::to_string(::getpid()) + ".0.partial")), "stale");
  abut::remove_stale_temporaries(folder);
  EXPECT_EQ(names(), "out.csv ");
}

TEST_F(OutputFileTest, NothingIsLeftOfAKilledProcess) {
  for (const int signal : {SIGKILL, SIGTERM}) {
    const int status = in_child([&] {
      OutputFile out(file);
      out.write(std::string(1 << 20, 'x'));
      ::raise(signal);
    });
    EXPECT_TRUE(WIFSIGNALED(status));
  }
  // Where files cannot be without a name it is for the handler of signals to say so.
  EXPECT_TRUE(WIFEXITED(in_child([&] {
    OutputFile out(file);
    abut::remove_temporaries();
  })));
  EXPECT_EQ(names(), "");
}

TEST_F(OutputFileTest, LinksStayAndTheirTargetsAreReplaced) {
  fs::create_directory(folder / "there");
  std::ofstream(folder / "there/real.csv") << "old";
  fs::create_symlink("there/real.csv", file);
  OutputFile out(file);
  out.write("new");
  out.finish();
  EXPECT_TRUE(fs::is_symlink(file));
  EXPECT_EQ(contents(folder / "there/real.csv"), "new");
}

TEST_F(OutputFileTest, APlaceIsAtTheEndOfAllLinks) {
  fs::create_symlink("link", folder / "first");
  fs::create_symlink("./new.csv", folder / "link");
  EXPECT_EQ(abut::place_of(folder / "first"), abut::place_of(folder / "new.csv"));
  EXPECT_EQ(abut::place_of(folder / "new.csv"), fs::canonical(folder) / "new.csv");
  fs::create_symlink("loop", folder / "loop");
  EXPECT_EQ(abut::place_of(folder / "loop"), folder / "loop");
}

TEST_F(OutputFileTest, LongNamesHaveTemporariesToo) {
  const fs::path longest = folder / std::string(255, 'n');
  OutputFile out(longest);
  out.write("x");
  out.finish();
  EXPECT_EQ(contents(longest), "x");
}

TEST_F(OutputFileTest, StreamsAreWrittenAsTheyAre) {
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  const int reader = ::open(file.c_str(), O_RDONLY | O_NONBLOCK);
  {
    OutputFile out(file);
    out.write("piped");
    out.finish();
  }
  char text[16] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 5);
  EXPECT_STREQ(text, "piped");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(file));
  OutputFile null("/dev/null");
  null.write("x");
  null.finish();
  const std::string full = refusal([] {
    OutputFile out("/dev/full");
    out.write("x");
    out.finish();
  });
  EXPECT_EQ(full, "/dev/full: cannot write: No space left on device; free some space and run again");
  // An open descriptor of a file is written where it stands.
  std::ofstream(folder / "log") << "before ";
  const int log = ::open((folder / "log").c_str(), O_WRONLY | O_APPEND);
  OutputFile out("/dev/fd/" + std::to_string(log));
  out.write("after");
  out.finish();
  ::close(log);
  EXPECT_EQ(contents(folder / "log"), "before after");
}

TEST_F(OutputFileTest, WhatCannotBeWrittenIsRefusedAtOnce) {
  EXPECT_EQ(refusal([&] { OutputFile{folder}; }), folder.string() + ": cannot write: it is a folder");
  const std::string missing = (folder / "no/out.csv").string();
  EXPECT_EQ(refusal([&] { OutputFile{missing}; }),
            missing + ": cannot write: No such file or directory; make its folder first");
  EXPECT_EQ(refusal([&] { OutputFile{"/dev/fd/999"}; }), "/dev/fd/999: cannot write: Bad file descriptor");
  EXPECT_NE(refusal([] { OutputFile{""}; }), "");
  EXPECT_NE(refusal([&] { abut::check_writable("/proc/out.csv"); }), "");
  EXPECT_EQ(refusal([&] { abut::check_writable(file); }), "");
  EXPECT_EQ(names(), "");
}

// No file may grow beyond 4 KiB, as on a full disk.
TEST_F(OutputFileTest, AFileThatDoesNotFitIsNamedAndLeavesNothing) {
  std::ofstream(file) << "old";
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit { 4096, 4096 };
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string said = refusal([&] {
      OutputFile out(file);
      out.write(std::string(100000, 'x'));
      out.finish();
    });
    if (said != file.string() + ": cannot write: File too large") ::_exit(1);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents(file), "old");
  EXPECT_EQ(names(), "out.csv ");
}

// The kernel answers EOPNOTSUPP to this process's open() of files without a name, as file systems do that
// cannot have them. False where there are no system call filters.
bool forbid_unnamed_files() {
  constexpr unsigned kUnnamed = O_TMPFILE & ~O_DIRECTORY;
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kUnnamed, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof rules / sizeof rules[0], rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
         ::open("/tmp", O_WRONLY | O_TMPFILE, 0600) < 0 && errno == EOPNOTSUPP;
}

// Where the file system has no files without a name: a temporary one, locked, that SIGTERM removes and that a
// later run removes after SIGKILL.
TEST_F(OutputFileTest, WithoutUnnamedFilesATemporaryOneTakesItsPlace) {
  if (in_child([] { ::_exit(forbid_unnamed_files() ? 0 : 1); }) != 0) GTEST_SKIP() << "no filters here";
  std::ofstream(file) << "old";
  const std::string stem = ".out.csv.";
  const auto half_way = [&](const std::function<void(OutputFile&)>& then) {
    return in_child([&] {
      (void)forbid_unnamed_files();
      abut::clean_up_on_signals();
      OutputFile out(file);
      out.write(std::string(1 << 20, 'x'));
      if (names().find(stem) == std::string::npos || contents(file) != "old") ::_exit(1);
      then(out);
    });
  };
  EXPECT_EQ(half_way([](OutputFile& out) { out.finish(); }), 0);
  EXPECT_EQ(names(), "out.csv ");
  EXPECT_EQ(contents(file).size(), std::size_t{1} << 20);

  std::ofstream(file) << "old";
  EXPECT_EQ(half_way([&](OutputFile&) {
              abut::remove_stale_temporaries(folder);  // it is in use
              if (names().find(stem) == std::string::npos) ::_exit(1);
            }),
            0);
  EXPECT_EQ(WTERMSIG(half_way([](OutputFile&) { ::raise(SIGTERM); })), SIGTERM);
  EXPECT_EQ(WTERMSIG(half_way([](OutputFile&) { ::raise(SIGKILL); })), SIGKILL);
  EXPECT_EQ(contents(file), "old");
  EXPECT_NE(names().find(stem), std::string::npos);
  abut::remove_stale_temporaries(folder);
  EXPECT_EQ(names(), "out.csv ");
  for (const char* other : {".movie.mkv.partial", ".movie.1.partial", ".1.2.partial", ".a.1.x.partial"}) {
    std::ofstream(folder / other) << "of another program";
    abut::remove_stale_temporaries(folder);
    EXPECT_TRUE(fs::exists(folder / other)) << other;
  }
}

}  // namespace
