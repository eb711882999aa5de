// Any words as the arguments of a command: read, or refused with an abut::Error in one line. The first byte
// picks the command; each line is a word.
#include <cstdio>
#include <sstream>
#include <vector>

#include "preprocess/cli/command.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/query_options.h"
#include "runtime/cli/sim_options.h"
#include "runtime/core/error.h"

namespace {

using namespace abut;

void query(int argc, const char* const* argv) {
  CLI::App app{"", "abut-query"};
  cli::QueryArguments arguments;
  cli::add_query_options(app, arguments);
  if (!cli::parse(app, argc, argv)) return;
  if (arguments.jobs < 0) __builtin_trap();
}

void simulate(int argc, const char* const* argv) {
  CLI::App app{"", "abut-sim"};
  cli::SimArguments arguments;
  cli::add_sim_options(app, arguments);
  if (!cli::parse(app, argc, argv)) return;
  if (!(arguments.dt > 0) || !(arguments.every > 0) || arguments.steps.value_or(0) < 0 || arguments.jobs < 0)
    __builtin_trap();
}

using Command = void (*)(int, const char* const*);
constexpr Command kCommands[] = {query, simulate, preprocess::check_command_line};

}  // namespace

// Help that is asked for is not of interest.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  return std::freopen("/dev/null", "w", stdout) == nullptr;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  std::vector<std::string> words = {"abut"};
  for (std::string word; std::getline(lines, word);) words.push_back(word.substr(0, word.find('\0')));
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    kCommands[data[0] % std::size(kCommands)](static_cast<int>(argv.size()), argv.data());
  } catch (const Error&) {
  }
  return 0;
}
