#include "preprocess/cli/command.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <functional>
#include <new>

#include "datasets/dataset.h"
#include "datasets/household.h"
#include "preprocess/cli/batch.h"
#include "preprocess/cli/batch_progress.h"
#include "preprocess/cli/export_command.h"
#include "preprocess/cli/inspect.h"
#include "preprocess/cli/number_checks.h"
#include "preprocess/cli/report_command.h"
#include "preprocess/cli/robot.h"
#include "preprocess/cli/shards.h"
#include "preprocess/cli/summary.h"
#include "preprocess/cli/verify.h"
#include "preprocess/cli/verify_grid.h"
#include "preprocess/cli/versions.h"
#include "preprocess/draw/picture.h"
#include "preprocess/mesh/write.h"
#include "preprocess/pressure/import.h"
#include "runtime/asset/container.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/core/output_file.h"

namespace abut::preprocess {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 every object is made or up to date (with warnings: mended ones, and those whose inside\n"
    "            could not be made and that have no volume);\n"
    "            1 some object or asset failed; 2 bad arguments or input that cannot be used at all;\n"
    "            130, 143 stopped by SIGINT, SIGTERM. What was finished by then stays.\n"
    "A second run skips what is up to date: same source bytes, parameters and versions.\n"
    "Several runs may share OUT: they take turns object by object.";

struct Arguments {
  std::string dataset, out, json, layout;
  std::vector<std::string> only, assets;
  double scale = 0;
  bool quiet = false, dirty = false;
  BatchOptions batch;
  Shard shard;
  std::string asset, file, picture;
};

void print_error(const std::string& message) { fmt::print(stderr, "abut-preprocess: error: {}\n", message); }

std::vector<datasets::ObjectSource> select(const datasets::Dataset& dataset,
                                           const std::vector<std::string>& only) {
  if (only.empty()) return dataset.objects;
  std::vector<datasets::ObjectSource> selected;
  for (const datasets::ObjectSource& object : dataset.objects)
    for (const std::string& glob : only)
      if (::fnmatch(glob.c_str(), object.name.c_str(), 0) == 0) {
        selected.push_back(object);
        break;
      }
  if (selected.empty())
    throw InvalidInput(fmt::format("{}: it has {}, none of which matches '{}'; the first is called {}",
                                   dataset.root.string(), counted(dataset.objects.size(), "object"),
                                   fmt::join(only, "', '"),
                                   dataset.objects.empty() ? "nothing" : dataset.objects.front().name));
  return selected;
}

// Makes the objects, with progress and a summary. `after` has a last word where no signal ended the run.
int make_objects(const datasets::Dataset& dataset, const std::vector<datasets::ObjectSource>& objects,
                 const Arguments& arguments,
                 const std::function<void(const BatchResult&, bool quiet)>& after = {}) {
  if (!arguments.json.empty()) {
    check_writable(arguments.json);
    for (const datasets::ObjectSource& object : objects) require_not_input(arguments.json, object.file);
  }
  // A report on standard output stands there alone.
  const bool quiet = arguments.quiet || is_standard_output(arguments.json);
  if (!quiet) {
    fmt::print("{}: {}, layout {}\n", arguments.dataset, counted(objects.size(), "object"), dataset.layout);
  }
  BatchProgress progress(objects, quiet);
  BatchResult batch = run_batch(objects, arguments.out, arguments.batch, progress);
  batch.notes = dataset.notes;
  progress.clear();
  if (!quiet) fmt::print("\n{}", summary_table(batch));
  if (!arguments.json.empty())
    write_whole(arguments.json, summary_json(batch, arguments.dataset, arguments.out));
  if (arguments.shard.count > 0)
    write_whole(manifest_of(arguments.out, arguments.shard),
                summary_json(batch, arguments.dataset, arguments.out));
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
  datasets::OpenOptions options;
  if (!arguments.layout.empty()) options.layout = arguments.layout;
  if (arguments.scale > 0) options.metres_per_unit = arguments.scale;
  const datasets::Dataset dataset = datasets::open_dataset(arguments.dataset, options);
  return make_objects(dataset, select(select(dataset, arguments.only), arguments.shard), arguments);
}

int make_robot(const Arguments& arguments) {
  if (!arguments.layout.empty() || arguments.scale > 0 || !arguments.only.empty() ||
      arguments.shard.count > 0)
    throw InvalidInput(
        "urdf: a robot's file says which meshes there are and how large; leave out --layout, "
        "--scale, --only and --shard");
  const RobotFolder robot(arguments.dataset, arguments.out);
  return make_objects({arguments.dataset, "urdf", {}, {}}, robot.meshes(), arguments,
                      [&](const BatchResult& batch, bool quiet) {
                        robot.write(batch);
                        if (!quiet) fmt::print("\n{}", robot.table(batch, arguments.batch.parameters));
                      });
}

int print_status(const Arguments& arguments) {
  const ShardStatus status = shard_status(arguments.out, arguments.json);
  if (!is_standard_output(arguments.json)) fmt::print("{}", status.table);
  return status.fine ? kAllFine : kSomeFailed;
}

int verify_assets(const Arguments& arguments) {
  bool fine = true;
  for (const std::string& file : arguments.assets) {
    try {
      const asset::Asset asset = asset::load(file);
      const std::vector<std::string> problems = verify(asset);
      for (const std::string& problem : problems) print_error(fmt::format("{}: {}", file, problem));
      fine = fine && problems.empty();
      if (problems.empty()) fmt::print("{}: ok{}\n", file, grid_errors(asset));
    } catch (const Error& error) {
      print_error(error.what());
      fine = false;
    }
  }
  return fine ? kAllFine : kSomeFailed;
}

int inspect_asset(const Arguments& arguments) {
  if (!arguments.picture.empty()) {
    check_writable(arguments.picture);
    require_not_input(arguments.picture, arguments.asset);
  }
  if (!is_standard_output(arguments.picture)) fmt::print("{}", inspect(arguments.asset));
  if (!arguments.picture.empty()) {
    const asset::Asset asset = asset::load(arguments.asset);
    write_png(picture(asset), arguments.picture);
  }
  return kAllFine;
}

int import_tetrahedra(const Arguments& arguments) {
  const std::filesystem::path source = arguments.file, out = arguments.out;
  std::error_code ignored;  // check_writable() says what is wrong with the folder
  std::filesystem::create_directories(out, ignored);
  check_writable(out / (source.stem().string() + ".h5"));
  asset::Asset imported = import_volume(source);
  imported.provenance.source_file = source.string();
  imported.provenance.source_digest = asset::digest(read_file(source));
  imported.provenance.parameters = {{"import", "volume"}};
  imported.provenance.versions = versions();
  const std::filesystem::path file = out / (imported.name + ".h5");
  asset::save(imported, file);
  fmt::print("{}: {}, largest pressure {:g}: the modulus that gives its pressures back\n", file.string(),
             counted(imported.volumes.front().tetrahedra.size() / 4, "tetrahedron", "tetrahedra"),
             imported.provenance.measures.at("import_largest_pressure"));
  return kAllFine;
}

int write_synthetic(const Arguments& arguments) {
  const datasets::Household household =
      datasets::write_household(arguments.dataset, {.dirty = arguments.dirty});
  fmt::print("{}: {} in the YCB layout\n", arguments.dataset, counted(household.objects.size(), "object"));
  for (const datasets::HouseholdObject& object : household.objects)
    fmt::print("  {}: {:.3f} cm3, genus {}\n", object.name, 1e6 * object.volume, object.genus);
  for (const datasets::Fault& fault : household.faults)
    fmt::print("  {}: fault: {}\n", fault.object, fault.description);
  return kAllFine;
}

// "300,1000,3000" or "none"; the finest first, each once, so that one set of levels has one description.
std::vector<std::int64_t> targets_from(const std::string& text) {
  std::vector<std::int64_t> targets;
  if (text == "none") return targets;
  for (const std::string& word : CLI::detail::split(text, ',')) {
    std::int64_t target = 0;
    if (!CLI::detail::lexical_cast(word, target) || target < kMinTetrahedra || target > kMaxTetrahedra)
      throw InvalidInput(
          fmt::format("--tets {}: '{}' is no number of tetrahedra from {} to {}; give some, such as "
                      "300,1000,3000, or none",
                      text, word, kMinTetrahedra, kMaxTetrahedra));
    targets.push_back(target);
  }
  std::sort(targets.rbegin(), targets.rend());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

void add_volume_options(CLI::App& app, VolumeParameters& volume) {
  constexpr const char* kGroup = "Volumes: tetrahedra with a pressure field";
  std::vector<std::string> fields;
  for (const auto& kind : field_kinds()) fields.push_back(kind.first);
  app.add_option_function<std::string>(
         "--tets", [&volume](const std::string& text) { volume.tetrahedra = targets_from(text); },
         fmt::format("Tetrahedra of each level of detail, separated by commas, or none; default: {}",
                     fmt::join(volume.tetrahedra, ",")))
      ->group(kGroup)
      ->type_name("COUNTS");
  app.add_flag("--fill-voids", volume.fill_voids, "Fill the cavities inside an object")->group(kGroup);
  app.add_option_function<std::string>(
         "--field", [&volume](const std::string& kind) { volume.extent.field = field_kinds().at(kind); },
         "laplace: Laplace's equation between surface and core; distance: to the surface, over the largest "
         "one; default: laplace")
      ->group(kGroup)
      ->type_name("KIND")
      ->check(CLI::IsMember(fields).description(""));
  app.add_option("--core-fraction", volume.extent.core_fraction,
                 "The core, where the field is 1, is all that is deeper than 1 - PART of the local inradius")
      ->group(kGroup)
      ->type_name("PART")
      ->capture_default_str()
      ->check(between(0, 1, "between 0 and 1"));
  app.add_option("--tetgen-timeout", volume.limits.timeout_seconds, "Seconds after which TetGen is given up")
      ->group(kGroup)
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(positive());
  app.add_option("--tetgen-memory", volume.limits.memory_bytes,
                 "Memory at which TetGen is given up; default: 4GiB")
      ->group(kGroup)
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(from_to(1, 1e18, "a size such as 4GiB"));
}

void add_point_options(CLI::App& app, PointParameters& points) {
  constexpr const char* kGroup = "Points: centres of quads, with normals";
  std::vector<std::string> defaults;
  for (const QuadTarget& target : points.levels) defaults.push_back(target.text());
  app.add_option_function<std::string>(
         "--quads", [&points](const std::string& text) { points.levels = quad_targets_from_string(text); },
         fmt::format("Quads of each level of detail, separated by commas: their number, or auto: as fine as "
                     "the thinnest walls ask for; or none; default: {}",
                     fmt::join(defaults, ",")))
      ->group(kGroup)
      ->type_name("COUNTS");
  app.add_option_function<double>(
         "--edge-length",
         [&points](const double& metres) {
           points.levels = {{QuadTarget::Kind::kEdge, metres}};
         },
         "Quads with edges of this length instead")
      ->group(kGroup)
      ->type_name("METRES")
      ->excludes("--quads")
      ->check(positive());
}

void add_grid_option(CLI::App& app, GridParameters& grid) {
  app.add_option_function<std::string>(
         "--grid", [&grid](const std::string& text) { grid = grid_parameters_from_string(text); },
         fmt::format("Metres between the nodes; auto: 1/{} of the spacing of the finest points; or none; "
                     "default: {}",
                     kGridFineness, grid.text()))
      ->group("Grid: the surface's signed distance as B-splines")
      ->type_name("SPACING");
}

void add_piece_options(CLI::App& app, PieceParameters& pieces) {
  constexpr const char* kGroup = "Pieces: convex ones whose union stands for the object";
  app.add_option_function<std::string>(
         "--pieces", [&pieces](const std::string& text) { set_pieces(text, pieces); },
         fmt::format(
             "Their largest number; auto: as few as the error allows, {} at most; or none; default: {}",
             kAutoPieces, pieces.text()))
      ->group(kGroup)
      ->type_name("COUNT");
  app.add_option(
         "--piece-error", pieces.error,
         "How far they may reach outside the object, and how far what they leave out may be from them")
      ->group(kGroup)
      ->type_name("METRES")
      ->capture_default_str()
      ->check(positive());
  app.add_option("--piece-vertices", pieces.vertices, "Vertices of a piece at most")
      ->group(kGroup)
      ->type_name("COUNT")
      ->capture_default_str()
      ->check(from_to(4, 4096, "a whole number from 4 to 4096"));
}

void add_make_options(CLI::App& app, Arguments& arguments) {
  app.add_option("DATASET", arguments.dataset,
                 "Folder of meshes (YCB, BOP, Google Scanned Objects, flat) or one mesh");
  app.add_option("OUT", arguments.out, "Folder for the assets, one <object>.h5 each; made where missing");
  app.add_option("--jobs", arguments.batch.jobs, "Objects at once; 0: the number of cores")
      ->capture_default_str()
      ->check(from_to(0, 1024, "a whole number from 0 (one per core) to 1024"));
  app.add_option("--only", arguments.only,
                 "Only objects whose name matches this pattern (*, ?, [..]); may be repeated")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option_function<std::string>(
         "--shard", [&arguments](const std::string& text) { arguments.shard = shard_from_string(text); },
         "Only part I of N of the objects; OUT/manifests/I-of-N.json says what became of them, `status` of "
         "all parts")
      ->type_name("I/N");
  app.add_flag("--force", arguments.batch.force, "Make again what is up to date");
  app.add_option(
         "--json", arguments.json,
         "Write all that is known of the run to this file; -: to standard output, and nothing else there")
      ->type_name("FILE");
  app.add_flag("--quiet", arguments.quiet, "Print errors only");
  app.add_option("--layout", arguments.layout, datasets::layout_names() + "; default: detected");
  app.add_option("--scale", arguments.scale,
                 "Metres per unit of the meshes; default: 0.001 for BOP, 1 for others")
      ->type_name("METRES")
      ->check(positive());
  app.add_flag("--keep-all-components", arguments.batch.parameters.close.all_components,
               "Keep every part of an object, not the largest alone");
  app.add_option("--max-tunnel", arguments.batch.parameters.close.max_tunnel,
                 "Close handles and tunnels with a loop shorter than this part of the diagonal, 0: none; "
                 "default: what the mesh does not resolve")
      ->type_name("PART")
      ->check(from_to(0, 1, "a number from 0 to 1"));
  add_volume_options(app, arguments.batch.parameters.volume);
  add_point_options(app, arguments.batch.parameters.points);
  add_grid_option(app, arguments.batch.parameters.grid);
  add_piece_options(app, arguments.batch.parameters.pieces);
  app.add_option("--timeout", arguments.batch.timeout_seconds, "Seconds after which one object is given up")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(positive());
}

// Adds the subcommands; each sets `action` when it is chosen.
void add_subcommands(CLI::App& app, Arguments& arguments, Action& action) {
  const auto add = [&](const char* name, const char* purpose, int (*what)(const Arguments&)) {
    CLI::App* sub = app.add_subcommand(name, purpose);
    sub->callback([&action, &arguments, what] { action = [&arguments, what] { return what(arguments); }; });
    return sub;
  };
  CLI::App* sub = add("inspect", "Print what is in an asset; --png draws it", inspect_asset);
  sub->add_option("ASSET", arguments.asset, "Asset file")->required();
  sub->add_option(
         "--png", arguments.picture,
         "Also draw it to this file, side by side: the surface, the convex hull, the pieces and the quads "
         "with their edges, and a cut through the tetrahedra coloured by their extent; -: to standard output "
         "alone")
      ->type_name("FILE");
  add("verify", "Check assets against their own definition; exit code 1 where one fails", verify_assets)
      ->add_option("ASSET", arguments.assets, "Asset files")
      ->required();
  add_export_command(app, action);
  add_report_command(app, action);
  sub = add("status",
            "What became of a dataset made with --shard; exit code 1 where something is left or failed",
            print_status);
  sub->add_option("OUT", arguments.out, "Folder of the assets")->required();
  sub->add_option("--json", arguments.json,
                  "Merge the manifests of all parts in this file; -: to standard output alone")
      ->type_name("FILE");
  sub = add("import-volume", "Make an asset of your own tetrahedra with their pressures", import_tetrahedra);
  sub->add_option(
         "FILE", arguments.file,
         "VTK file, legacy in ASCII or XML (.vtu): an unstructured grid of tetrahedra in metres with a "
         "scalar `pressure` per point, 0 on the surface; of a legacy file also `extent`, as `export` writes "
         "it")
      ->required();
  sub->add_option("--out", arguments.out, "Folder for the asset; made where missing")->required();
  sub =
      add("urdf",
          "Make a robot ready for scenes: its meshes as assets, and a copy of its file that names them; the "
          "options for datasets hold",
          make_robot);
  sub->fallthrough();
  sub->add_option("ROBOT", arguments.dataset, "URDF file")->required();
  sub->add_option("OUT", arguments.out, "Folder for the assets and the copy; made where missing")->required();
  sub = add("synthetic", "Write a set of eight household objects in the YCB layout, made by code",
            write_synthetic);
  sub->add_option("OUT", arguments.dataset, "Folder for the meshes; made where missing")->required();
  sub->add_flag("--dirty", arguments.dirty, "With known faults, for trying the repair");
}

// Reads the command line; returns what to do, or nothing where help or the version was asked for. Throws
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      throw InvalidInput(std::string(error.what()) + "; see abut-preprocess --help");
    app.exit(error);  // --help, --version
    return nullptr;
  }
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
