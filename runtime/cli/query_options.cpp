#include "runtime/cli/query_options.h"

#include <fmt/format.h>

#include <limits>

#include "runtime/cli/command_line.h"
#include "runtime/cli/point_query.h"
#include "runtime/cli/status_table.h"

namespace abut::cli {
namespace {

std::string describe_quantities() {
  std::string text = "Quantities (--what) and their methods (--method; the first is the default):\n";
  for (const QuantityRow& row : quantities()) {
    text += fmt::format("  {:<19}{}\n", row.name, row.description);
    if (!row.methods.empty()) text += fmt::format("  {:<19}methods: {}\n", "", fmt::join(row.methods, ", "));
  }
  text += fmt::format("  {:<19}{}\n  {:<19}{}\n", kPointQuantity,
                      "soft signed distance of points from an object: value (m), gradient, Hessian (1/m);",
                      "", "POSES then has columns obj, x, y, z (m, in the object's frame)");
  text +=
      "With --model pressure_field objA or objB may be @sphere:R, @box:X:Y:Z, @cylinder:R:H, @capsule:R:H\n"
      "(rigid, half sizes in m; cylinder and capsule along z, H without the capsule's round ends), and objB\n"
      "@half_space (z <= 0 of its frame; rigid with --rigid-b). Round ones are made of triangles within\n"
      "R / 1000 of the shape, half of it to either side: overlaps no deeper than that (1 m for R = 1000)\n"
      "are inexact or not seen (no_overlap); for ground take @half_space or @box, which are exact.\n";
  text += describe_settings(setting_groups()) + describe_statuses();
  return text +
         "Exit status: 0 every row answered; 1 some rows have status invalid_input or not_converged; 2 "
         "error.";
}

// The options of pressure-field contact.
void add_pressure_options(CLI::App& app, QueryArguments& arguments) {
  contact::PressureFieldConfig& config = arguments.pressure.config;
  const std::string group = "With --model pressure_field";
  std::vector<CLI::Option*> options;
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const CLI::Validator a_number = number_from(-kAny, kAny, "a number");
  const auto both = [&](const std::string& name, double contact::PressureMaterial::*member,
                        const std::string& text) {
    const std::pair<const char*, contact::PressureMaterial*> materials[] = {{"-a", &config.A},
                                                                            {"-b", &config.B}};
    for (const auto& [which, material] : materials)
      options.push_back(
          app.add_option(name + which, material->*member, text + (which[1] == 'a' ? " of objA" : " of objB"))
              ->capture_default_str()
              ->check(a_number));
  };
  both("--modulus", &contact::PressureMaterial::modulus, "pressure in the core (Pa)");
  both("--dissipation", &contact::PressureMaterial::dissipation, "Hunt and Crossley's factor (s)");
  both("--mu", &contact::PressureMaterial::friction, "coefficient of friction");
  const auto rigid = [&](const std::string& name, contact::PressureMaterial& material) {
    options.push_back(app.add_flag_callback(
        name, [&material] { material.modulus = contact::kRigid; }, "its surface is rigid"));
  };
  rigid("--rigid-a", config.A);
  rigid("--rigid-b", config.B);
  options.push_back(app.add_option("--stiction-speed", config.stiction_speed,
                                   "slip at which friction is nearly whole (m/s)")
                        ->capture_default_str()
                        ->check(a_number));
  options.push_back(app.add_option("--half-space-thickness", arguments.pressure.half_space_thickness,
                                   "depth at which @half_space has its modulus (m)")
                        ->capture_default_str()
                        ->check(a_number));
  options.push_back(app.add_flag("--fade-pulls", config.fade_pulls,
                                 "fade out the parts of the surface that would pull the bodies together"));
  options.push_back(app.add_flag("--energy", arguments.pressure.energy, "a column for the potential (J)"));
  options.push_back(app.add_option("--surfaces", arguments.surfaces,
                                   "folder for each row's contact surface, 0.vtk, 1.vtk, ..., in B's frame"));
  options.push_back(app.add_option("--surface-format", arguments.surface_format, "vtk or ply")
                        ->capture_default_str()
                        ->check(CLI::IsMember({"vtk", "ply"})));
  for (CLI::Option* option : options) {
    option->group(group);
    option->each([&arguments, name = option->get_name()](const std::string&) {
      arguments.pressure_flags.push_back(name);
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
  app.add_option("--method,--model", arguments.method, "how, where there is a choice");
  app.add_option("--out", arguments.out, "CSV file to write, whole or not at all; -: standard output")
      ->capture_default_str();
  add_pressure_options(app, arguments);
  add_setting_options(app, setting_groups(), arguments.settings);
  add_jobs(app, arguments.jobs, "threads");
  app.footer(describe_quantities);
}

}  // namespace abut::cli
