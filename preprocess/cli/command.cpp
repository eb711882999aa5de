#include "preprocess/cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <functional>
#include <new>
#include <optional>

#include "datasets/dataset.h"
#include "datasets/household.h"
#include "datasets/listing.h"
#include "preprocess/cli/batch.h"
#include "preprocess/cli/batch_events.h"
#include "preprocess/cli/batch_progress.h"
#include "preprocess/cli/export_command.h"
#include "preprocess/cli/import_asset.h"
#include "preprocess/cli/inspect.h"
#include "preprocess/cli/make_options.h"
#include "preprocess/cli/output_folder.h"
#include "preprocess/cli/report_command.h"
#include "preprocess/cli/robot.h"
#include "preprocess/cli/selection.h"
#include "preprocess/cli/shards.h"
#include "preprocess/cli/summary.h"
#include "preprocess/cli/verify.h"
#include "preprocess/cli/verify_grid.h"
#include "preprocess/cli/versions.h"
#include "preprocess/draw/picture.h"
#include "preprocess/export/export_set.h"
#include "preprocess/mesh/write.h"
#include "runtime/asset/reader.h"
#include "runtime/cli/arguments.h"
#include "runtime/cli/say.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/extension.h"
#include "runtime/core/input_file.h"
#include "runtime/core/output_file.h"

