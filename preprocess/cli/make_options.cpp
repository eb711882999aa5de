#include "preprocess/cli/make_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "preprocess/cli/number_checks.h"
#include "runtime/core/decimal.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

constexpr const char* kVolumes = "Volumes: tetrahedra with a pressure field";
constexpr const char* kPieces = "Pieces: convex ones whose union stands for the object";
constexpr double kLeastScale = 1e-9, kGreatestScale = 1e9;  // m: no mesh has units beyond

// Parses "300,1000,3000" or "none"; sorted with the finest first and without repetition, so that equal sets
// of levels have equal descriptions.
std::vector<std::int64_t> targets_from(const std::string& text) {
  std::vector<std::int64_t> targets;
  if (text == "none") return targets;
  for (std::size_t begin = 0, end = 0; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const std::optional<std::int64_t> target = decimal<std::int64_t>(word);
    if (!target || *target < kMinTetrahedra || *target > kMaxTetrahedra)
      throw InvalidInput(
          fmt::format("--tets {}: '{}' is no number of tetrahedra from {} to {}{}; give some, such as "
                      "300,1000,3000, or none",
                      text, word, kMinTetrahedra, kMaxTetrahedra, decimal_hint(word)));
    targets.push_back(*target);
  }
  std::sort(targets.rbegin(), targets.rend());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

void add_volume_options(CLI::App& app, VolumeParameters& volume) {
  std::vector<std::string> fields;
  for (const auto& kind : field_kinds()) fields.push_back(kind.first);
  app.add_option_function<std::string>(
         "--tets", [&volume](const std::string& text) { volume.tetrahedra = targets_from(text); },
         fmt::format("Tetrahedra of each level of detail, separated by commas, or none; default: {}",
                     fmt::join(volume.tetrahedra, ",")))
      ->group(kVolumes)
      ->type_name("COUNTS");
  app.add_flag("--fill-voids", volume.fill_voids, "Fill the cavities inside an object")->group(kVolumes);
  app.add_option_function<std::string>(
         "--field", [&volume](const std::string& kind) { volume.extent.field = field_kinds().at(kind); },
         "laplace: Laplace's equation between surface and core; distance: to the surface, over the largest "
         "one; default: laplace")
      ->group(kVolumes)
      ->type_name("KIND")
      ->check(CLI::IsMember(fields).description(""));
  app.add_option("--core-fraction", volume.extent.core_fraction,
                 "The core, where the field is 1, is all that is deeper than 1 - PART of the local inradius")
      ->group(kVolumes)
      ->type_name("PART")
      ->capture_default_str()
      ->check(between(0, 1, "between 0 and 1"));
  app.add_option("--tetgen-timeout", volume.limits.timeout_seconds, "Seconds after which TetGen is given up")
      ->group(kVolumes)
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(positive());
  app.add_option("--tetgen-memory", volume.limits.memory_bytes,
                 "Memory at which TetGen is given up, where --memory is not less; default: 4GiB")
      ->group(kVolumes)
      ->type_name("SIZE")
      ->transform(decimal_size())
      ->check(from_to(1 << 20, 1e18, "a size from 1MiB, such as 4GiB"));
}

void add_point_options(CLI::App& app, PointParameters& points) {
  constexpr const char* kGroup = "Points: centres of quads, with normals";
  std::vector<std::string> defaults;
  for (const QuadTarget& target : points.levels) defaults.push_back(target.text());
  app.add_option_function<std::string>(
         "--quads", [&points](const std::string& text) { points.levels = quad_targets_from_string(text); },
         fmt::format(
             "Quads of each level of detail, separated by commas: their number; or auto: as fine as "
             "the thinnest walls ask for; or {}: auto where {:g} quads have wrong signs at thin walls, "
             "else these; or none; default: {}",
             kDefaultText, kDefaultQuads, fmt::join(defaults, ",")))
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
  app.add_option_function<std::string>(
         "--pieces", [&pieces](const std::string& text) { set_pieces(text, pieces); },
         fmt::format(
             "Their largest number; auto: as few as the error allows, {} at most; or none; default: {}",
             kAutoPieces, pieces.text()))
      ->group(kPieces)
      ->type_name("COUNT");
  app.add_option(
         "--piece-error", pieces.error,
         "How far they may reach outside the object, and how far what they leave out may be from them")
      ->group(kPieces)
      ->type_name("METRES")
      ->capture_default_str()
      ->check(positive());
  app.add_option("--piece-vertices", pieces.vertices, "Vertices of a piece at most")
      ->group(kPieces)
      ->type_name("COUNT")
      ->capture_default_str()
      ->check(from_to(4, 4096, "a whole number from 4 to 4096"));
}

void add_sphere_option(CLI::App& app, SphereParameters& spheres) {
  app.add_option_function<std::string>(
         "--spheres", [&spheres](const std::string& text) { spheres = sphere_parameters_from_string(text); },
         fmt::format("Their largest number, {} at most; or none; default: {}", kMaxSpheres, spheres.text()))
      ->group("Spheres: balls that together hold the object")
      ->type_name("COUNT");
}

}  // namespace

