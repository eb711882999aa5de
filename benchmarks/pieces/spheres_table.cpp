#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ctime>

#include "benchmarks/support/data.h"
#include "benchmarks/support/promises.h"
#include "datasets/dataset.h"
#include "preprocess/cli/pipeline.h"
#include "preprocess/cli/verify_spheres.h"
#include "preprocess/export/part.h"

// The table of sphere sets: for every object of a dataset how far 16, 64 and 256 spheres that hold it reach
// outside, and what they cost. Fails where `verify` would find a fault in one.
namespace {

using namespace abut;
using namespace abut::preprocess;

constexpr int kCounts[] = {16, 64, 256};

int run(int argc, char** argv) {
  std::string dataset, only;
  Parameters parameters;
  parameters.volume.tetrahedra.clear();
  parameters.points.levels.clear();
  CLI::App app("The table of sphere sets of docs/spheres.md");
  app.add_option("DATASET", dataset, benchmarks::kObjectsHelp);
  app.add_option("--only", only, "Objects whose name contains this");
  CLI11_PARSE(app, argc, argv);
  benchmarks::Promises promises;
  fmt::print(
      "| object | outward mm: 16 | 64 | 256 | processor s: 16 | 64 | 256 |\n|---|---|---|---|---|---|---|\n");
  for (const datasets::ObjectSource& source :
       datasets::open_dataset(benchmarks::objects_folder(dataset), {}).objects) {
    if (source.name.find(only) == std::string::npos) continue;
    asset::Asset object = make_asset(source, parameters, {});
    const asset::SurfaceView surface = asset::view(object.surfaces.front());
    const TriangleMesh mesh = to_mesh(surface);
    std::string errors, seconds;
    for (const int count : kCounts) {
      const std::clock_t begin = std::clock();
      Report report;
      object.spheres = {make_spheres(mesh, surface, {count}, report, [](const std::string&) {})};
      seconds += fmt::format(" {:.1f} |", static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
      errors += fmt::format(" {:.1f} |", 1e3 * object.spheres.front().error.front());
      promises.at_most(fmt::format("{}, faults of {} spheres", object.name, count),
                       static_cast<double>(sphere_problems(object).size()), 0);
    }
    fmt::print("| {} |{}{}\n", object.name, errors, seconds);
    std::fflush(stdout);
  }
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return abut::benchmarks::guarded("spheres_table", run, argc, argv); }
