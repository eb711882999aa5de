#include "preprocess/mesh/close.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "preprocess/mesh/measure.h"
#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/tunnels.h"
#include "preprocess/mesh/weld.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

constexpr double kHausdorffTolerance = 1e-4;  // of the diagonal
constexpr double kFlat = 1e-6;                // thickness over diagonal below which an object is flat
constexpr double kRimTolerance = 1e-6;  // gap, of the diagonal, up to which open edges are taken for one
constexpr double kNoise = 1e-2;         // parts below this extent, of the diagonal, are specks
// Tunnels shorter around than kTunnelEdges mean edges are below what the mesh resolves, within the bounds
// given, of the diagonal; a handle is small if it comes back within kTunnelReach times that length.
constexpr double kTunnelEdges = 5, kLeastTunnel = 0.03, kMostTunnel = 0.08, kTunnelReach = 1.5;
constexpr int kMostTunnelRounds = 10;
constexpr std::size_t kMostChosenCuts = 16;  // above it all tunnels are cut one way, for time's sake
// The wrap's ball, of the diagonal, coarse to fine, and the wrap's distance from the input, of the ball's
// radius.
constexpr double kWrapAlphas[] = {1.0 / 55, 1.0 / 100}, kWrapOffset = 1.0 / 12;
constexpr double kShell =
    1.5;  // area of an open surface's wrap over the surface's, above which it is a shell

