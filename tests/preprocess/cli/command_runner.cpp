#include "command_runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace abut::test {
namespace {

pid_t launch(const std::vector<std::string>& words, const std::function<void()>& prepare, int out, int err) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid != 0) {
    ::setpgid(pid, pid);  // here and there: whoever comes first
    return pid;
  }
  ::setpgid(0, 0);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (prepare) prepare();
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

pid_t start(const std::vector<std::string>& words, const std::function<void()>& prepare) {
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t pid = launch(words, prepare, null, null);
  ::close(null);
  return pid;
}

CommandResult run(const std::vector<std::string>& words, const std::function<void()>& prepare) {
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) std::abort();
  const pid_t pid = launch(words, prepare, out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);
  CommandResult result;
  pollfd fds[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  std::string* texts[2] = {&result.out, &result.err};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    ::poll(fds, 2, -1);
    for (int i = 0; i < 2; ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      char chunk[4096];
      const ssize_t n = ::read(fds[i].fd, chunk, sizeof chunk);
      if (n > 0)
        texts[i]->append(chunk, static_cast<std::size_t>(n));
      else
        fds[i].fd = -1;
    }
  }
  ::close(out[0]);
  ::close(err[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  result.code = code_of(status);
  return result;
}

void become_nobody() {
  constexpr unsigned kNobody = 65534;
  if (::getuid() != 0) return;
  if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(126);
}

std::string preprocess_program() { return ABUT_PREPROCESS_PROGRAM; }

CommandResult command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), preprocess_program());
  return run(arguments);
}

std::vector<pid_t> children_of(pid_t parent) {
  std::ifstream in(fmt::format("/proc/{0}/task/{0}/children", parent));
  return {std::istream_iterator<pid_t>(in), {}};
}

std::string obj_text(const preprocess::TriangleMesh& mesh) {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const auto& v : mesh.vertices) fmt::format_to(out, "v {} {} {}\n", v.x(), v.y(), v.z());
  for (const auto& t : mesh.triangles) fmt::format_to(out, "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return text;
}

void append(preprocess::TriangleMesh& mesh, const preprocess::TriangleMesh& other,
            const Eigen::Vector3d& shift) {
  const auto first = static_cast<std::int32_t>(mesh.vertices.size());
  for (const auto& v : other.vertices) mesh.vertices.emplace_back(v + shift);
  for (const auto& [a, b, c] : other.triangles) mesh.triangles.push_back({a + first, b + first, c + first});
}

CommandTest::CommandTest() {
  std::string pattern = (std::filesystem::temp_directory_path() / "abut_command_XXXXXX").string();
  folder_ = ::mkdtemp(pattern.data());
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  data_ = folder_ / "data";
  out_ = folder_ / "out";
  std::filesystem::create_directory(data_);
}

CommandTest::~CommandTest() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void CommandTest::write(const std::string& file, const std::string& text) const {
  std::ofstream(data_ / file, std::ios::binary) << text;
}

CommandResult CommandTest::make(const std::vector<std::string>& more) const {
  std::vector<std::string> arguments{data_.string(), out_.string()};
  for (const char* part : {"--tets", "--quads"})
    if (std::find(more.begin(), more.end(), part) == more.end())
      arguments.insert(arguments.end(), {part, "none"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return command(arguments);
}

std::vector<std::string> CommandTest::files() const {
  std::vector<std::string> names;
  if (!std::filesystem::exists(out_)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(out_))
    if (entry.path().filename() != ".abut-preprocess.lock") names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace abut::test
