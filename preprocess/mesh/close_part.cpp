#include "preprocess/mesh/close_part.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "preprocess/index/index.h"
#include "preprocess/mesh/hanging.h"
#include "preprocess/mesh/lids.h"
#include "preprocess/mesh/measure.h"
#include "preprocess/mesh/mend_part.h"
#include "preprocess/mesh/object_size.h"
#include "preprocess/mesh/parts.h"
#include "preprocess/mesh/pinches.h"
#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/weld.h"
#include "preprocess/mesh/wrap.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

// A rim is flat if it lies within this fraction of its extent of a plane: the scanned edge of a cut or a brim
// wavers by a few percent.
constexpr double kFlatRim = 0.03;
// Holes wider than this fraction of the diagonal are reported as openings: the mouth of a bottle rather than
// a gap of a scan.
constexpr double kOpening = 0.07;
constexpr double kRounding = 1e-12;  // of points on a surface, over its diagonal

// Smallest extent of the vertices along their principal axes, m.
double thickness(const TriangleMesh& mesh) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const auto& v : mesh.vertices) mean += v;
  mean /= static_cast<double>(mesh.vertices.size());
  Eigen::Matrix3d scatter = Eigen::Matrix3d::Zero();
  for (const auto& v : mesh.vertices) scatter += (v - mean) * (v - mean).transpose();
  const Eigen::Vector3d axis = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(scatter).eigenvectors().col(0);
  double lo = 0, hi = 0;
  for (const auto& v : mesh.vertices) {
    lo = std::min(lo, axis.dot(v - mean));
    hi = std::max(hi, axis.dot(v - mean));
  }
  return hi - lo;
}

TriangleMesh compact(const TriangleMesh& mesh) {
  return select_faces(mesh, std::vector<char>(mesh.triangles.size(), 1));
}

TriangleMesh cancel_flaps(TriangleMesh mesh, Report& report) {
  const Coincident found = cancel_coincident(mesh);
  if (found.flaps > 0)
    report.warnings.push_back(
        fmt::format("{} of coincident opposite faces cancelled", counted(found.flaps, "flap")));
  if (found.duplicates > 0)
    report.warnings.push_back(fmt::format("{} dropped", counted(found.duplicates, "repeated face")));
  if (mesh.triangles.empty())
    throw InvalidInput("every face has a coincident opposite face: the object encloses no volume");
  if (const std::size_t faces = most_faces_at_an_edge(mesh); faces > CloseParameters::kMaxFacesAtAnEdge)
    throw InvalidInput(fmt::format("an edge has {} faces, more than {}: this is no surface of a solid", faces,
                                   CloseParameters::kMaxFacesAtAnEdge));
  return mesh;
}

void refuse_if_flat(const TriangleMesh& mesh, double diagonal) {
  const double t = thickness(compact(mesh));
  if (t > CloseParameters::kFlat * diagonal) return;
  throw InvalidInput(fmt::format(
      "the object is flat: {:.3g} m thin over {:.3g} m; it has no volume: give it two sides", t, diagonal));
}

TriangleMesh orient(const TriangleMesh& mesh, Report& report) {
  const OrientedSoup oriented = orient_soup(mesh);
  if (oriented.turned > 0)
    report.warnings.push_back(fmt::format("{} turned to agree with {} neighbours",
                                          counted(oriented.turned, "face was", "faces were"),
                                          oriented.turned == 1 ? "its" : "their"));
  return compact(oriented.mesh);
}

// Drops specks that, after cancelling and orienting, are attached by nothing but a vertex or an edge.
TriangleMesh drop_specks(const TriangleMesh& mesh, double diagonal, Report& report) {
  const Parts parts = measure_parts(mesh);
  if (parts.of.count == 1) return mesh;
  std::vector<char> keep(parts.of.count);
  for (std::int32_t p = 0; p < parts.of.count; ++p)
    keep[p] = p == parts.largest || parts.extents[p] > kNoise * diagonal ? 1 : 0;
  return drop_parts(mesh, parts, keep, "", report);
}

// Removes hanging faces and returns them.
TriangleMesh peel(TriangleMesh& mesh, double most, Report& report) {
  const double before = area(mesh);
  Hanging hanging = drop_hanging(mesh, most * before);
  if (hanging.faces == 0) return {};
  const double percent = 100 * hanging.area / before;
  report.warnings.push_back(fmt::format("{} dropped that {} on edges of two others, {:.3g} % of the area",
                                        counted(hanging.faces, "face"), hanging.faces == 1 ? "hangs" : "hang",
                                        percent));
  add_dropped("dropped_area_percent", percent, report);
  return {mesh.vertices, std::move(hanging.dropped)};
}

struct CleanPart {
  TriangleMesh mesh;  // manifold, oriented consistently, may have holes
  TriangleMesh lost;  // faces that hung on it
};

CleanPart clean(const TriangleMesh& part, double diagonal, double most_hanging, Report& report) {
  TriangleMesh mesh = cancel_flaps(part, report);
  refuse_if_flat(mesh, diagonal);
  TriangleMesh lost = peel(mesh, most_hanging, report);
  return {drop_specks(orient(mesh, report), diagonal, report), std::move(lost)};
}