std::string plural(std::size_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

// Smallest extent of the vertices over their principal axes, m.
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

double change_percent(double before, double after) {
  return 100 * std::abs(after - before) / std::abs(before);
}

class Closer {
 public:
  Closer(const CloseParameters& parameters, Report& report) : parameters_(parameters), report_(report) {}

  ClosedSurface close(const TriangleMesh& soup) {
    take_in(soup);
    close_seams();
    keep_parts();
    cancel_flaps();
    refuse_if_flat();
    orient();
    drop_specks();
    bool closed = close_holes();
    if (closed) {
      orient_outward();
      closed = mend();
    }
    if (!closed) wrap_input();
    finish();
    return {std::move(current_), std::move(hull_points_)};
  }

 private:
  static TriangleMesh compact(const TriangleMesh& mesh) {
    return select_faces(mesh, std::vector<char>(mesh.triangles.size(), 1));
  }

  void warn(std::string text) { report_.warnings.push_back(std::move(text)); }

  void take_in(const TriangleMesh& soup) {
    if (soup.triangles.empty()) throw InvalidInput("the mesh has no faces");
    WeldedSoup welded = weld(soup);
    current_ = std::move(welded.mesh);
    report_.measures["welded_vertices"] = static_cast<double>(welded.seam_vertices);
    if (const std::size_t n = drop_collapsed(current_); n > 0) {
      warn(fmt::format("{} dropped", plural(n, "collapsed face", "collapsed faces")));
    }
    if (current_.triangles.empty()) throw InvalidInput("every face is collapsed: the object has no surface");
    if (const double d = current_.diagonal(); d < CloseParameters::kLeastDiagonal) {
      throw InvalidInput(fmt::format("the object measures {:.3g} m across, less than {} m: wrong units?", d,
                                     CloseParameters::kLeastDiagonal));
    }
  }

  // Parts joined through vertices, before any repair: the hull's points are those of the kept ones.
  void keep_parts() {
    const Components parts = find_components(current_);
    if (parts.count > 1) {
      std::vector<double> areas = part_areas(parts);
      const double total = area(current_);
      const auto largest =
          static_cast<std::int32_t>(std::max_element(areas.begin(), areas.end()) - areas.begin());
      std::vector<char> keep_part(parts.count, 0);
      const std::vector<double> extents = part_extents(parts);
      for (std::int32_t p = 0; p < parts.count; ++p) {
        keep_part[p] =
            p == largest || (parameters_.all_components && extents[p] > kNoise * current_.diagonal()) ? 1 : 0;
      }
      const std::size_t cavities = count_dropped_cavities(parts, keep_part, extents, largest);
      drop_parts(parts, keep_part, areas, total);
      if (cavities > 0) {
        warn(
            fmt::format("{} within the largest part dropped with the parts: the solid is filled there; "
                        "--keep-all-components keeps {}",
                        plural(cavities, "cavity", "cavities"), cavities == 1 ? "it" : "them"));
      }
    }
    input_ = current_;
    hull_points_ = current_.vertices;
    diagonal_ = current_.diagonal();
  }

  // A part within the largest one that faces against it.
  std::size_t count_dropped_cavities(const Components& parts, const std::vector<char>& keep_part,
                                     const std::vector<double>& extents, std::int32_t largest) const {
    const std::vector<double> volumes = part_volumes(current_, parts);
    std::size_t cavities = 0;
    for (std::int32_t p = 0; p < parts.count; ++p) {
      cavities += !keep_part[p] && extents[p] > kNoise * current_.diagonal() &&
                  volumes[p] * volumes[largest] < 0 && lies_within(current_, parts, p, largest);
    }
    return cavities;
  }

  std::vector<double> part_areas(const Components& parts) const {
    std::vector<double> areas(parts.count, 0.0);
    for (std::size_t f = 0; f < current_.triangles.size(); ++f) {
      const Triangle& t = current_.triangles[f];
      const Eigen::Vector3d& a = current_.vertices[t[0]];
      areas[parts.of_face[f]] += (current_.vertices[t[1]] - a).cross(current_.vertices[t[2]] - a).norm() / 2;
    }
    return areas;
  }

  std::vector<double> part_extents(const Components& parts) const {
    std::vector<Eigen::AlignedBox3d> boxes(parts.count);
    for (std::size_t f = 0; f < current_.triangles.size(); ++f) {
      for (const std::int32_t v : current_.triangles[f]) boxes[parts.of_face[f]].extend(current_.vertices[v]);
    }
    std::vector<double> extents;
    extents.reserve(boxes.size());
    for (const auto& box : boxes) extents.push_back(box.diagonal().norm());
    return extents;
  }

  void drop_parts(const Components& parts, const std::vector<char>& keep_part,
                  const std::vector<double>& areas, double total) {
    std::size_t dropped = 0;
    double lost = 0, largest_lost = 0;
    for (std::int32_t p = 0; p < parts.count; ++p) {
      if (keep_part[p]) continue;
      ++dropped;
      lost += areas[p];
      largest_lost = std::max(largest_lost, areas[p]);
    }
    report_.measures["components_dropped"] += static_cast<double>(dropped);
    if (dropped == 0) return;
    std::vector<char> keep(current_.triangles.size());
    for (std::size_t f = 0; f < keep.size(); ++f) keep[f] = keep_part[parts.of_face[f]];
    warn(fmt::format("{} of {} dropped, {:.3g} % of the area (the largest of them {:.3g} %){}", dropped,
                     plural(parts.count, "separate part", "separate parts"), 100 * lost / total,
                     100 * largest_lost / total,
                     parameters_.all_components ? "" : ": --keep-all-components keeps them"));
    current_ = select_faces(current_, keep);
  }

  void refuse_if_flat() const {
    const double t = thickness(compact(current_));
    if (t > kFlat * diagonal_) return;
    throw InvalidInput(
        fmt::format("the object is flat: {:.3g} m thin over {:.3g} m; it has no volume", t, diagonal_));
  }

  void cancel_flaps() {
    const Coincident found = cancel_coincident(current_);
    if (found.flaps > 0) {
      warn(fmt::format("{} of coincident opposite faces cancelled", plural(found.flaps, "flap", "flaps")));
    }
    if (found.duplicates > 0)
      warn(fmt::format("{} dropped", plural(found.duplicates, "repeated face", "repeated faces")));
    if (current_.triangles.empty()) {
      throw InvalidInput("every face has a coincident opposite face: the object encloses no volume");
    }
  }

  // What cancelling and orienting left hanging on by a vertex or an edge.
  void drop_specks() {
    const Components parts = find_components(current_);
    if (parts.count == 1) return;
    const std::vector<double> areas = part_areas(parts), extents = part_extents(parts);
    const auto largest = std::max_element(areas.begin(), areas.end()) - areas.begin();
    std::vector<char> keep(parts.count);
    for (std::int32_t p = 0; p < parts.count; ++p)
      keep[p] = p == largest || extents[p] > kNoise * diagonal_ ? 1 : 0;
    drop_parts(parts, keep, areas, area(current_));
  }

  // Seams whose two sides were rounded differently.
  void close_seams() {
    if (count_open_edges(current_) == 0) return;
    const double gap = kRimTolerance * current_.diagonal();
    const std::size_t n = weld_rims(current_, gap);
    if (n > 0)
      warn(fmt::format("{} of open edges merged with others within {:.2g} m", plural(n, "vertex", "vertices"),
                       gap));
  }

  bool close_holes() {
    if (count_open_edges(current_) == 0) return true;
    FilledHoles holes = fill_holes(current_, parameters_.max_hole * diagonal_);
    if (holes.left > 0) {
      warn(fmt::format("{} not filled, the largest {:.3g} m across: too large for a lid",
                       plural(holes.left, "hole", "holes"), holes.largest_left));
      return false;
    }
    warn(fmt::format("{} of together {} edges filled", plural(holes.filled, "hole", "holes"), holes.edges));
    const TriangleMesh open = std::exchange(current_, std::move(holes.mesh));
    filled_ = current_;
    report_.measures["lids_to_input_percent"] =
        100 * hausdorff(filled_, open, kHausdorffTolerance * diagonal_).from_A / diagonal_;
    return true;
  }

  void orient() {
    OrientedSoup oriented = orient_soup(current_);
    if (oriented.turned > 0) {
      warn(fmt::format("{} turned to agree with {} neighbours",
                       plural(oriented.turned, "face was", "faces were"),
                       oriented.turned == 1 ? "its" : "their"));
    }
    current_ = compact(oriented.mesh);
  }

  void orient_outward() {
    const Turned turned = turn_outward(current_);
    if (turned.shells > 0) warn("the surface was inside out: turned over");
    report_.measures["cavities"] = static_cast<double>(turned.cavities);
  }

  // Kept parts may overlap or lie within each other: the object is the union of their solids.
  void unite() {
    const std::int32_t parts = find_components(current_).count;
    if (parts == 1) return;
    std::optional<TriangleMesh> united = unite_parts(current_);
    if (!united || !find_fault(*united).empty()) return;
    if (united->triangles.size() != current_.triangles.size())
      warn(fmt::format("{} parts united that overlap", parts));
    current_ = std::move(*united);
  }

  // Tunnels first: pinched ones are what most self-intersections of scans come from.
  bool mend() {
    unite();
    reference_ = current_;
    if (genus(current_) > 0) {
      const double limit = tunnel_limit();
      for (const double longest : {limit, limit / 2}) {
        if (longest > 0 && mend_with_tunnels(longest)) return true;
      }
      if (!refused_.empty())
        warn("tiny tunnels left as they are: closing them was undone, since " + std::exchange(refused_, {}));
    }
    return find_fault(current_).empty() || remove_crossings(current_);
  }

  // A scan does not resolve what a handful of its edges spans; genus of that size is noise.
  double tunnel_limit() const {
    if (parameters_.max_tunnel) return *parameters_.max_tunnel * diagonal_;
    const double mean_edge =
        std::sqrt(4 / std::sqrt(3.0) * area(current_) / static_cast<double>(current_.triangles.size()));
    return std::clamp(kTunnelEdges * mean_edge, kLeastTunnel * diagonal_, kMostTunnel * diagonal_);
  }

  bool mend_with_tunnels(double longest) {
    TriangleMesh mesh = current_;
    const long before = genus(mesh);
    double longest_cut = 0;
    for (int round = 0; round < kMostTunnelRounds && genus(mesh) > 0; ++round) {
      std::vector<Loop> loops = find_tunnels(mesh, longest);
      std::erase_if(loops, [&](const Loop& loop) { return !is_noise(mesh, loop, kTunnelReach * longest); });
      std::vector<Cut> cuts(loops.size(), Cut::kRing);
      if (loops.size() <= kMostChosenCuts) choose_cuts(mesh, loops, cuts);
      std::optional<TriangleMesh> capped = cut_and_cap(mesh, loops, cuts, parameters_.max_hausdorff);
      const long left = capped ? genus(*capped) : genus(mesh);
      if (left >= genus(mesh)) break;
      mesh = std::move(*capped);
      for (std::size_t i = 0; i < loops.size(); ++i) {
        if (cuts[i] != Cut::kNone) longest_cut = std::max(longest_cut, loops[i].length);
      }
    }
    const long removed = before - genus(mesh);
    if (removed <= 0 || !remove_crossings(mesh)) return false;
    warn(fmt::format("{} closed, the longest {:.2g} m around ({} left); --max-tunnel sets the limit",
                     plural(static_cast<std::size_t>(removed), "tiny tunnel", "tiny tunnels"), longest_cut,
                     genus(current_)));
    report_.measures["tunnels_closed"] = static_cast<double>(removed);
    return true;
  }

  // Empty if a cap fails or the surface would move farther than `most`, of the diagonal.
  std::optional<TriangleMesh> cut_and_cap(const TriangleMesh& mesh, const std::vector<Loop>& loops,
                                          const std::vector<Cut>& cuts, double most) const {
    FilledHoles capped = fill_holes(cut_loops(mesh, loops, cuts), diagonal_);
    if (capped.left > 0 || distance_moved(capped.mesh, mesh) > most) return std::nullopt;
    return std::move(capped.mesh);
  }

  // For each loop on its own: the ring where it moves the surface by much less than the gate lets pass, or
  // else the slit.
  void choose_cuts(const TriangleMesh& mesh, const std::vector<Loop>& loops, std::vector<Cut>& cuts) const {
    const double most = parameters_.max_hausdorff;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (cut_and_cap(mesh, {loops[i]}, {Cut::kRing}, most / 2)) continue;
      cuts[i] = cut_and_cap(mesh, {loops[i]}, {Cut::kSlit}, most) ? Cut::kSlit : Cut::kNone;
    }
  }

  double distance_moved(const TriangleMesh& candidate, const TriangleMesh& reference) const {
    return hausdorff(candidate, reference, kHausdorffTolerance * diagonal_).symmetric() / diagonal_;
  }

  // Makes `candidate` free of self-intersection and, if it passes the gate, the current surface.
  bool remove_crossings(const TriangleMesh& candidate) {
    if (find_fault(candidate).empty()) return accept(candidate, 0);
    const std::size_t crossings = count_self_intersections(candidate);
    for (const bool keep_genus : {true, false}) {
      const std::optional<TriangleMesh> mended = remove_self_intersections(candidate, keep_genus);
      if (mended && find_fault(*mended).empty() && accept(*mended, crossings)) return true;
    }
    return false;
  }

  bool accept(const TriangleMesh& candidate, std::size_t crossings) {
    if (!passes_gate(candidate)) return false;
    current_ = candidate;
    if (crossings > 0)
      warn(fmt::format("{} of intersecting faces removed", plural(crossings, "pair", "pairs")));
    return true;
  }

  bool passes_gate(const TriangleMesh& candidate) {
    const double moved =
        hausdorff(candidate, reference_, kHausdorffTolerance * diagonal_).symmetric() / diagonal_;
    const double volume_change = change_percent(volume(reference_), volume(candidate));
    const double area_change = change_percent(area(reference_), area(candidate));
    if (moved <= parameters_.max_hausdorff && volume_change <= 100 * parameters_.max_volume_change &&
        area_change <= 100 * parameters_.max_area_change) {
      return true;
    }
    refused_ = fmt::format(
        "it moves the surface by {:.2g} % of the diagonal, changes volume by {:.2g} % and area by {:.2g} %",
        100 * moved, volume_change, area_change);
    return false;
  }

  // A wrap at the last alpha stays that close to the input; what it moves away from farther than the limit is
  // input that it closes in: faces inside others, or a soup that outlines no solid.
  void wrap_input() {
    if (!refused_.empty()) warn("removing self-intersections was undone, since " + refused_);
    filled_ = {};
    double moved = 0, alpha = 0;
    for (const double relative : kWrapAlphas) {
      alpha = relative * diagonal_;
      current_ = wrap(input_, alpha, kWrapOffset * alpha);
      moved = distance_moved(current_, input_);
      if (moved <= CloseParameters::kMaxWrap) break;
    }
    const std::string fault = find_fault(current_);
    if (!fault.empty()) throw InvalidInput("the surface could not be closed: " + fault);
    if (moved > CloseParameters::kMaxWrap) {
      throw InvalidInput(
          fmt::format("the surface could not be closed: even an alpha wrap is {:.3g} % of the diagonal away "
                      "from it (at most "
                      "{} %): it outlines no solid",
                      100 * moved, 100 * CloseParameters::kMaxWrap));
    }
    warn(fmt::format(
        "last resort: the surface was replaced by an alpha wrap (alpha {:.3g} m, offset {:.3g} m), "
        "{:.2g} % of the diagonal away: concave details are rounded, sheets thickened",
        alpha, kWrapOffset * alpha, 100 * moved));
    if (count_open_edges(input_) > 0 && area(current_) > kShell * area(input_)) {
      warn(
          fmt::format("the surface is open, and its wrap a thin double-walled shell, {:.2g} m thick: not the "
                      "solid that the surface may have been meant to outline",
                      2 * kWrapOffset * alpha));
    }
    report_.measures["wrapped"] = 1;
  }

  void finish() {
    const double v = volume(current_);
    if (!(v > kFlat * kFlat * diagonal_ * area(current_))) {
      throw InvalidInput(fmt::format("the object encloses no volume ({:.3g} m^3)", v));
    }
    report_.measures["hausdorff_to_input_percent"] =
        100 * distance_moved(current_, filled_.triangles.empty() ? input_ : filled_);
    report_.measures["area_change_percent"] = change_percent(area(input_), area(current_));
    report_.measures["surface_triangles"] = static_cast<double>(current_.triangles.size());
    report_.measures["genus"] = static_cast<double>(genus(current_));
  }

  const CloseParameters& parameters_;
  Report& report_;
  TriangleMesh input_;      // the kept parts, welded
  TriangleMesh filled_;     // these with lids on their holes; empty if there were none
  TriangleMesh reference_;  // what the gate compares with: the input with its holes filled
  TriangleMesh current_;
  std::vector<Eigen::Vector3d> hull_points_;
  double diagonal_ = 0;
  std::string refused_;  // why the last repair that a gate refused was
};

}  // namespace

ClosedSurface close_surface(const TriangleMesh& soup, const CloseParameters& parameters, Report& report) {
  return Closer(parameters, report).close(soup);
}

}  // namespace abut::preprocess
