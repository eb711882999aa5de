#include "preprocess/remesh/remesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "preprocess/remesh/edit_quads.h"
#include "preprocess/remesh/isotropic.h"
#include "preprocess/remesh/relax.h"
#include "preprocess/remesh/to_quads.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

constexpr int kIsotropicRounds = 3;
// Of equilateral triangles whose pairs have the area of a square with edge 1, and what the remesher's
// triangles and the collapses after it differ from that in the mean.
const double kTriangleEdge = std::sqrt(2 / std::numbers::sqrt3) * 1.06;
constexpr int kEdits = 3, kRoundsBetweenEdits = 4, kLastRounds = 10;

double edge_for(const QuadTarget& target, const ReferenceSurface& surface) {
  if (target.kind == QuadTarget::Kind::kEdge) {
    if (!(target.value > 0))
      throw InvalidInput(fmt::format("edge length of {} m: it must be positive", target.value));
    return target.value;
  }
  return std::sqrt(surface.area() / (target.kind == QuadTarget::Kind::kAuto ? 2000 : target.value));
}

QuadMesh from_isotropic(const TriangleMesh& closed, const ReferenceSurface& surface, double edge,
                        const RemeshParameters& parameters) {
  QuadMesh mesh =
      to_quads(remesh_isotropic(closed, kTriangleEdge * edge, parameters.crease_degrees, kIsotropicRounds));
  remove_doublets(mesh);
  RelaxParameters relaxing{.rounds = kRoundsBetweenEdits, .edge = edge, .threads = parameters.threads};
  for (int i = 0; i < kEdits; ++i) {
    relax(mesh, surface, relaxing);
    improve_connectivity(mesh, parameters.crease_degrees);
  }
  relaxing.rounds = kLastRounds;
  relax(mesh, surface, relaxing);
  return mesh;
}

}  // namespace

std::string QuadTarget::text() const {
  if (kind == Kind::kAuto) return "auto";
  return kind == Kind::kQuads ? fmt::format("{}", value) : fmt::format("{} m", value);
}

namespace {

QuadTarget target_from(const std::string& text) {
  if (text == "auto") return {};
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= kLeastQuads && value <= kMostQuads) ||
      value != std::floor(value))
    throw InvalidInput(fmt::format("number of quads '{}': use auto or a whole number from {} to {}", text,
                                   kLeastQuads, kMostQuads));
  return {QuadTarget::Kind::kQuads, value};
}

}  // namespace

std::vector<QuadTarget> quad_targets_from_string(const std::string& text) {
  std::vector<QuadTarget> targets;
  if (text == "none") return targets;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    targets.push_back(target_from(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return targets;
}

QuadMesh remesh(const TriangleMesh& closed, const ReferenceSurface& surface,
                const RemeshParameters& parameters, Report&) {
  const double edge = edge_for(parameters.target, surface);
  const double quads = surface.area() / (edge * edge);
  if (!(quads >= kLeastQuads && quads <= kMostQuads))
    throw InvalidInput(
        fmt::format("quads with edges of {:g} mm: about {:.0f}, which is not between {} and {}", 1e3 * edge,
                    quads, kLeastQuads, kMostQuads));
  return from_isotropic(closed, surface, edge, parameters);
}

}  // namespace abut::preprocess
