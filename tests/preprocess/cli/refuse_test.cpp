#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include "command_runner.h"
#include "tests/support/shapes.h"

// Input that must be refused: a non-zero exit code, one clear line that names file and element, no damaged
// output.
namespace {

using namespace abut::test;
using abut::preprocess::TriangleMesh;

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

class Refuse : public CommandTest {
 protected:
  // One line, with the prefix, with all the words.
  static void expect_error(const CommandResult& result, int code, const std::vector<std::string>& words) {
    EXPECT_EQ(result.code, code) << result.out << result.err;
    EXPECT_EQ(count_lines(result.err), 1U) << result.err;
    EXPECT_TRUE(result.err.starts_with("abut-preprocess: error: ")) << result.err;
    for (const std::string& word : words)
      EXPECT_NE(result.err.find(word), std::string::npos) << word << "\n" << result.err;
  }

  // The object is refused, nothing is left in its place, and a sound object beside it is made.
  void expect_refused(const std::string& file, const std::string& text, std::vector<std::string> words) {
    write(file, text);
    write("sound.obj", sphere(0.05, 2));
    words.push_back((data_ / file).string());
    expect_error(make(), 1, words);
    EXPECT_EQ(files(), std::vector<std::string>{"sound.h5"});
  }
};

std::string binary_stl(const TriangleMesh& mesh) {
  std::string text(80, ' ');
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  text.append(reinterpret_cast<const char*>(&count), 4);
  for (const auto& triangle : mesh.triangles) {
    float numbers[12] = {};
    for (int k = 0; k < 3; ++k)
      for (int axis = 0; axis < 3; ++axis)
        numbers[3 + 3 * k + axis] = static_cast<float>(mesh.vertices[triangle[k]][axis]);
    text.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
    text.append(2, '\0');
  }
  return text;
}

std::string ascii_ply(const TriangleMesh& mesh) {
  std::string text = "ply\nformat ascii 1.0\nelement vertex " + std::to_string(mesh.vertices.size()) +
                     "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
                     std::to_string(mesh.triangles.size()) +
                     "\nproperty list uchar int vertex_indices\nend_header\n";
  for (const auto& v : mesh.vertices)
    text += std::to_string(v.x()) + " " + std::to_string(v.y()) + " " + std::to_string(v.z()) + "\n";
  for (const auto& [a, b, c] : mesh.triangles)
    text += "3 " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c) + "\n";
  return text;
}

TEST_F(Refuse, EmptyFile) {
  for (const char* file : {"bad.obj", "bad.ply", "bad.stl"}) {
    std::filesystem::remove_all(data_);
    std::filesystem::create_directory(data_);
    expect_refused(file, "", {"empty"});
  }
}

TEST_F(Refuse, TruncatedObj) {
  const std::string text = obj_text(sphere(0.05, 3));
  expect_refused("bad.obj", text.substr(0, text.size() * 9 / 10), {});
}

TEST_F(Refuse, TruncatedPly) {
  const std::string text = ascii_ply(sphere(0.05, 3));
  expect_refused("bad.ply", text.substr(0, text.size() * 9 / 10), {"face", "truncated"});
}

TEST_F(Refuse, TruncatedStl) {
  const std::string text = binary_stl(sphere(0.05, 3));
  expect_refused("bad.stl", text.substr(0, text.size() * 9 / 10), {"face", "truncated"});
}

TEST_F(Refuse, CoordinatesThatAreNotFinite) {
  for (const char* number : {"nan", "inf", "-inf", "1e999"}) {
    std::string text = obj_text(box(0.1, 0.1, 0.1));
    text.replace(0, text.find('\n'), std::string("v 0 ") + number + " 0");
    expect_refused("bad.obj", text, {"line 1", "vertex 1"});
  }
}

TEST_F(Refuse, IndexOutOfRange) {
  expect_refused("bad.obj", obj_text(box(0.1, 0.1, 0.1)) + "f 1 2 99\n", {"line 21", "99"});
}

TEST_F(Refuse, NoFaces) { expect_refused("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", {"without a face"}); }

TEST_F(Refuse, FlatObject) {
  expect_refused("bad.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n", {"flat"});
}