namespace abut::preprocess {
namespace {

// For subcommands that make assets of a dataset or a robot.
constexpr const char* kFooter =
    "Exit codes: 0 every object is made or up to date (with warnings: mended ones, and those whose inside\n"
    "            could not be made and that have no volume);\n"
    "            1 some object or asset failed; 2 bad arguments or input that cannot be used at all;\n"
    "            130, 143 stopped by SIGINT, SIGTERM. What was finished by then stays.\n"
    "A second run skips what is up to date: same source bytes, parameters and versions.\n"
    "Several runs may share OUT: they take turns object by object.";

constexpr const char* kPlainFooter =
    "Exit codes: 0 done; 2 bad arguments or input that cannot be used, or output that cannot be written.";

struct Arguments : MakeArguments {
  std::vector<std::string> assets;
  bool dirty = false;
  std::string asset, file, picture, robot, robot_out;
};

void print_error(const std::string& message) { cli::say_error("abut-preprocess", message); }

// Throws InvalidInput if the name of the folder to be created is that of a file.
void require_folder_name(const std::filesystem::path& out) {
  if (std::filesystem::is_directory(out)) return;
  if (lower_extension(out) == ".h5" || datasets::has_mesh_extension(out))
    throw InvalidInput(fmt::format(
        "{}: OUT is a folder, in which each object has its file; give a name without {}, such as '{}'",
        out.string(), out.extension().string(), std::filesystem::path(out).replace_extension().string()));
}

// Throws InvalidInput if the file is there and no JSON, such as a texture or the buffer of a mesh.
void require_report(const std::filesystem::path& json) {
  if (!std::filesystem::is_regular_file(json)) return;
  InputFile file(json);
  std::byte first{'{'};
  file.read({&first, 1});
  if (first != std::byte{'{'})
    throw InvalidInput(json.string() + ": is there and no report (JSON); give --json another name");
}

// Makes the objects, with progress and a summary. `after` is called at the end unless a signal ended the run.
int make_objects(const datasets::Dataset& dataset, const Selection& selection, const Arguments& arguments,
                 const std::function<void(const BatchResult&, bool quiet)>& after = {}) {
  const std::vector<datasets::ObjectSource>& objects = selection.objects;
  if (!arguments.json.empty()) {
    require_free_name(arguments.json, arguments.out);
    require_not_input(arguments.json, arguments.dataset);
    for (const auto* sources : {&dataset.objects, &selection.objects, &selection.others})
      for (const datasets::ObjectSource& object : *sources) require_not_input(arguments.json, object.file);
    require_report(arguments.json);
    std::error_code ignored;  // check_writable() reports what is wrong with the folder
    std::filesystem::create_directories(arguments.out, ignored);
    check_writable(arguments.json);
  }
  // Events, or a report on standard output, must not be mixed with other output.
  const bool quiet = arguments.quiet || arguments.events || is_standard_output(arguments.json);
  if (arguments.events && is_standard_output(arguments.json))
    throw InvalidInput("--events and --json - cannot both have standard output");
  if (!quiet) {
    cli::say("{}: {}, layout {}\n", arguments.dataset, counted(objects.size(), "object"), dataset.layout);
  }
  std::optional<Manifest> manifest;
  if (arguments.shard.count > 0)
    manifest.emplace(arguments.out, dataset, arguments.shard, objects, selection.others,
                     settings_text(arguments.batch.parameters, dataset.objects.front().metres_per_unit));
  BatchProgress progress(objects, quiet);
  BatchEvents events(objects);
  BatchResult batch = run_batch(objects, arguments.out, arguments.batch,
                                arguments.events ? static_cast<BatchObserver&>(events) : progress);
  batch.notes.insert(batch.notes.begin(), dataset.notes.begin(), dataset.notes.end());
  progress.clear();
  if (!quiet) cli::say("\n{}", summary_table(batch));
  if (!arguments.json.empty())
    write_whole(arguments.json, summary_json(batch, arguments.dataset, arguments.out));
  if (manifest) manifest->write(summary_json(batch, arguments.dataset, arguments.out));
  if (arguments.events) print_event("end", summary_json(batch, arguments.dataset, arguments.out));
  if (batch.signal != 0) {
    print_error(fmt::format("stopped by a signal ({}); run again to continue", ::strsignal(batch.signal)));
    return 128 + batch.signal;
  }
  if (after) after(batch, quiet);
  return all_fine(batch) ? kAllFine : kSomeFailed;
}

int make(const Arguments& arguments) {
  if (arguments.dataset.empty() || arguments.out.empty())
    throw InvalidInput("DATASET and OUT are required; see abut-preprocess --help");
  require_folder_name(arguments.out);
  datasets::OpenOptions options;
  if (!arguments.layout.empty()) options.layout = arguments.layout;
  if (arguments.scale > 0) options.metres_per_unit = arguments.scale;
  const datasets::Dataset dataset = datasets::open_dataset(arguments.dataset, options);
  return make_objects(dataset, select(dataset, arguments.only, arguments.shard), arguments);
}

int make_robot(const Arguments& given) {
  if (!given.dataset.empty())
    throw InvalidInput("urdf takes ROBOT and OUT; '" + given.dataset + "' is more than that");
  Arguments arguments = given;
  arguments.dataset = given.robot;
  arguments.out = given.robot_out;
  require_folder_name(arguments.out);
  if (!arguments.layout.empty() || arguments.scale > 0 || !arguments.only.empty() ||
      arguments.shard.count > 0)
    throw InvalidInput(
        "urdf: a robot's file says which meshes there are and how large; leave out --layout, "
        "--scale, --only and --shard");
  const RobotFolder robot(arguments.dataset, arguments.out, arguments.batch);
  return make_objects({arguments.dataset, "urdf", {}, {}}, {robot.meshes(), {}}, arguments,
                      [&](const BatchResult& batch, bool quiet) {
                        robot.write(batch);
                        if (!quiet) cli::say("\n{}", robot.table(batch, arguments.batch.parameters));
                      });
}

int print_status(const Arguments& arguments) {
  if (!arguments.json.empty()) require_free_name(arguments.json, arguments.out);
  const ShardStatus status = shard_status(arguments.out, arguments.json, arguments.dataset);
  if (!is_standard_output(arguments.json)) cli::say("{}", status.table);
  return status.fine ? kAllFine : kSomeFailed;
}

// Whether the asset is valid; prints its problems.
bool verify_asset(const std::filesystem::path& file) {
  const asset::Asset asset = asset::load(file);
  const std::vector<std::string> problems = verify(asset);
  for (const std::string& problem : problems) print_error(fmt::format("{}: {}", file.string(), problem));
  if (problems.empty()) cli::say("{}: ok{}\n", file.string(), grid_errors(asset));
  return problems.empty();
}

int verify_assets(const Arguments& arguments) {
  bool fine = true;
  const auto attempt = [&fine](const auto& action) {
    try {
      action();
    } catch (const Error& error) {
      print_error(error.what());
      fine = false;
    }
  };
  for (const std::string& path : arguments.assets)
    attempt([&] {
      const std::vector<std::filesystem::path> files =
          datasets::is_folder(path) ? assets_of(path) : std::vector<std::filesystem::path>{path};
      for (const std::filesystem::path& file : files) attempt([&] { fine = verify_asset(file) && fine; });
    });
  return fine ? kAllFine : kSomeFailed;
}

int inspect_asset(const Arguments& arguments) {
  if (datasets::is_folder(arguments.asset))
    throw InvalidInput(fmt::format("{}: it is a folder, not a file; give one of its assets, such as {}",
                                   arguments.asset, assets_of(arguments.asset).front().string()));
  if (!arguments.picture.empty()) {
    check_writable(arguments.picture);
    require_not_input(arguments.picture, arguments.asset);
    if (lower_extension(arguments.picture) == ".h5" || datasets::has_mesh_extension(arguments.picture))
      throw InvalidInput(arguments.picture + ": a picture is a PNG, no asset or mesh; give a name with .png");
  }
  if (!is_standard_output(arguments.picture)) cli::say("{}", inspect(arguments.asset));
  if (!arguments.picture.empty()) {
    const asset::Asset asset = asset::load(arguments.asset);
    write_png(picture(asset), arguments.picture);
  }
  return kAllFine;
}

int import_tetrahedra(const Arguments& arguments) {
  require_folder_name(arguments.out);
  const auto [imported, file] = import_asset(arguments.file, arguments.out);
  cli::say("{}: {}, largest pressure {:g}: the modulus that gives its pressures back\n", file.string(),
           counted(imported.volumes.front().tetrahedra.size() / 4, "tetrahedron", "tetrahedra"),
           imported.provenance.measures.at("import_largest_pressure"));
  if (imported.name != std::filesystem::path(arguments.file).stem())
    cli::say("  note: called '{}': the file's own name is too long or cannot be printed\n", imported.name);
  if (const std::string what = caution(imported.provenance.measures); !what.empty())
    cli::say("  {}: take care: {}\n", imported.name, what);
  return kAllFine;
}

int write_synthetic(const Arguments& arguments) {
  require_folder_name(arguments.dataset);
  const datasets::Household household =
      datasets::write_household(arguments.dataset, {.dirty = arguments.dirty});
  cli::say("{}: {} in the YCB layout\n", arguments.dataset, counted(household.objects.size(), "object"));
  for (const datasets::HouseholdObject& object : household.objects)
    cli::say("  {}: {:.3f} cm3, genus {}\n", object.name, 1e6 * object.volume, object.genus);
  for (const datasets::Fault& fault : household.faults)
    cli::say("  {}: fault: {}\n", fault.object, fault.description);
  return kAllFine;
}

int print_settings(const Arguments&) {
  cli::say("{}\n", settings_json());
  return kAllFine;
}

// Adds the subcommands; each sets `action` when it is chosen.
void add_subcommands(CLI::App& app, Arguments& arguments, Action& action) {
  const auto add = [&](const char* name, const char* purpose, int (*what)(const Arguments&)) {
    CLI::App* sub = app.add_subcommand(name, purpose)->footer(kPlainFooter);
    sub->callback([&action, &arguments, what] { action = [&arguments, what] { return what(arguments); }; });
    return sub;
  };
  CLI::App* sub = add("inspect", "Print what is in an asset; --png draws it", inspect_asset);
  sub->add_option("ASSET", arguments.asset, "Asset file")->required();
  sub->add_option(
         "--png", arguments.picture,
         "Also draw it to this file, side by side: the surface, the convex hull, the pieces, the spheres and "
         "the quads "
         "with their edges, and a cut through the tetrahedra coloured by their extent; -: to standard output "
         "alone")
      ->type_name("FILE");
  sub =
      add("verify", "Check assets against their own definition; exit code 1 where one fails", verify_assets);
  sub->footer("Exit codes: 0 every asset is sound; 1 some asset is not, or cannot be read; 2 bad arguments.");
  sub->add_option("ASSET", arguments.assets, "Asset files, or folders of them")->required();
  add_export_command(app, action);
  add_report_command(app, action);
  sub = add("status",
            "What became of a dataset made with --shard; exit code 1 where something is left or failed",
            print_status);
  sub->footer(
      "The parts' manifests are read, not the assets: `abut-preprocess verify OUT` reads those.\n"
      "Exit codes: 0 every object of every part is made or up to date, and its asset is there; 1 something\n"
      "            failed or is left, or the dataset or the settings changed between the parts;\n"
      "            2 bad arguments or a folder without manifests of parts.");
  sub->add_option("OUT", arguments.out, "Folder of the assets")->required();
  sub->add_option("--json", arguments.json,
                  "Merge the manifests of all parts in this file; -: to standard output alone")
      ->type_name("FILE");
  sub->add_option("--dataset", arguments.dataset,
                  "The parts must be of the objects, and of files with the size and time, that are there now")
      ->type_name("FOLDER");
  sub = add("import-volume", "Make an asset of your own tetrahedra with their pressures", import_tetrahedra);
  sub->add_option(
         "FILE", arguments.file,
         "VTK file, legacy in ASCII or XML (.vtu): an unstructured grid of tetrahedra in metres with a "
         "scalar `pressure` per point, 0 on the surface; of a legacy file also `extent`, as `export` writes "
         "it")
      ->required();
  sub->add_option("OUT", arguments.out, "Folder for the asset; made where missing")->required();
  sub =
      add("urdf",
          "Make a robot ready for scenes: its meshes as assets, and a copy of its file that names them; the "
          "options for datasets hold",
          make_robot);
  sub->fallthrough();
  sub->footer(kFooter);
  sub->add_option("ROBOT", arguments.robot, "URDF file")->required();
  sub->add_option("OUT", arguments.robot_out, "Folder for the assets and the copy; made where missing")
      ->required();
  add("settings", "Print the options of a run as JSON, for other programs", print_settings);
  sub = add("synthetic", "Write a set of eight household objects in the YCB layout, made by code",
            write_synthetic);
  sub->add_option("OUT", arguments.dataset, "Folder for the meshes; made where missing")->required();
  sub->add_flag("--dirty", arguments.dirty, "With known faults, for trying the repair");
}

// Throws InvalidInput for options and operands of a dataset run before a subcommand, except before `urdf`,
// which accepts them.
void refuse_ahead_of_subcommand(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands())
    for (const CLI::Option* option : app.get_options())
      if (!sub->get_fallthrough() && option->count() > 0)
        throw InvalidInput(fmt::format(
            "{0} has no use for {1} ahead of it; leave that out, and see abut-preprocess {0} --help",
            sub->get_name(), option->get_positional() ? option->results().front() : option->get_name()));
}

// Parses the command line; returns the action, or null if help or the version was requested. Throws
// InvalidInput.
Action parse(int argc, const char* const* argv, Arguments& arguments) {
  CLI::App app(
      "Makes contact assets from a folder of meshes: cleaned surface, convex hull, mass properties, and\n"
      "tetrahedra with a pressure field.\n"
      "Usage: abut-preprocess DATASET OUT [OPTIONS], or one of the subcommands below",
      "abut-preprocess");
  app.footer(kFooter);
  app.set_version_flag("--version", versions().at("abut") + " (code " + versions().at("code") + ")");
  Action action = [&arguments] { return make(arguments); };
  add_make_options(app, arguments);
  add_subcommands(app, arguments, action);
  app.require_subcommand(0, 1);
  cli::refuse_misspelt_command(app, argc, argv);
  cli::refuse_missing_values(argc, argv);
  cli::refuse_values_of_flags(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      throw InvalidInput(std::string(error.what()) + "; see abut-preprocess --help");
    app.exit(error);  // --help, --version
    return nullptr;
  }
  cli::refuse_missing_values(app);
  refuse_ahead_of_subcommand(app);
  refuse_unheeded(app, arguments.batch.parameters);
  return action;
}

}  // namespace

void check_command_line(int argc, const char* const* argv) {
  Arguments arguments;
  (void)parse(argc, argv, arguments);
}

int run_command(int argc, char** argv) {
  try {
    Arguments arguments;
    const Action action = parse(argc, argv, arguments);
    const int status = action ? action() : kAllFine;
    finish_standard_output();
    return status;
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return kBadInput;
}

}  // namespace abut::preprocess
