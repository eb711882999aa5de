// abut-datasets: downloads object sets and checks downloaded ones.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <set>

#include "datasets/download/address.h"
#include "datasets/download/collection.h"
#include "datasets/download/disk.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/program.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/say.h"
#include "runtime/cli/shell_word.h"
#include "runtime/core/counted.h"
#include "runtime/core/input_file.h"

namespace abut::datasets {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 all is there and whole; 1 some object failed, or the disk is full; 2 bad arguments, or\n"
    "            nothing can be done; 130, 143 stopped by SIGINT, SIGTERM. What is broken off goes on where\n"
    "            it was with the next run.";
constexpr int kMaxPages = 1000;  // of an object list

struct Arguments {
  std::string set, manifest, variant, out, folder;
  std::vector<std::string> objects;
  FetchOptions fetch;
};

bool go_on(std::uint64_t, std::uint64_t) { return cli::noted_signal() == 0; }

void print_error(const std::string& message) { cli::say_error("abut-datasets", message); }

// Adds the object's name, which a shown address may lack because it is in the query.
void print_error_of(const std::string& object, const std::string& message) {
  print_error(message.find(object) == std::string::npos ? object + ": " + message : message);
}

Manifest manifest_in(const std::string& file) { return manifest_from_json(read_text(file), file); }

// The manifest from the given file, or the built-in one.
Manifest manifest_of(const Arguments& arguments) {
  if (arguments.manifest.empty()) return find_manifest(arguments.set);
  Manifest manifest = manifest_in(arguments.manifest);
  if (manifest.name != arguments.set)
    throw InvalidInput(fmt::format("{}: it is of the set '{}', not of '{}'", arguments.manifest,
                                   manifest.name, arguments.set));
  return manifest;
}

std::vector<std::string> listed_objects(const Manifest& manifest, const FetchOptions& options) {
  constexpr std::string_view kPlace = "{page}";
  if (manifest.object_list.empty())
    throw InvalidInput(fmt::format("{} has no list of its objects; name them by --objects; see {}",
                                   manifest.name, manifest.homepage));
  std::set<std::string> names;
  const std::size_t at = manifest.object_list.find(kPlace);
  for (int page = 1;; ++page) {
    if (page > kMaxPages)
      throw InvalidInput(fmt::format("{}: the list has more than {} pages; name objects by --objects",
                                     shown_address(manifest.object_list), kMaxPages));
    std::string address = manifest.object_list;
    if (at != std::string::npos) address.replace(at, kPlace.size(), std::to_string(page));
    try {
      const std::vector<std::string> more =
          object_names(fetch_text(address, options, go_on), shown_address(address));
      const std::size_t before = names.size();
      names.insert(more.begin(), more.end());
      if (names.size() == before || at == std::string::npos) break;  // servers may repeat their last page
    } catch (const NotThere&) {
      if (page == 1) throw;
      break;  // past the last page
    }
  }
  if (names.empty())
    throw InvalidInput(fmt::format("{}: the list names no objects", shown_address(manifest.object_list)));
  return {names.begin(), names.end()};
}

// The chosen objects, by default all of the set's list. Names are taken as given; what may be a pattern is
// looked for in the list, which is then fetched, as a name and, if it is none, as a pattern.
std::vector<std::string> chosen_objects(const Manifest& manifest, const Arguments& arguments) {
  const auto is_pattern = [](const std::string& word) {
    return word.find_first_of("*?[") != std::string::npos;
  };
  if (arguments.objects.empty()) return listed_objects(manifest, arguments.fetch);
  std::vector<std::string> chosen, all;
  const auto choose = [&](const std::string& name) {
    if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) chosen.push_back(name);
  };
  for (const std::string& word : arguments.objects) {
    if (!is_pattern(word)) {
      require_object_name(word, "--objects");
      choose(word);
      continue;
    }
    if (all.empty()) all = listed_objects(manifest, arguments.fetch);
    if (std::find(all.begin(), all.end(), word) != all.end()) {
      choose(word);
      continue;
    }
    bool found = false;
    for (const std::string& name : all)
      if (::fnmatch(word.c_str(), name.c_str(), 0) == 0) {
        found = true;
        choose(name);
      }
    if (!found)
      throw InvalidInput(fmt::format("{} has {}, none of which matches '{}'", manifest.name,
                                     counted(all.size(), "object"), word));
  }
  return chosen;
}

int list(const Arguments& arguments) {
  if (arguments.set.empty()) {
    for (const Manifest& manifest :
         arguments.manifest.empty() ? manifests() : std::vector{manifest_in(arguments.manifest)}) {
      cli::say("{}: {}\n     licence: {}; see {}\n     variants:", manifest.name, manifest.title,
               manifest.licence, manifest.homepage);
      for (const Variant& variant : manifest.variants) cli::say(" {}", variant.name);
      cli::say("\n");
    }
    return 0;
  }
  for (const std::string& name : listed_objects(manifest_of(arguments), arguments.fetch))
    cli::say("{}\n", name);
  return 0;
}

int stopped() {
  print_error("stopped by a signal; run again to continue");
  return 128 + cli::noted_signal();
}

