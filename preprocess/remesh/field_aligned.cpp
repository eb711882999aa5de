#include "preprocess/remesh/field_aligned.h"

#include <fmt/format.h>

#include "preprocess/remesh/extract.h"
#include "preprocess/remesh/orientation_field.h"
#include "preprocess/remesh/settle.h"
#include "preprocess/remesh/singularities.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

std::vector<double> sizes_of(const TriangleMesh& closed, const FieldParameters& parameters) {
  std::vector<double> sizes = parameters.sizes;
  if (sizes.empty()) sizes.assign(closed.vertices.size(), parameters.edge_length);
  if (sizes.size() != closed.vertices.size())
    throw InvalidInput(fmt::format("{} edge lengths for {} vertices", sizes.size(), closed.vertices.size()));
  for (const double size : sizes) {
    if (!(size > 0)) throw InvalidInput(fmt::format("edge length of {} m: it must be positive", size));
  }
  return sizes;
}

// Holds singularities at their vertices; returns their number.
std::size_t hold_singularities(const CreasedSurface& surface, const std::vector<std::uint8_t>& quarter_turns,
                               std::vector<Hold>& holds) {
  std::size_t count = 0;
  const std::vector<int> turns = turns_around(surface.mesh, quarter_turns);
  for (std::size_t v = 0; v < turns.size(); ++v) {
    if (turns[v] == 0) continue;
    ++count;
    holds[v] = Hold::kPoint;
  }
  return count;
}

}  // namespace

PolygonMesh field_aligned_mesh(const TriangleMesh& closed, const FieldParameters& parameters,
                               Report& report) {
  const std::vector<double> sizes = sizes_of(closed, parameters);
  CreasedSurface surface = make_creased_surface(closed, sizes, parameters.crease_degrees, parameters.threads);
  std::vector<Eigen::Vector3d> directions = orientation_field(surface, parameters.threads);
  std::vector<std::uint8_t> quarter_turns = match(surface, directions);
  const std::size_t cancelled = cancel_singularities(surface, directions, quarter_turns);
  keep_aligned_creases(surface, directions);
  std::vector<Hold> holds = crease_holds(surface);
  hold_singularities(surface, quarter_turns, holds);
  std::vector<Eigen::Vector3d> points = position_field(surface, directions, holds, parameters.threads);
  ConsistentLattice lattice = make_lattice(surface, directions, holds, std::move(quarter_turns), points);
  smooth_across(surface, lattice.lattice.turns, lattice.turned, directions);
  const std::size_t singularities = hold_singularities(surface, lattice.lattice.turns, holds);
  settle(surface, directions, holds, parameters.threads, lattice.lattice, points);
  ExtractCounts counts;
  PolygonMesh result = extract(surface, lattice.lattice, holds, points, counts);
  report.measures["field_singularities"] = static_cast<double>(singularities);
  report.measures["field_cancelled_pairs"] = static_cast<double>(cancelled);
  report.measures["field_charges"] = static_cast<double>(lattice.charges);
  report.measures["field_turned_edges"] = static_cast<double>(lattice.turned.size());
  report.measures["field_charges_left"] = static_cast<double>(lattice.left);
  report.measures["field_unmerged"] = static_cast<double>(counts.unmerged);
  report.measures["field_folded"] = static_cast<double>(counts.folded);
  report.measures["field_flat"] = static_cast<double>(counts.flat);
  return result;
}

}  // namespace abut::preprocess
