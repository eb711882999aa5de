#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ctime>

#include "benchmarks/support/data.h"
#include "benchmarks/support/promises.h"
#include "datasets/dataset.h"
#include "preprocess/cli/pipeline.h"
#include "preprocess/grid/grid_error.h"
#include "preprocess/remesh/surface_sampler.h"
#include "runtime/ssdf/grid_field.h"

// The table of distance grids: for every object of a dataset what its grid takes, how far the field is from
// the exact signed distance within a point spacing of the surface, where signs are wrong, and what a query
// costs. Lengths beside a spacing are in spacings of the oriented points. Fails where a promised figure does.
namespace {

using namespace abut;
using namespace abut::preprocess;

constexpr const char* kHead =
    "| object | point spacing mm | node spacing mm | coefficients | MiB in the file | in memory | s | mean "
    "error "
    "| worst | wrong signs % | beyond 1/4 spacing % | farthest wrong | ns, gradient: all over, at a patch | "
    "third derivatives |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

constexpr std::int64_t kSamples = 50'000;
constexpr std::size_t kPatch = 500;  // points whose coefficients stay in the cache

// Nanoseconds of processor time of one query at the first `count` points again and again, the least of
// several runs.
double nanoseconds(const ssdf::GridField& field, const std::vector<Vec3<double>>& points, std::size_t count,
                   int order) {
  double best = std::numeric_limits<double>::infinity(), sum = 0;
  for (int run = 0; run < 7; ++run) {
    const std::clock_t begin = std::clock();
    for (std::size_t i = 0; i < points.size(); ++i) sum += field.distance(points[i % count], order).value;
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  if (std::isnan(sum)) throw InvalidInput("a point of the band has no answer");
  return 1e9 * best / static_cast<double>(points.size());
}

std::vector<Vec3<double>> points_about(const asset::SurfaceView& surface, double radius) {
  const SurfaceSampler sample(surface);
  std::vector<Vec3<double>> points;
  Random random(2, 1);
  for (int i = 0; i < 50'000; ++i) points.emplace_back(sample(random).first + radius * in_unit_ball(random));
  return points;
}

double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void add_row(const asset::Asset& object, benchmarks::Promises& promises) {
  const asset::DistanceGrid& grid = object.grids.front();
  const asset::SurfaceView surface = asset::view(object).surface;
  const ssdf::GridField field(asset::view(grid));
  const double s = point_spacing(object), mebi = 1 << 20;
  const GridError near =
      measure_grid(asset::view(grid), surface, {.samples = kSamples, .radius = s, .seed = 3});
  const GridError all = measure_grid(asset::view(grid), surface,
                                     {.samples = kSamples, .radius = 1.5 * kGridReach * s, .seed = 4});
  double seconds = 0;
  for (const auto& [stage, took] : object.provenance.stage_seconds)
    if (stage == "grid") seconds = took;
  const std::vector<Vec3<double>> points = points_about(surface, s);
  const double file = 4.0 * static_cast<double>(grid.coefficients.size() + grid.index.size()),
               rows = 4.0 * static_cast<double>(grid.rows.size());
  fmt::print(
      "| {} | {:.2f} | {:.2f} | {} | {:.1f} | {:.1f} | {:.2f} | {:.4f} | {:.3f} | {:.2f} | {:.2f} | "
      "{:.3f} | {:.0f}, {:.0f} | {:.0f}, {:.0f} |\n",
      object.name, 1e3 * s, 1e3 * field.spacing(), grid.coefficients.size(), file / mebi,
      (file + rows) / mebi, seconds, near.mean / s, near.worst / s, percent(near.wrong, near.samples),
      percent(near.judged_wrong, near.judged), all.worst_wrong / s,
      nanoseconds(field, points, points.size(), 1), nanoseconds(field, points, kPatch, 1),
      nanoseconds(field, points, points.size(), 3), nanoseconds(field, points, kPatch, 3));
  std::fflush(stdout);
  promises.at_most(object.name + ", mean error, point spacings", near.mean / s, 0.01);
  promises.at_most(object.name + ", wrong signs beyond 1/4 point spacing, %",
                   percent(near.judged_wrong, near.judged), 0.2);
  promises.at_most(object.name + ", farthest wrong sign in the grid, point spacings", all.worst_wrong / s,
                   0.25);
  promises.at_most(object.name + ", points of the band without an answer",
                   static_cast<double>(near.unanswered + all.unanswered), 0);
}

int run(int argc, char** argv) {
  std::string dataset, only;
  Parameters parameters;
  parameters.volume.tetrahedra.clear();
  parameters.points.levels = quad_targets_from_string("2000");
  parameters.grid = grid_parameters_from_string("auto");
  CLI::App app("The table of distance grids of docs/soft_minimum.md");
  app.add_option("DATASET", dataset, benchmarks::kObjectsHelp);
  app.add_option("--only", only, "Objects whose name contains this");
  app.add_option_function<std::string>(
      "--grid", [&](const std::string& text) { parameters.grid = grid_parameters_from_string(text); },
      "As of abut-preprocess; default: auto");
  CLI11_PARSE(app, argc, argv);
  benchmarks::Promises promises;
  fmt::print("{}", kHead);
  for (const datasets::ObjectSource& object :
       datasets::open_dataset(benchmarks::objects_folder(dataset), {}).objects)
    if (object.name.find(only) != std::string::npos) add_row(make_asset(object, parameters, {}), promises);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return abut::benchmarks::guarded("grid_table", run, argc, argv); }