void add_make_options(CLI::App& app, MakeArguments& arguments) {
  app.add_option("DATASET", arguments.dataset,
                 "Folder of meshes (YCB, BOP, Google Scanned Objects, flat) or one mesh");
  app.add_option("OUT", arguments.out, "Folder for the assets, one <object>.h5 each; made where missing");
  app.add_option("--jobs", arguments.batch.jobs, "Objects at once; 0: the number of cores")
      ->capture_default_str()
      ->check(from_to(0, 1024, "a whole number from 0 (one per core) to 1024"));
  app.add_option(
         "--only", arguments.only,
         "Only the object of this name, or else those that match it as a pattern (*, ?, [..]); may be "
         "repeated")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option_function<std::string>(
         "--shard", [&arguments](const std::string& text) { arguments.shard = shard_from_string(text); },
         "Only part I of N of the objects; OUT/manifests/I-of-N.json says what became of them, `status` of "
         "all parts")
      ->type_name("I/N");
  app.add_flag("--force", arguments.batch.force,
               "Make again what is up to date, and replace assets that were made of other files");
  app.add_option(
         "--store", arguments.batch.store,
         "Folder that keeps what is made under a digest of meshes, settings and versions: what is there "
         "is taken, so that no mesh is made twice in any dataset")
      ->type_name("DIR");
  app.add_option(
         "--json", arguments.json,
         "Write all that is known of the run to this file; -: to standard output, and nothing else there")
      ->type_name("FILE");
  app.add_flag("--quiet", arguments.quiet, "Print errors only");
  app.add_flag("--events", arguments.events,
               "Write what happens to standard output, a line of JSON each and nothing else, for other "
               "programs; the last has what --json has");
  app.add_option("--layout", arguments.layout, datasets::layout_names() + "; default: detected");
  app.add_option("--scale", arguments.scale,
                 "Metres per unit of the meshes, on top of the unit that a file states (COLLADA); default: "
                 "0.001 for BOP, 1 for others")
      ->type_name("METRES")
      ->check(
          from_to(kLeastScale, kGreatestScale,
                  fmt::format("a positive number of metres from {:g} to {:g}", kLeastScale, kGreatestScale)));
  app.add_flag("--keep-all-components", arguments.batch.parameters.close.all_components,
               "Keep every part of an object, not the largest alone");
  app.add_option("--max-hole", arguments.batch.parameters.close.max_hole,
                 "Fill holes up to this part of the diagonal across; larger ones only where a flat lid fits, "
                 "else the surface becomes a thin shell")
      ->type_name("PART")
      ->capture_default_str()
      ->check(from_to(0, 1, "a number from 0 to 1"));
  app.add_option("--max-tunnel", arguments.batch.parameters.close.max_tunnel,
                 "Close handles and tunnels with a loop shorter than this part of the diagonal, 0: none; "
                 "default: what the mesh does not resolve")
      ->type_name("PART")
      ->check(from_to(0, 1, "a number from 0 to 1"));
  add_volume_options(app, arguments.batch.parameters.volume);
  add_point_options(app, arguments.batch.parameters.points);
  add_grid_option(app, arguments.batch.parameters.grid);
  add_piece_options(app, arguments.batch.parameters.pieces);
  add_sphere_option(app, arguments.batch.parameters.spheres);
  app.add_option("--timeout", arguments.batch.timeout_seconds, "Seconds after which one object is given up")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(positive());
  app.add_option("--memory", arguments.batch.memory_bytes,
                 "Memory at which one object is given up; default: its share of four fifths of the machine's")
      ->type_name("SIZE")
      ->transform(decimal_size())
      ->check(from_to(1 << 26, 1e18, "a size from 64MiB, such as 4GiB"));
}

void refuse_unheeded(const CLI::App& app, const Parameters& parameters) {
  for (const CLI::Option* option : app.get_options()) {
    const auto lacks = [&](const char* group, const std::string& maker, bool makes) {
      if (option->count() > 0 && !makes && option->get_group() == group && option->get_name() != maker)
        throw InvalidInput(fmt::format("{} has no effect without {}", option->get_name(), maker));
    };
    lacks(kVolumes, "--tets", !parameters.volume.tetrahedra.empty());
    lacks(kPieces, "--pieces", parameters.pieces.kind != PieceParameters::Kind::kNone);
  }
}

std::string settings_json() {
  CLI::App app;
  MakeArguments arguments;
  add_make_options(app, arguments);
  nlohmann::json settings = nlohmann::json::array();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty() || option->get_lnames().front() == "help") continue;
    settings.push_back({{"name", option->get_lnames().front()},
                        {"type", option->get_type_name()},
                        {"default", option->get_default_str()},
                        {"group", option->get_group()},
                        {"help", option->get_description()},
                        {"flag", option->get_expected_max() == 0},
                        {"repeats", option->get_expected_max() > 1}});
  }
  return settings.dump(2);
}

}  // namespace abut::preprocess