// Reports the holes, all of which now have lids; the widest is `widest` m wide.
void report_lids(const FilledHoles& holes, const FlatLids& flat, double widest, double diagonal,
                 Report& report) {
  constexpr const char* kHollow =
      "if it is hollow, such as a bottle or a cup, give its mesh the inner wall too";
  if (holes.filled > 0)
    report.warnings.push_back(
        fmt::format("{} filled ({})", counted(holes.filled, "hole"), counted(holes.edges, "boundary edge")));
  if (flat.count > 0) {
    report.warnings.push_back(
        fmt::format("{} closed by {}, the largest {:.3g} m across: the object is taken for solid there; {}",
                    counted(flat.count, "large flat hole"), flat.count == 1 ? "a flat lid" : "flat lids",
                    widest, kHollow));
    report.measures["flat_lids"] = static_cast<double>(flat.count);
    report.measures["largest_flat_lid_m"] = widest;
  } else if (widest > kOpening * diagonal) {
    report.warnings.push_back(fmt::format(
        "an open surface was closed, its widest opening {:.3g} m across: the object is taken for solid; {}",
        widest, kHollow));
    report.measures["closed_opening_m"] = widest;
  }
}

// The mesh with lids on all its holes; empty if a hole remains.
std::optional<TriangleMesh> fill_all_holes(const TriangleMesh& open, double max_hole, double diagonal,
                                           Report& report) {
  TriangleMesh unpinched = open;
  const FilledPinches pinches = fill_pinched_holes(unpinched, max_hole * diagonal);
  FilledHoles holes = fill_holes(compact(unpinched), max_hole * diagonal);
  holes.filled += pinches.count;
  holes.edges += pinches.edges;
  const double widest = widest_hole(open);
  FlatLids flat;
  if (holes.left > 0) flat = add_flat_lids(holes.mesh, kFlatRim);
  if (holes.left > flat.count) {
    report.warnings.push_back(fmt::format(
        "{} not filled, the largest {:.3g} m ({:.2g} diagonals) across: too large for a lid, and {}; where "
        "it "
        "should be closed, --max-hole takes larger ones",
        counted(holes.left - flat.count, "hole"), widest, widest / diagonal,
        flat.count > 0 ? "not all of them flat" : "not flat, or a flat lid would cross the surface"));
    return std::nullopt;
  }
  report_lids(holes, flat, widest, diagonal, report);
  const double tolerance = CloseParameters::kHausdorffTolerance * diagonal;
  report.measures["lids_to_input_percent"] = 100 * hausdorff(holes.mesh, open, tolerance).from_A / diagonal;
  return std::move(holes.mesh);
}

TriangleMesh orient_outward(TriangleMesh mesh, Report& report) {
  const Turned turned = turn_outward(mesh);
  if (turned.shells > 0) report.warnings.emplace_back("the surface was inside out: turned over");
  report.measures["cavities"] = static_cast<double>(turned.cavities);
  return mesh;
}

// The soup without the flaps that lie within the solid: walls between solids that have become one.
TriangleMesh without_walls(TriangleMesh soup, const TriangleMesh& surface, double diagonal) {
  TriangleMesh bare = soup;
  if (cancel_coincident(bare).flaps == 0) return soup;
  const asset::Surface solid = build_surface(surface);
  const auto within = [&, view = asset::view(solid)](const Eigen::Vector3d& x) {
    return distance::signed_distance<double>(view, x).distance < kRounding * diagonal;
  };
  std::vector<char> keep;
  auto next = bare.triangles.begin();
  for (const Triangle& t : soup.triangles) {
    const bool in_flap = next == bare.triangles.end() || *next != t;
    if (!in_flap) ++next;
    const auto &a = soup.vertices[t[0]], &b = soup.vertices[t[1]], &c = soup.vertices[t[2]];
    const std::array<Eigen::Vector3d, 7> inner = {
        a, b, c, (a + b) / 2, (b + c) / 2, (c + a) / 2, (a + b + c) / 3};
    keep.push_back(in_flap && std::all_of(inner.begin(), inner.end(), within) ? 0 : 1);
  }
  return select_faces(soup, keep);
}

}  // namespace

std::optional<ClosedPart> close_part(const TriangleMesh& part, const CloseParameters& parameters,
                                     bool may_wrap, Report& report) {
  const double diagonal = object_size(part);
  const auto [cleaned, lost] = clean(part, diagonal, parameters.max_area_change, report);
  const bool has_holes = count_open_edges(cleaned) > 0;
  const double outlined = has_holes ? outlined_volume(cleaned) : 0;  // with its holes closed by fans, m^3
  const std::optional<TriangleMesh> filled =
      has_holes ? fill_all_holes(cleaned, parameters.max_hole, diagonal, report) : std::optional(cleaned);
  // If all holes could be filled, wrap the mesh with its lids: a wrap would enter through the holes.
  const TriangleMesh& to_wrap = has_holes && filled ? *filled : part;
  TriangleMesh reference = to_wrap;
  if (has_holes && filled && !lost.triangles.empty()) append_mesh(reference, compact(lost));
  std::string refused;
  if (filled) {
    MendedPart mended = mend_part(orient_outward(*filled, report), parameters, diagonal, report);
    if (mended.surface) {
      reference = without_walls(std::move(reference), *mended.surface, diagonal);
      return ClosedPart{std::move(*mended.surface), std::move(reference), cleaned.vertices,
                        mended.overlapping};
    }
    refused = std::move(mended.refused);
  }
  if (!may_wrap) return std::nullopt;
  if (!refused.empty()) report.warnings.push_back("removing self-intersections was undone, since " + refused);
  return ClosedPart{wrap_surface({to_wrap, to_wrap, outlined}, report), std::move(reference),
                    to_wrap.vertices};
}

}  // namespace abut::preprocess