int download(const Arguments& arguments) {
  const Manifest manifest = manifest_of(arguments);
  const Variant& variant = find_variant(manifest, arguments.variant);
  cli::note_signals("abut-datasets: stopping; again to stop now\n");
  const std::string folder = arguments.out.empty() ? manifest.name : arguments.out;
  Collection collection(folder);
  const std::vector<std::string> objects = chosen_objects(manifest, arguments);
  cli::say("{}, {}: {}; licence: {}\n", manifest.title, variant.name, counted(objects.size(), "object"),
           manifest.licence);
  cli::Progress progress("object");
  std::size_t done = 0, there = 0, failed = 0;
  for (const std::string& object : objects) {
    const auto show = [&](std::uint64_t bytes, std::uint64_t total) {
      const double part = total > 0 ? static_cast<double>(bytes) / static_cast<double>(total) : 0;
      const double all = static_cast<double>(done) + std::min(part, 1.0);
      progress.update(static_cast<double>(done), all / static_cast<double>(objects.size()),
                      fmt::format(", {} {:.1f} MiB", object, static_cast<double>(bytes) / (1 << 20)));
      return go_on(bytes, total);
    };
    try {
      const Collection::Got got = collection.get(manifest, variant, object, arguments.fetch, show);
      there += got.was_there;
      cli::say("  {}: {}, {}\n", object, counted(got.files, "file"),
               got.was_there ? "there already"
                             : fmt::format("{:.1f} MiB", static_cast<double>(got.bytes) / (1 << 20)));
    } catch (const DiskFull& error) {  // every further one would fail, too
      print_error(error.what());
      return 1;
    } catch (const Error& error) {
      if (cli::noted_signal() != 0) return stopped();
      print_error_of(object, error.what());
      ++failed;
    }
    ++done;
  }
  cli::say("{}: {} downloaded, {} there already, {} failed\n", folder, done - there - failed, there, failed);
  if (done > failed) cli::say("next: abut-preprocess {} OUT\n", cli::shell_word(folder));
  return failed == 0 ? 0 : 1;
}

int check(const Arguments& arguments) {
  if (arguments.folder.empty()) throw InvalidInput("DIR is empty; name the folder of a downloaded set");
  cli::Progress progress("file");
  const Check found = check_collection(
      arguments.folder, [&](std::size_t files) { progress.update(static_cast<double>(files), 0); });
  for (const std::string& problem : found.problems) print_error(problem);
  cli::say("{}: {} of {}, {} not as downloaded\n", arguments.folder, counted(found.files, "file"),
           counted(found.objects, "object"), found.problems.size());
  if (!found.problems.empty())
    cli::say("`abut-datasets download` gets again what is missing or of another size\n");
  return found.problems.empty() ? 0 : 1;
}

void add_network_options(CLI::App& sub, Arguments& arguments) {
  sub.add_option("--manifest", arguments.manifest, "A set of your own: JSON as datasets/manifests has it")
      ->type_name("FILE");
  sub.add_option("--stall", arguments.fetch.stall_seconds,
                 "Seconds after which a connection that stands still is given up")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(cli::whole_number_from(1, 86400, "a whole number of seconds from 1 to 86400"));
  sub.add_option("--tries", arguments.fetch.tries, "Of each download that breaks off")
      ->type_name("COUNT")
      ->capture_default_str()
      ->check(cli::whole_number_from(1, 20, "a whole number from 1 to 20"));
}

int run(int argc, char** argv) {
  CLI::App app("Downloads object sets for abut-preprocess, and checks what was downloaded.", "abut-datasets");
  app.footer(kFooter);
  app.require_subcommand(0, 1);
  Arguments arguments;
  std::function<int()> action;
  const auto add = [&](const char* name, const char* purpose, int (*what)(const Arguments&)) {
    CLI::App* sub = app.add_subcommand(name, purpose);
    sub->callback([&, what] { action = [&, what] { return what(arguments); }; });
    return sub;
  };
  CLI::App* sub = add("list", "Print the sets, or the objects of one", list);
  sub->add_option("SET", arguments.set, "Name of a set");
  add_network_options(*sub, arguments);
  sub =
      add("download", "Download a set or some of its objects; what is there already is left alone", download);
  sub->add_option("SET", arguments.set, "Name of a set, see `abut-datasets list`")->required();
  sub->add_option("--objects", arguments.objects,
                  "Names or else patterns (*, ?, [..]), separated by commas; default: all")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);
  sub->add_option("--variant", arguments.variant, "The form of the meshes; default: the set's first")
      ->type_name("NAME");
  sub->add_option("--out", arguments.out, "Folder for the set, made where missing; default: its name")
      ->type_name("FOLDER");
  add_network_options(*sub, arguments);
  sub = add("check", "Compare every file with what was downloaded; exit code 1 where one differs", check);
  sub->add_option("DIR", arguments.folder, "Folder of a downloaded set")->required();
  if (!cli::parse(app, argc, argv)) return 0;
  if (!action) throw InvalidInput("list, download or check is required; see abut-datasets --help");
  return action();
}

}  // namespace
}  // namespace abut::datasets

int main(int argc, char** argv) {
  return abut::cli::run_program("abut-datasets", abut::datasets::run, argc, argv);
}
