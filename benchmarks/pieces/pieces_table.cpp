#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ctime>

#include "benchmarks/pieces/pieces_pairs.h"
#include "benchmarks/support/data.h"
#include "benchmarks/support/promises.h"
#include "datasets/dataset.h"
#include "preprocess/cli/pipeline.h"
#include "runtime/core/random.h"
#include "runtime/witness/pieces_query.h"

// The table of convex pieces: for every object of a dataset how many there are, their errors, the volume of
// their union beside the solid's, and what they cost. Of the scanned mug, the room for a ball inside and for
// one in the handle. Then pairs of them beside their surfaces and their hulls (pieces_pairs.h). Fails where a
// promised figure does.
namespace {

using namespace abut;
using namespace abut::preprocess;

constexpr const char* kHead =
    "| object | pieces | vertices, all; most | outward mm | inward mm | volume | processor s |\n"
    "|---|---|---|---|---|---|---|\n";

constexpr int kSamples = 200'000;

bool holds(const asset::ConvexView& piece, const Vec3<double>& p) {
  for (std::int32_t t = 0; t < piece.triangle_count; ++t) {
    Vec3<double> corner[3];
    for (int k = 0; k < 3; ++k) {
      const std::int32_t v = piece.triangles[3 * t + k];
      corner[k] = {piece.x[v], piece.y[v], piece.z[v]};
    }
    if ((corner[1] - corner[0]).cross(corner[2] - corner[0]).dot(p - corner[0]) > 0) return false;
  }
  return true;
}

// Of the union over that of the solid, by random points.
double volume_ratio(const body::Geometry& object, double volume) {
  const asset::PiecesView& pieces = object.pieces();
  Vec3<double> low = Vec3<double>::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (std::int32_t i = 0; i < pieces.piece_count; ++i) {
    const asset::ConvexView& piece = pieces.convex[i];
    for (std::int32_t v = 0; v < piece.vertex_count; ++v) {
      low = low.cwiseMin(Vec3<double>(piece.x[v], piece.y[v], piece.z[v]));
      high = high.cwiseMax(Vec3<double>(piece.x[v], piece.y[v], piece.z[v]));
    }
  }
  Random random(4, 0);
  int inside = 0;
  for (int i = 0; i < kSamples; ++i) {
    Vec3<double> p;
    for (int k = 0; k < 3; ++k) p[k] = random.uniform(low[k], high[k]);
    inside += std::any_of(pieces.convex, pieces.convex + pieces.piece_count,
                          [&](const asset::ConvexView& piece) { return holds(piece, p); });
  }
  return inside * (high - low).prod() / (kSamples * volume);
}

// How far a ball of the radius (m) at p (m) is from the pieces, m.
double room(const body::Geometry& object, double radius, const Vec3<double>& p) {
  Pose<double> X;
  X.p = p;
  return witness::PiecesSolver(object, body::Geometry(body::Sphere<double>{radius}))(X).witness.distance;
}

benchmarks::ObjectOfPieces add_row(const datasets::ObjectSource& source, const Parameters& parameters,
                                   benchmarks::Promises& promises) {
  Parameters bare = parameters;
  bare.pieces.kind = PieceParameters::Kind::kNone;
  const std::clock_t begin = std::clock();
  make_asset(source, bare, {});
  const std::clock_t middle = std::clock();
  asset::Asset made = make_asset(source, parameters, {});
  const double seconds = static_cast<double>(std::clock() - middle - (middle - begin)) / CLOCKS_PER_SEC;
  const double outward = made.pieces.front().errors[0], inward = made.pieces.front().errors[1];
  const double volume = made.mass.volume;
  std::size_t vertices = 0, most = 0;
  for (std::size_t i = 1; i < made.convex.size(); ++i) {
    vertices += made.convex[i].vertices.size() / 3;
    most = std::max(most, made.convex[i].vertices.size() / 3);
  }
  const std::size_t count = made.convex.size() - 1;
  const std::string name = made.name;
  const body::Geometry object(std::move(made));
  const double ratio = volume_ratio(object, volume);
  fmt::print("| {} | {} | {}; {} | {:.2f} | {:.2f} | {:+.1f} % | {:.0f} |\n", name, count, vertices, most,
             1e3 * outward, 1e3 * inward, 100 * (ratio - 1), seconds);
  std::fflush(stdout);
  promises.at_most(name + ", pieces", static_cast<double>(count), parameters.pieces.count);
  promises.at_most(name + ", vertices of a piece", static_cast<double>(most), parameters.pieces.vertices);
  if (name == "025_mug" && parameters.pieces.kind == PieceParameters::Kind::kAuto) {
    promises.at_least("a ball of 50 mm in the mug, clearance, mm",
                      1e3 * room(object, 0.025, {-0.002, 0.001, 0.025}), 0);
    promises.at_least("a ball of 3 mm in the mug's handle, clearance, mm",
                      1e3 * room(object, 0.0015, {0.049, -0.002, 0.005}), 0);
  }
  return {object, outward, inward};
}

int run(int argc, char** argv) {
  std::string dataset, only;
  Parameters parameters;
  parameters.volume.tetrahedra.clear();
  parameters.points.levels.clear();
  set_pieces("auto", parameters.pieces);
  CLI::App app("The table of convex pieces of docs/pieces.md");
  app.add_option("DATASET", dataset, benchmarks::kObjectsHelp);
  app.add_option("--only", only, "Objects whose name contains this");
  app.add_option_function<std::string>(
      "--pieces", [&](const std::string& text) { set_pieces(text, parameters.pieces); },
      "As of abut-preprocess; default: auto");
  app.add_option("--piece-vertices", parameters.pieces.vertices, "As of abut-preprocess; default: 64");
  CLI11_PARSE(app, argc, argv);
  benchmarks::Promises promises;
  fmt::print("{}", kHead);
  std::vector<benchmarks::ObjectOfPieces> objects;
  for (const datasets::ObjectSource& object :
       datasets::open_dataset(benchmarks::objects_folder(dataset), {}).objects) {
    if (object.name.find(only) == std::string::npos) continue;
    objects.push_back(add_row(object, parameters, promises));
  }
  if (objects.size() > 1) {
    compare_with_surfaces(objects, promises);
    compare_with_hulls(objects);
  }
  if (parameters.pieces.kind == PieceParameters::Kind::kAuto &&
      parameters.pieces.vertices == PieceParameters{}.vertices)
    promises.at_most("objects beyond 1 mm outward or inward",
                     static_cast<double>(std::count_if(objects.begin(), objects.end(),
                                                       [&](const benchmarks::ObjectOfPieces& object) {
                                                         return !(std::max(object.outward, object.inward) <=
                                                                  parameters.pieces.error);
                                                       })),
                     4);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return abut::benchmarks::guarded("pieces_table", run, argc, argv); }
