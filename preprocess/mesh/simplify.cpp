#include "preprocess/mesh/simplify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <queue>
#include <tuple>

#include "preprocess/mesh/change_check.h"
#include "preprocess/mesh/equalize.h"
#include "preprocess/mesh/measure.h"
#include "preprocess/mesh/quadric.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

// Limits of distance and shape, relaxed in turn until the target is reached: most surfaces get there with a
// small share of the distance gate, and poorly shaped triangles are allowed only at the end.
struct Stage {
  double share;  // of the distance gate
  ShapeLimits limits;
};
constexpr Stage kStages[] = {{0.12, {0.45, 0.5}}, {0.25, {0.45, 0.5}}, {0.5, {0.45, 0.5}}, {0.5, {0.3, 0.4}},
                             {1, {0.45, 0.5}},    {1, {0.3, 0.4}},     {1, {0.1, 0.2}},    {1, {0.003, 0.0}}};
constexpr double kEvenness = 1e-2;     // weight of the point error relative to the plane error
constexpr double kLargestShift = 0.5;  // largest move of a vertex to keep the volume, over the edge's length
constexpr int kPlacements = 5;         // positions tried for each edge
constexpr double kWorthwhile = 0.01;   // a pass that removes a smaller share of the faces ends its stage
constexpr int kEqualizeRounds = 3;
constexpr double kSampleSpacing = 0.015;  // of the samples of the distance gate, over the diagonal
constexpr double kCertified = 5e-4;       // tolerance of the final distance measurement, over the diagonal
// Shares of the gate at which collapses are refused. Samples may miss the largest distance: if the measured
// distance exceeds the gate, the next share is used.
constexpr double kMargins[] = {0.85, 0.7, 0.5, 0.25};
constexpr const char* kDistanceGate =
    "the distance gate: further collapses would leave the input by more than allowed";

class Simplifier {
 public:
  Simplifier(const EditableMesh& start, const TriangleMesh& closed, double tolerance)
      : mesh_(start), check_(mesh_, closed, kSampleSpacing * closed.diagonal()), tolerance_(tolerance) {
    for (const Vec3& v : closed.vertices) centre_ += v / static_cast<double>(closed.vertices.size());
    quadrics_.resize(closed.vertices.size());
    stamps_.resize(closed.vertices.size(), 0);
    for (std::int32_t f = 0; f < mesh_.face_slots(); ++f) {
      Corners c = mesh_.corners(f);
      for (Vec3& p : c) p -= centre_;
      const Quadric q(c);
      for (const std::int32_t v : mesh_.face(f)) quadrics_[v] += q;
    }
  }

  void run(std::size_t target) {
    push_all_edges();
    for (const auto& [share, limits] : kStages) {
      check_.set_tolerance(share * tolerance_);
      std::size_t before = 0;
      do {
        before = mesh_.live_faces();
        pass(target, limits);
        if (mesh_.live_faces() <= target) break;
        requeue();
      } while (static_cast<double>(before - mesh_.live_faces()) > kWorthwhile * static_cast<double>(before));
      if (mesh_.live_faces() <= target) break;
    }
    equalize(mesh_, check_, quadrics_, centre_, kEqualizeRounds);
  }

  TriangleMesh result() const { return mesh_.compact(); }

  // The check that refused most of the edges in the last pass, as text.
  std::string limit() const {
    const auto most = std::max_element(refused_.begin(), refused_.end()) - refused_.begin();
    switch (static_cast<Refusal>(most)) {
      case Refusal::kTopology:
        return "the genus: further collapses would close a handle or pinch the surface";
      case Refusal::kCrossing:
        return "a thin wall or narrow gap: further collapses would make the surface cross itself";
      case Refusal::kDistance:
        return kDistanceGate;
      default:
        return "sharp features: further collapses would fold or degenerate triangles";
    }
  }

 private:
  struct Entry {
    double cost;
    std::int32_t u, v;
    std::uint32_t stamp_u, stamp_v;
    int attempt;       // index of the position to try
    Refusal furthest;  // the latest check that one of the earlier positions reached
    bool operator>(const Entry& other) const {
      return std::tie(cost, u, v, attempt) > std::tie(other.cost, other.u, other.v, other.attempt);
    }
  };

  Vec3 placement(std::int32_t u, std::int32_t v, const Quadric& q, int attempt) const {
    switch (attempt) {
      case 0:
        return keep_volume(u, v, centre_ + q.place(q.centroid()));
      case 1:
        return centre_ + q.place(q.centroid());
      case 2:
        return (mesh_.position(u) + mesh_.position(v)) / 2;
      case 3:
        return mesh_.position(u);
      default:
        return mesh_.position(v);
    }
  }

  // The point nearest to x at which the collapse of u-v preserves the volume [Lindstrom and Turk 1998, 3.2];
  // x itself if the vector areas of the surrounding faces cancel, as on a thin rim, so that the point would
  // be far away.
  Vec3 keep_volume(std::int32_t u, std::int32_t v, const Vec3& x) const {
    double before = 0;         // six times the volume between x and the faces around u and v
    Vec3 area = Vec3::Zero();  // twice the vector area of the faces around the new vertex
    for (const std::int32_t w : {u, v}) {
      for (const std::int32_t f : mesh_.faces_of(w)) {
        const Triangle& t = mesh_.face(f);
        const bool both = (t[0] == u || t[1] == u || t[2] == u) && (t[0] == v || t[1] == v || t[2] == v);
        if (both && w == v) continue;
        const Corners c = mesh_.corners(f);
        before += (c[0] - x).dot((c[1] - x).cross(c[2] - x));
        if (both) continue;
        const int k = t[0] == w ? 0 : t[1] == w ? 1 : 2;
        area += (c[(k + 1) % 3] - x).cross(c[(k + 2) % 3] - x);
      }
    }
    const Vec3 shift = area * (before / area.squaredNorm());
    return shift.norm() < kLargestShift * (mesh_.position(u) - mesh_.position(v)).norm() ? Vec3(x + shift)
                                                                                         : x;
  }