TEST_F(Refuse, ZeroVolume) {
  TriangleMesh mesh = sphere(0.05, 2);  // both sides of half a sphere: nothing between them
  std::erase_if(mesh.triangles, [&](const auto& t) {
    return mesh.vertices[t[0]].z() + mesh.vertices[t[1]].z() + mesh.vertices[t[2]].z() < 0;
  });
  for (std::size_t i = mesh.triangles.size(); i-- > 0;)
    mesh.triangles.push_back({mesh.triangles[i][0], mesh.triangles[i][2], mesh.triangles[i][1]});
  expect_refused("bad.obj", obj_text(mesh), {"volume"});
}

TEST_F(Refuse, APathThatDoesNotExist) {
  std::filesystem::remove(data_);
  expect_error(make(), 2, {data_.string()});
  EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(Refuse, AFolderWithoutMeshes) {
  write("notes.txt", "nothing here");
  expect_error(make(), 2, {data_.string()});
}

TEST_F(Refuse, BadArguments) {
  write("box.obj", box(0.1, 0.1, 0.1));
  expect_error(make({"--only", "mug*"}), 2, {"mug*", "box"});
  expect_error(make({"--jobs", "none"}), 2, {"--jobs", "--help"});
  expect_error(make({"--layout", "mess"}), 2, {"mess", "ycb"});
  expect_error(make({"--scale", "-1"}), 2, {"--scale"});
  expect_error(command({data_.string()}), 2, {"OUT"});
  expect_error(command({"inspect", asset("none")}), 2, {asset("none")});
  expect_error(make({"--json", (folder_ / "missing/run.json").string()}), 2, {"run.json"});
  EXPECT_EQ(files(), std::vector<std::string>{});
}

// Pictures, exports and reports are refused a folder that is not there and a name that is taken by a folder
// or by something that is no file, here a socket.
TEST_F(Refuse, OutputFilesThatCannotBeWritten) {
  write("box.obj", box(0.1, 0.1, 0.1));
  ASSERT_EQ(make().code, 0);
  const std::filesystem::path taken = folder_ / "taken.vtk";
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  taken.string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(fd);
  const std::filesystem::path files[] = {folder_ / "missing/box.vtk", folder_, taken};
  const char* reasons[] = {"No such file or directory", "it is a folder", "neither a file nor a pipe"};
  for (int i = 0; i < 3; ++i) {
    const std::vector<std::string> words = {files[i].string() + ": cannot write", reasons[i]};
    expect_error(command({"inspect", asset("box"), "--png", files[i].string()}), 2, words);
    expect_error(command({"export", asset("box"), "--out", files[i].string()}), 2, words);
    expect_error(make({"--json", files[i].string()}), 2, words);
  }
  EXPECT_TRUE(std::filesystem::is_socket(taken));
}

TEST_F(Refuse, AnOutputFolderThatIsAFile) {
  write("box.obj", box(0.1, 0.1, 0.1));
  std::ofstream(out_) << "in the way";
  expect_error(make(), 2, {out_.string(), "choose another"});
}

// Root may write anywhere, so the run is made as nobody where the test is run as root.
TEST_F(Refuse, NoPermissionToWrite) {
  write("box.obj", box(0.1, 0.1, 0.1));
  std::filesystem::create_directory(out_);
  std::filesystem::permissions(out_, std::filesystem::perms(0555));
  const CommandResult result =
      run({preprocess_program(), data_.string(), out_.string(), "--tets", "none", "--quads", "none"},
          become_nobody);
  if (result.code == 126 || result.code == 127) GTEST_SKIP() << "cannot run the program as another user here";
  expect_error(result, 2, {out_.string(), "Permission denied", "choose another"});
}

// Nobody, root included, makes files in /proc.
TEST_F(Refuse, AFolderInWhichNothingCanBeMade) {
  write("box.obj", box(0.1, 0.1, 0.1));
  expect_error(command({data_.string(), "/proc"}), 2, {"/proc", "cannot write here", "choose another"});
}

// No file may grow beyond this many bytes: a full disk, without any privilege.
std::function<void()> limit_files(rlim_t bytes) {
  return [bytes] {
    const struct rlimit limit { bytes, bytes };
    ::signal(SIGXFSZ, SIG_IGN);  // so that write() fails with EFBIG
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(126);
  };
}

TEST_F(Refuse, AWriteThatFailsHalfWay) {
  write("ball.obj", sphere(0.05, 5));
  write("box.obj", box(0.1, 0.1, 0.1));
  const CommandResult result =
      run({preprocess_program(), data_.string(), out_.string(), "--tets", "none", "--quads", "none"},
          limit_files(1 << 16));
  expect_error(result, 1, {asset("ball"), "cannot write", "File too large"});
  EXPECT_EQ(files(), std::vector<std::string>{"box.h5"});
}

// Exports, pictures and reports: what was there stays, and nothing is left beside it.
TEST_F(Refuse, ExportsThatDoNotFitLeaveWhatWasThere) {
  write("box.obj", box(0.1, 0.1, 0.1));
  ASSERT_EQ(make({"--tets", "300", "--quads", "500"}).code, 0);
  const std::filesystem::path there = folder_ / "there";
  std::filesystem::create_directory(there);
  const auto expect_kept = [&](const std::string& name, std::vector<std::string> words) {
    const std::string file = (there / name).string();
    std::ofstream(file) << "{old}";
    words.insert(words.begin(), preprocess_program());
    words.push_back(file);
    expect_error(run(words, limit_files(256)), 2, {file + ": cannot write: File too large"});
    std::string kept;
    std::ifstream(file) >> kept;
    EXPECT_EQ(kept, "{old}") << file;
  };
  for (const char* part : {"surface", "hull", "quads", "points"})
    for (const char* extension : {".obj", ".ply", ".vtk"})
      expect_kept(std::string(part) + extension, {"export", asset("box"), "--part", part, "--out"});
  expect_kept("volume.vtk", {"export", asset("box"), "--part", "volume", "--out"});
  expect_kept("box.png", {"inspect", asset("box"), "--png"});
  expect_kept("run.json",
              {data_.string(), out_.string(), "--tets", "300", "--quads", "500", "--quiet", "--json"});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(there), {}), 15);
}

