#include "preprocess/mesh/close_part.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "preprocess/mesh/lids.h"
#include "preprocess/mesh/measure.h"
#include "preprocess/mesh/parts.h"
#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/tunnels.h"
#include "preprocess/mesh/weld.h"
#include "preprocess/mesh/wrap.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

// Tunnels shorter around than kTunnelEdges mean edges are below what the mesh resolves, within the bounds
// given, of the diagonal; a handle is small if it comes back within kTunnelReach times that length.
constexpr double kTunnelEdges = 5, kLeastTunnel = 0.03, kMaxTunnel = 0.08, kTunnelReach = 1.5;
constexpr int kMaxTunnelRounds = 10;
// Pairs of crossing faces that local mending takes on, all tries together. Scans have up to a hundred; on a
// mug of which every twelfth face is missing, 9,102 pairs, six tries took 80 s in vain.
constexpr std::size_t kMaxCrossings = 3000;
constexpr std::size_t kMaxChosenCuts = 16;  // above it all tunnels are cut one way, for time's sake
// A rim is flat within this part of its extent: scans of a cut or a brim waver by some percent.
constexpr double kFlatRim = 0.03;

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

  std::optional<ClosedPart> close(const TriangleMesh& part, bool may_wrap) {
    input_ = current_ = part;
    diagonal_ = part.diagonal();
    cancel_flaps();
    refuse_if_flat();
    orient();
    drop_specks();
    hull_points_ = current_.vertices;
    bool closed = close_holes();
    if (closed) {
      orient_outward();
      closed = mend();
    }
    if (!closed && !may_wrap) return std::nullopt;
    if (!closed) wrap_input();
    return ClosedPart{std::move(current_), filled_.triangles.empty() ? std::move(input_) : std::move(filled_),
                      std::move(hull_points_)};
  }

 private:
  static TriangleMesh compact(const TriangleMesh& mesh) {
    return select_faces(mesh, std::vector<char>(mesh.triangles.size(), 1));
  }

  void warn(std::string_view text) { report_.warnings.emplace_back(text); }

  void refuse_if_flat() const {
    const double t = thickness(compact(current_));
    if (t > CloseParameters::kFlat * diagonal_) return;
    throw InvalidInput(
        fmt::format("the object is flat: {:.3g} m thin over {:.3g} m; it has no volume", t, diagonal_));
  }

  void cancel_flaps() {
    const Coincident found = cancel_coincident(current_);
    if (found.flaps > 0) {
      warn(fmt::format("{} of coincident opposite faces cancelled", counted(found.flaps, "flap")));
    }
    if (found.duplicates > 0) warn(fmt::format("{} dropped", counted(found.duplicates, "repeated face")));
    if (current_.triangles.empty()) {
      throw InvalidInput("every face has a coincident opposite face: the object encloses no volume");
    }
  }

  // What cancelling and orienting left hanging on by a vertex or an edge.
  void drop_specks() {
    const Parts parts = measure_parts(current_);
    if (parts.of.count == 1) return;
    std::vector<char> keep(parts.of.count);
    for (std::int32_t p = 0; p < parts.of.count; ++p)
      keep[p] = p == parts.largest || parts.extents[p] > kNoise * diagonal_ ? 1 : 0;
    current_ = drop_parts(current_, parts, keep, "", report_);
  }

  bool close_holes() {
    if (count_open_edges(current_) == 0) return true;
    outlined_ = outlined_volume(current_);
    FilledHoles holes = fill_holes(current_, parameters_.max_hole * diagonal_);
    FlatLids flat;
    if (holes.left > 0) flat = add_flat_lids(holes.mesh, kFlatRim);
    if (holes.left > flat.count) {
      warn(fmt::format(
          "{} not filled, the largest {:.3g} m across: too large for a lid, and {}",
          counted(holes.left - flat.count, "hole"), holes.largest_left,
          flat.count > 0 ? "not all of them flat" : "not flat, or a flat lid would cross the surface"));
      return false;
    }
    if (holes.filled > 0)
      warn(fmt::format("{} of together {} edges filled", counted(holes.filled, "hole"), holes.edges));
    if (flat.count > 0) {
      warn(
          fmt::format("{} closed by {}, the largest {:.3g} m across: the object is taken for solid there; "
                      "if it is hollow, its inside is missing from the mesh",
                      counted(flat.count, "large flat hole"), flat.count == 1 ? "a flat lid" : "flat lids",
                      flat.largest));
      report_.measures["flat_lids"] = static_cast<double>(flat.count);
      report_.measures["largest_flat_lid_m"] = flat.largest;
    }
    const TriangleMesh open = std::exchange(current_, std::move(holes.mesh));
    filled_ = current_;
    report_.measures["lids_to_input_percent"] =
        100 * hausdorff(filled_, open, CloseParameters::kHausdorffTolerance * diagonal_).from_A / diagonal_;
    return true;
  }

  void orient() {
    OrientedSoup oriented = orient_soup(current_);
    if (oriented.turned > 0) {
      warn(fmt::format("{} turned to agree with {} neighbours",
                       counted(oriented.turned, "face was", "faces were"),
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
    return std::clamp(kTunnelEdges * mean_edge, kLeastTunnel * diagonal_, kMaxTunnel * diagonal_);
  }

  bool mend_with_tunnels(double longest) {
    TriangleMesh mesh = current_;
    const long before = genus(mesh);
    double longest_cut = 0;
    for (int round = 0; round < kMaxTunnelRounds && genus(mesh) > 0; ++round) {
      std::vector<Loop> loops = find_tunnels(mesh, longest);
      std::erase_if(loops, [&](const Loop& loop) { return !is_noise(mesh, loop, kTunnelReach * longest); });
      std::vector<Cut> cuts(loops.size(), Cut::kRing);
      if (loops.size() <= kMaxChosenCuts) choose_cuts(mesh, loops, cuts);
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
                     counted(static_cast<std::size_t>(removed), "tiny tunnel"), longest_cut,
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
    return hausdorff(candidate, reference, CloseParameters::kHausdorffTolerance * diagonal_).symmetric() /
           diagonal_;
  }

  // Makes `candidate` free of self-intersection and, if it passes the gate, the current surface.
  bool remove_crossings(const TriangleMesh& candidate) {
    if (find_fault(candidate).empty()) return accept(candidate, 0);
    const std::size_t crossings = count_self_intersections(candidate);
    for (const bool keep_genus : {true, false}) {
      crossings_tried_ += crossings;
      if (crossings_tried_ > kMaxCrossings) return false;
      const std::optional<TriangleMesh> mended = remove_self_intersections(candidate, keep_genus);
      if (mended && find_fault(*mended).empty() && accept(*mended, crossings)) return true;
    }
    return false;
  }

  bool accept(const TriangleMesh& candidate, std::size_t crossings) {
    if (!passes_gate(candidate)) return false;
    current_ = candidate;
    if (crossings > 0) warn(fmt::format("{} of intersecting faces removed", counted(crossings, "pair")));
    return true;
  }

  bool passes_gate(const TriangleMesh& candidate) {
    const double moved =
        hausdorff(candidate, reference_, CloseParameters::kHausdorffTolerance * diagonal_).symmetric() /
        diagonal_;
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

  // Where all holes could be filled, with the lids on: a wrap would slip in through the holes.
  void wrap_input() {
    if (!refused_.empty()) warn("removing self-intersections was undone, since " + refused_);
    const TriangleMesh& what = filled_.triangles.empty() ? input_ : filled_;
    hull_points_ = what.vertices;
    current_ = wrap_surface({what, what, outlined_}, report_);
  }

  const CloseParameters& parameters_;
  Report& report_;
  TriangleMesh input_;      // the part as it came
  TriangleMesh filled_;     // this with lids on its holes; empty if there were none
  TriangleMesh reference_;  // what the gate compares with: the input with its holes filled
  TriangleMesh current_;
  std::vector<Eigen::Vector3d> hull_points_;
  double diagonal_ = 0;
  double outlined_ = 0;              // volume within the input, its holes closed by fans, m^3
  std::string refused_;              // why the last repair that a gate refused was
  std::size_t crossings_tried_ = 0;  // pairs
};

}  // namespace

std::optional<ClosedPart> close_part(const TriangleMesh& part, const CloseParameters& parameters,
                                     bool may_wrap, Report& report) {
  return Closer(parameters, report).close(part, may_wrap);
}

}  // namespace abut::preprocess