  Quadric merged(std::int32_t u, std::int32_t v) const {
    Quadric q = quadrics_[u];
    q += quadrics_[v];
    return q;
  }

  void push(std::int32_t u, std::int32_t v, int attempt = 0, Refusal furthest = Refusal::kNone) {
    const Quadric q = merged(u, v);
    const Vec3 x = placement(u, v, q, attempt) - centre_;
    queue_.push({q.plane_error(x) + kEvenness * q.point_error(x), std::min(u, v), std::max(u, v),
                 stamps_[std::min(u, v)], stamps_[std::max(u, v)], attempt, furthest});
  }

  void push_all_edges() {
    for (std::int32_t f = 0; f < mesh_.face_slots(); ++f) {
      if (!mesh_.alive(f)) continue;
      const Triangle& t = mesh_.face(f);
      for (int k = 0; k < 3; ++k) {
        if (t[k] < t[(k + 1) % 3]) push(t[k], t[(k + 1) % 3]);
      }
    }
  }

  void requeue() { push_all_edges(); }

  // Collapses edges in the order of their cost until the target is reached or the queue is empty.
  void pass(std::size_t target, const ShapeLimits& limits) {
    refused_.fill(0);
    Change change;
    std::vector<std::int32_t> ring;
    while (mesh_.live_faces() > target && !queue_.empty()) {
      const Entry e = queue_.top();
      queue_.pop();
      if (stamps_[e.u] != e.stamp_u || stamps_[e.v] != e.stamp_v) continue;
      const Quadric q = merged(e.u, e.v);
      const Vec3 x = placement(e.u, e.v, q, e.attempt);
      if (!mesh_.make_collapse(e.v, e.u, x, change)) {
        ++refused_[static_cast<std::size_t>(Refusal::kTopology)];
        continue;
      }
      const Refusal refusal = check_.check(mesh_, change, limits);
      if (refusal != Refusal::kNone) {
        if (e.attempt + 1 < kPlacements) {
          push(e.u, e.v, e.attempt + 1, std::max(refusal, e.furthest));
        } else {
          ++refused_[static_cast<std::size_t>(std::max(refusal, e.furthest))];
        }
        continue;
      }
      mesh_.apply(change);
      check_.commit(mesh_, change);
      quadrics_[e.u] = q;
      ++stamps_[e.u];
      ++stamps_[e.v];
      mesh_.neighbours(e.u, ring);
      for (const std::int32_t w : ring) push(e.u, w);
    }
  }

  EditableMesh mesh_;
  ChangeCheck check_;
  double tolerance_;
  Vec3 centre_ = Vec3::Zero();  // origin of the quadrics, against cancellation far from the origin
  std::vector<Quadric> quadrics_;
  std::vector<std::uint32_t> stamps_;  // of each vertex: changes when the costs of its edges do
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue_;
  std::array<std::size_t, 6> refused_{};  // edges given up in the last pass, by the latest check reached
};

void check_parameters(const SimplifyParameters& parameters) {
  if (parameters.target_triangles < 4)
    throw InvalidInput(
        fmt::format("target of {} triangles: a closed surface has at least 4", parameters.target_triangles));
  if (!(parameters.max_hausdorff_percent > 0))
    throw InvalidInput(fmt::format("largest Hausdorff distance of {} % of the diagonal: it must be positive",
                                   parameters.max_hausdorff_percent));
}

}  // namespace

SimplifyResult simplify(const TriangleMesh& closed, const SimplifyParameters& parameters, Report& report) {
  check_parameters(parameters);
  const EditableMesh start(closed);
  const auto target = static_cast<std::size_t>(parameters.target_triangles);
  if (closed.triangles.empty()) throw InvalidInput("the surface has no triangles");
  SimplifyResult result;
  result.surface = closed;
  result.reached = closed.triangles.size() <= target;
  if (!result.reached) {
    const double diagonal = closed.diagonal(), gate = parameters.max_hausdorff_percent / 100 * diagonal;
    result.limit = kDistanceGate;
    for (const double margin : kMargins) {
      Simplifier simplifier(start, closed, margin * gate);
      simplifier.run(target);
      TriangleMesh surface = simplifier.result();
      const double distance = hausdorff(surface, closed, kCertified * diagonal).symmetric();
      if (distance > gate) continue;
      result.reached = surface.triangles.size() <= target;
      result.limit = result.reached ? "" : simplifier.limit();
      result.surface = std::move(surface);
      result.hausdorff_percent = 100 * distance / diagonal;
      break;
    }
  }
  report.measures["simplified_triangles"] = static_cast<double>(result.surface.triangles.size());
  report.measures["simplified_hausdorff_percent"] = result.hausdorff_percent;
  if (!result.reached)
    report.warnings.push_back(
        fmt::format("simplified to {} triangles instead of {}; what stands in the way: {}",
                    result.surface.triangles.size(), target, result.limit));
  return result;
}

}  // namespace abut::preprocess