// A device that is always full.
TEST_F(Refuse, AFullDevice) {
  write("box.obj", box(0.1, 0.1, 0.1));
  ASSERT_EQ(make().code, 0);
  const std::string full = (folder_ / "full.vtk").string();
  std::filesystem::create_symlink("/dev/full", full);
  const std::vector<std::string> words = {": cannot write: No space left on device; free some space"};
  expect_error(command({"export", asset("box"), "--out", full}), 2, words);
  expect_error(command({"inspect", asset("box"), "--png", full}), 2, words);
  expect_error(make({"--json", full}), 2, words);
  EXPECT_TRUE(std::filesystem::is_symlink(full));
}

TEST_F(Refuse, AFileSystemWithoutLocks) {
  write("box.obj", box(0.1, 0.1, 0.1));
  // The kernel answers ENOLCK to this process's F_OFD_SETLK.
  const auto forbid_locks = [] {
    sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLK, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{sizeof rules / sizeof rules[0], rules};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      ::_exit(126);
  };
  const CommandResult result =
      run({preprocess_program(), data_.string(), out_.string(), "--tets", "none", "--quads", "none"},
          forbid_locks);
  if (result.code == 126) GTEST_SKIP() << "no system call filters here";
  expect_error(result, 2, {out_.string(), "locks do not work here", "choose another output folder"});
}

// On file systems of their own, in a private mount namespace; skipped where the system does not allow one
// (AWriteThatFailsHalfWay and AFolderInWhichNothingCanBeMade run everywhere).
class Mounted : public Refuse {
 protected:
  void SetUp() override {
    if (run({"unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", data_.string()}).code != 0)
      GTEST_SKIP() << "no private mounts here";
    std::filesystem::create_directory(out_);
    write("ball.obj", sphere(0.05, 5));
  }

  // Runs abut-preprocess on out/ mounted with these options, then lists what is there.
  CommandResult run_on(const std::string& options) const {
    return run({"unshare", "-rm", "sh", "-c",
                "mount -t tmpfs -o " + options + " tmpfs " + out_.string() + " && " + preprocess_program() +
                    " --tets none --quiet " + data_.string() + " " + out_.string() + "; code=$?; ls -A " +
                    out_.string() + "; exit $code"});
  }
};

TEST_F(Mounted, DiskFull) {
  const CommandResult result = run_on("size=64k");
  expect_error(result, 1, {asset("ball"), "No space left on device", "free some space"});
  EXPECT_EQ(result.out, ".abut-preprocess.lock\n");
}

TEST_F(Mounted, ReadOnlyFileSystem) {
  const CommandResult result = run_on("ro");
  expect_error(result, 2, {out_.string(), "Read-only file system"});
  EXPECT_EQ(result.out, "");
}

}  // namespace
