#include "runtime/cli/query_options.h"

#include <fmt/format.h>

#include <limits>

#include "runtime/cli/command_line.h"
#include "runtime/cli/point_query.h"
#include "runtime/cli/status_table.h"
#include "runtime/proximity/distance_model.h"

namespace abut::cli {
namespace {

std::string describe_primitives() {
  std::string text =
      "objA and objB are names of assets, of which the finest level of detail and the hull stand for them,\n"
      "unless the name says others: mug:volume=1, mug:points=1, mug:surface=1, mug:convex=3 (a piece);\n"
      "or primitives in frames of their own (m; half sizes, z axes):\n";
  for (const body::PrimitiveRow& row : body::primitives())
    text += fmt::format("  @{:<20}{}\n",
                        std::string(row.name) + (row.sizes.empty() ? "" : ":") + std::string(row.sizes),
                        row.help);
  return text +
         "With --model pressure_field they are rigid, but for @half_space (rigid with --rigid-a or -b)\n"
         "and where --modulus-a or -b is given. Round ones are made of triangles within R / 1000 of the\n"
         "shape, half of it to either side: overlaps no deeper than that (1 m for R = 1000) are inexact\n"
         "or not seen (no_overlap); for ground take @half_space or @box, which are exact.\n";
}

std::string describe_quantities() {
  // The shell's completion offers the words after "models:" and "methods:".
  const auto choices = [](const char* what, const std::vector<std::string_view>& names) {
    return names.empty() ? "" : fmt::format("  {:<21}{}: {}\n", "", what, fmt::join(names, ", "));
  };
  std::string text =
      "Quantities (--what) with their models and methods (--model, --method; the first is the default):\n";
  for (const QuantityRow& row : quantities())
    text += fmt::format("  {:<21}{}\n", row.name, row.description) + choices("models", row.models) +
            choices(row.models.empty() ? "models" : "methods", row.methods);
  text +=
      fmt::format("  {:<21}{}\n  {:<21}{}\n", kPointQuantity,
                  "soft signed distance of points near an object, no clearance far from it (of a primitive "
                  "the exact one): value (m), gradient, Hessian (1/m);",
                  "", "POSES then has columns obj, x, y, z (m, in the object's frame)");
  text += "Models of the bodies for distances, with the methods of their derivatives:\n";
  for (const proximity::DistanceModelRow& row : proximity::distance_models())
    text += fmt::format("  {:<21}{}\n", row.name, row.summary) + choices("methods", row.methods);
  text += describe_primitives();
  text += describe_settings(setting_groups()) + describe_statuses();
  return text +
         "Exit status: 0 every row answered; 1 some rows have status invalid_input or not_converged; 2 "
         "error.";
}

// Options for the materials of the bodies, and for further output of wrenches.
void add_wrench_options(CLI::App& app, QueryArguments& arguments) {
  BodyOptions& bodies = arguments.bodies;
  std::vector<CLI::Option*> options;
  constexpr double kAny = std::numeric_limits<double>::max();
  const std::string finite = "a finite number";
  // `{}` in the text is replaced by the body's name.
  const auto both = [&](const std::string& name, double body::Material::*member, const char* text,
                        const std::string& what) {
    const std::pair<const char*, body::Material*> materials[] = {{"A", &bodies.A}, {"B", &bodies.B}};
    for (const auto& [which, material] : materials) {
      const std::string option = name + (material == &bodies.A ? "-a" : "-b");
      const auto set = [=, own = material, letter = which](const double& value) {
        own->*member = value;
        body::require_valid(*own, option.c_str(), letter);
      };
      options.push_back(app.add_option_function<double>(
                               option, set, fmt::format(fmt::runtime(text), std::string("obj") + which))
                            ->default_str(number_text(material->*member))
                            ->check(number_from(-kAny, kAny, what)));
    }
  };
  both("--modulus", &body::Material::modulus,
       "pressure field: pressure in the core of {} (Pa); where it is a primitive, makes it compliant",
       finite + " of Pa; --rigid-a and --rigid-b make bodies rigid");
  app.get_option("--modulus-a")->each([&bodies](const std::string&) { bodies.compliant_A = true; });
  app.get_option("--modulus-b")->each([&bodies](const std::string&) { bodies.compliant_B = true; });
  both("--dissipation", &body::Material::dissipation, "pressure field: Hunt and Crossley's factor of {} (s)",
       finite);
  both("--mu", &body::Material::friction,
       "coefficient of friction of {}; a pair has the harmonic mean 2 a b / (a + b)", finite);
  const auto rigid = [&](const std::string& name, body::Material& material) {
    options.push_back(app.add_flag_callback(
        name, [&material] { material.modulus = body::kRigid; }, "pressure field: its surface is rigid"));
    return options.back();
  };
  rigid("--rigid-a", bodies.A)->excludes("--modulus-a");
  rigid("--rigid-b", bodies.B)->excludes("--modulus-b");
  options.push_back(app.add_option("--half-space-thickness", bodies.half_space_thickness,
                                   "pressure field: depth at which @half_space has its modulus (m)")
                        ->capture_default_str()
                        ->check(number_from(1e-9, 1e9, "a number of metres from 1e-9 to 1e9")));
  options.push_back(app.add_flag("--energy", arguments.energy,
                                 "a column for the potential (J), but for wrench_hessian; nan beside what is "
                                 "rigid, as primitives are without --modulus-a or --modulus-b"));
  CLI::Option* surfaces = options.emplace_back(app.add_option(
      "--surfaces", arguments.surfaces,
      "pressure field: folder for each row's contact surface, 0.vtk, 1.vtk, ..., in B's frame; rows "
      "without a valid pose have none, and files of an earlier run beyond the last row stay"));
  options.push_back(app.add_option("--surface-format", arguments.surface_format, "vtk or ply")
                        ->capture_default_str()
                        ->needs(surfaces)
                        ->check(CLI::IsMember({"vtk", "ply"})));
  for (CLI::Option* option : options) {
    option->group("With --what wrench and its derivatives");
    option->each([&arguments, name = option->get_name()](const std::string&) {
      arguments.wrench_flags.push_back(name);
    });
  }
}

}  // namespace

void add_query_options(CLI::App& app, QueryArguments& arguments) {
  arguments.what = quantities().front().name;
  app.add_option("ASSETS", arguments.assets, "folder of assets made by abut-preprocess")->required();
  app.add_option(
         "POSES", arguments.poses,
         "CSV with columns objA, objB, qw, qx, qy, qz, tx, ty, tz: the pose X_AB of B in A, metres; with wx, "
         "wy, wz, vx, vy, vz the twist of B in A too, in B; - reads standard input")
      ->required();
  app.add_option("--what", arguments.what, "quantity to answer")->capture_default_str();
  app.add_option("--method", arguments.method, "how, where there is a choice");
  app.add_option("--model", arguments.model,
                 "what stands for the bodies (distances), or the contact model (wrenches)");
  CLI::Option* all =
      app.add_flag("--all-contacts", arguments.all_contacts,
                   "a row for every contact region within --margin, nearest first; for none one "
                   "row of NaN with status no_overlap; --what separation or derivative");
  app.add_option("--margin", arguments.margin, "how near regions are contacts (m)")
      ->capture_default_str()
      ->needs(all)
      ->check(number_from(0, 1e12, "a margin from 0 to 1e12 m"));
  app.add_option("--out", arguments.out,
                 "CSV file to write, whole or not at all, of a name that ends in .csv or in nothing; -: "
                 "standard output")
      ->capture_default_str();
  add_wrench_options(app, arguments);
  add_setting_options(app, setting_groups(), arguments.settings);
  add_jobs(app, arguments.jobs, "threads");
  app.footer(describe_quantities);
}

}  // namespace abut::cli
