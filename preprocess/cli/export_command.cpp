#include "preprocess/cli/export_command.h"

#include <fmt/format.h>

#include <memory>

#include "preprocess/cli/number_checks.h"
#include "preprocess/export/export_set.h"
#include "preprocess/export/part.h"
#include "runtime/cli/say.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/output_file.h"

namespace abut::preprocess {
namespace {

struct ExportArguments {
  std::string source, part = "surface", out, to, material, table;
  double mass = 0;
  ExportOptions options;
};

int export_one_part(const ExportArguments& arguments) {
  if (std::filesystem::is_directory(arguments.source))
    throw InvalidInput(arguments.source + ": --part is of one asset; --to exports all assets of a folder");
  check_writable(arguments.out);
  require_not_input(arguments.out, arguments.source);
  export_part(load_named_by_file(arguments.source), arguments.part, arguments.out);
  return kAllFine;
}

void print_unused(const ExportArguments& arguments, const std::vector<ExportResult>& results) {
  std::map<std::string, Amount> unused = arguments.options.amounts;
  for (const ExportResult& result : results) unused.erase(result.object.name);
  for (const auto& entry : unused)
    cli::say("  note: {}: there is no object '{}' here\n", arguments.table, entry.first);
}

// Prints the first few notes; the manifest has all of them.
void print_notes(const std::vector<ExportResult>& results) {
  constexpr std::size_t kShown = 5;
  std::size_t count = 0;
  for (const ExportResult& result : results)
    for (const std::string& note : result.object.visual.notes)
      if (++count <= kShown) cli::say("  note: {}\n", note);
  if (count > kShown) cli::say("  note: {} in manifest.json\n", counted(count - kShown, "more note"));
}

int export_to(ExportArguments& arguments) {
  const Exporter& to = exporter(arguments.to);
  ExportOptions& options = arguments.options;
  if (!arguments.material.empty()) options.amount = amount_of_material(arguments.material);
  if (arguments.mass > 0) options.amount = {.mass = arguments.mass};
  if (!arguments.table.empty()) options.amounts = read_amounts(arguments.table);
  std::size_t failed = 0;
  const auto print = [&](const ExportResult& result) {
    if (result.failure.empty()) {
      const std::string caution = hull_caution(result.object);
      cli::say("  {}: {:.4g} kg, {} in {}/{}{}\n", result.object.name, result.object.inertial.mass,
               counted(result.files.size(), "file"), result.object.id, caution.empty() ? "" : "; ", caution);
    } else {
      ++failed;
      cli::say_error("abut-preprocess",
                     fmt::format("{}: not exported: {}", result.asset_file, result.failure));
    }
  };
  const std::vector<ExportResult> results =
      export_set(assets_of(arguments.source), to, arguments.out, options, print);
  print_notes(results);
  print_unused(arguments, results);
  const bool same_density = options.amount.mass == 0 && options.amounts.empty();
  cli::say("{}: {} for {}, {} failed; manifest.json has masses (kg{}) and inertias (kg m^2)\n", arguments.out,
           counted(results.size() - failed, "object"), to.name, failed,
           same_density ? fmt::format(", of solids of {:g} kg/m^3", options.amount.density) : "");
  return failed == 0 ? kAllFine : kSomeFailed;
}

void add_amount_options(CLI::App& sub, ExportArguments& arguments, CLI::Option* to) {
  constexpr const char* kGroup = "Mass of the objects, taken for solid";
  const auto magnitude = from_to(1e-12, 1e12, "a number from 1e-12 to 1e12");
  CLI::Option* density = sub.add_option("--density", arguments.options.amount.density, "kg/m^3")
                             ->type_name("KG_M3")
                             ->capture_default_str()
                             ->check(magnitude);
  CLI::Option* mass = sub.add_option("--mass", arguments.mass, "kg, of each object instead")
                          ->type_name("KG")
                          ->check(magnitude)
                          ->excludes(density);
  CLI::Option* material =
      sub.add_option("--material", arguments.material,
                     fmt::format("Density of one of {}", fmt::join(material_names(), ", ")))
          ->type_name("NAME")
          ->excludes(density)
          ->excludes(mass);
  CLI::Option* table =
      sub.add_option("--table", arguments.table,
                     "Lines OBJECT,density,KG_M3 or OBJECT,mass,KG or OBJECT,material,NAME for some objects")
          ->type_name("FILE");
  CLI::Option* modulus = sub.add_option("--modulus", arguments.options.settings.modulus,
                                        "Pa, with --to drake: pressure where the extent is 1")
                             ->capture_default_str()
                             ->check(magnitude);
  for (CLI::Option* option : {density, mass, material, table, modulus}) option->group(kGroup)->needs(to);
  modulus->group("Contact");
}

}  // namespace

void add_export_command(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand(
      "export", "Write assets for a simulator (--to), or a part of one as a mesh with all digits (--part)");
  sub->footer(
      "Exit codes: 0 everything is written; 1 with --to, some object could not be exported, and the others "
      "are\n"
      "            there; 2 bad arguments or input that cannot be used, or output that cannot be written.\n"
      "A second run writes everything again, file by file.");
  const auto arguments = std::make_shared<ExportArguments>();
  sub->add_option("SOURCE", arguments->source, "Asset file, or with --to a folder of assets")->required();
  std::string rows;
  for (const Exporter& row : exporters()) rows += fmt::format("\n{}: {}", row.name, row.summary);
  CLI::Option* to = sub->add_option("--to", arguments->to, "One of" + rows)->type_name("SIMULATOR");
  sub->add_option("--part", arguments->part,
                  fmt::format("One of {}; PART:LEVEL for a level other than the finest",
                              fmt::join(exportable_parts(), ", ")))
      ->type_name("PART")
      ->capture_default_str()
      ->excludes(to);
  sub->add_option(
         "--out", arguments->out,
         "With --to the folder to write to, made where missing; otherwise the file: .obj, .ply, .vtk "
         "or .stl; a volume: .vtk; spheres: .json or .yml")
      ->required()
      ->type_name("PATH");
  add_amount_options(*sub, *arguments, to);
  sub->callback([&action, arguments, sub] {
    if (sub->count("--modulus") > 0 && arguments->to != "drake")
      throw InvalidInput("--modulus goes with --to drake");
    action = [arguments] {
      return arguments->to.empty() ? export_one_part(*arguments) : export_to(*arguments);
    };
  });
}

}  // namespace abut::preprocess
