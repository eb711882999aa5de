#include "preprocess/pressure/volume.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "preprocess/mesh/weld.h"
#include "preprocess/pressure/level_search.h"
#include "preprocess/pressure/snap.h"
#include "preprocess/tetrahedralize/improve.h"
#include "runtime/bvh/build.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kThinnest = 1e-5;  // m

// --- from mesh to arrays ---

void append(std::vector<double>& to, const Eigen::Vector3d& v) {
  to.insert(to.end(), v.data(), v.data() + 3);
}

// For every tetrahedron the one across each face.
std::vector<std::int32_t> find_neighbours(const std::vector<Tetrahedron>& tets) {
  struct Side {
    std::array<std::int32_t, 3> key;
    std::size_t place;
  };
  std::vector<Side> sides;
  sides.reserve(4 * tets.size());
  for (std::size_t t = 0; t < tets.size(); ++t)
    for (std::size_t k = 0; k < 4; ++k) {
      Side side{{tets[t][kFaces[k][0]], tets[t][kFaces[k][1]], tets[t][kFaces[k][2]]}, 4 * t + k};
      std::sort(side.key.begin(), side.key.end());
      sides.push_back(side);
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) { return a.key < b.key; });
  std::vector<std::int32_t> result(sides.size(), -1);
  for (std::size_t i = 0; i + 1 < sides.size(); ++i)
    if (sides[i].key == sides[i + 1].key) {
      result[sides[i].place] = static_cast<std::int32_t>(sides[i + 1].place / 4);
      result[sides[i + 1].place] = static_cast<std::int32_t>(sides[i].place / 4);
    }
  return result;
}

void append_planes(const TetrahedralMesh& mesh, const Tetrahedron& t, std::vector<double>& planes) {
  for (const auto& f : kFaces) {
    const Eigen::Vector3d& a = mesh.vertices[t[f[0]]];
    const Eigen::Vector3d n = (mesh.vertices[t[f[1]]] - a).cross(mesh.vertices[t[f[2]]] - a).normalized();
    append(planes, n);
    planes.push_back(-n.dot(a));
  }
}

float rounded(double x, float towards) {
  const auto f = static_cast<float>(x);
  const bool inward = towards < 0 ? f > x : f < x;
  return inward ? std::nextafter(f, towards) : f;
}

// The range of extents below every child of every node, from the last node to the first: children come after
// their parents.
std::vector<float> tree_ranges(const bvh::Tree& tree, const std::vector<double>& ranges) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::size_t nodes = tree.counts.size() / bvh::kWidth;
  std::vector<float> result(2 * tree.counts.size());
  for (std::size_t node = nodes; node-- > 0;)
    for (std::size_t child = 0; child < bvh::kWidth; ++child) {
      float lo = kInfinity, hi = -kInfinity;
      const std::size_t slot = node * bvh::kWidth + child;
      const auto first = static_cast<std::size_t>(tree.children[slot]);
      for (std::size_t i = first;
           tree.counts[slot] > 0 && i < first + static_cast<std::size_t>(tree.counts[slot]); ++i) {
        lo = std::min(lo, rounded(ranges[2 * i], -1));
        hi = std::max(hi, rounded(ranges[2 * i + 1], 2));
      }
      for (std::size_t k = 0; tree.counts[slot] == 0 && k < bvh::kWidth; ++k) {
        lo = std::min(lo, result[8 * first + k]);
        hi = std::max(hi, result[8 * first + bvh::kWidth + k]);
      }
      result[8 * node + child] = lo;
      result[8 * node + bvh::kWidth + child] = hi;
    }
  return result;
}

// --- levels ---

void refuse_thin(const LocalInradius& inradius) {
  double thickest = 0;
  for (const Ball& ball : inradius.balls()) thickest = std::max(thickest, 2 * ball.radius);
  if (thickest < kThinnest)
    throw InvalidInput(
        fmt::format("the object is nowhere thicker than {:.2g} m: a volume needs {:g} m; check its units",
                    thickest, kThinnest));
}

TriangleMesh without_voids(const TriangleMesh& surface) {
  const Components parts = find_components(surface);
  std::vector<char> keep(surface.triangles.size(), 1);
  for (std::int32_t part = 0; part < parts.count; ++part) {
    std::vector<char> of_part(surface.triangles.size());
    for (std::size_t i = 0; i < of_part.size(); ++i) of_part[i] = parts.of_face[i] == part ? 1 : 0;
    if (volume(select_faces(surface, of_part)) >= 0) continue;
    for (std::size_t i = 0; i < keep.size(); ++i)
      if (of_part[i]) keep[i] = 0;
  }
  return select_faces(surface, keep);
}

void describe(const VolumeLevel& level, std::size_t number, double seconds, Report& report) {
  const TetrahedralQuality& quality = level.quality;
  const auto note = [&](const char* name, double value) {
    report.measures[fmt::format("volume{}_{}", number, name)] = value;
  };
  note("tetrahedra", static_cast<double>(level.made.mesh.tetrahedra.size()));
  note("surface_triangles", static_cast<double>(quality.surface_triangles));
  note("min_dihedral_degrees", quality.min_dihedral);
  note("p1_dihedral_degrees", quality.p1_dihedral);
  note("zero_pressure_percent", 100 * quality.flat_surface_share);
  note("hausdorff_percent", level.hausdorff_percent);
  note("seconds", seconds);
}

std::size_t count(const VolumeLevel& level) { return level.made.mesh.tetrahedra.size(); }

// So far above its target that a search for one still coarser would find the same.
bool out_of_reach(const VolumeLevel& level, std::int64_t target) {
  return !level.limit.empty() && count(level) > 2 * static_cast<std::size_t>(target);
}

// A level for a coarser target than that of `last`, which holds for it too if nothing better is found.
bool is_better(const VolumeLevel& level, const VolumeLevel& last) {
  return count(level) < count(last) || last.quality.min_dihedral < kLeastDihedral;
}

// Levels that miss their targets: one warning for all that have the same mesh.
class Misses {
 public:
  void add(const VolumeLevel& level, std::size_t number, std::int64_t target, Report& report) {
    const double reached = static_cast<double>(count(level));
    if (std::abs(reached / static_cast<double>(target) - 1) <= kLevelTolerance) return;
    if (count_ != count(level)) flush(report);
    count_ = count(level);
    limit_ = level.limit;
    numbers_.push_back(number);
    targets_.push_back(target);
  }

  void flush(Report& report) {
    if (!numbers_.empty())
      report.warnings.push_back(fmt::format("volume{} {}: {} tetrahedra instead of {}{}{}",
                                            numbers_.size() > 1 ? "s" : "", fmt::join(numbers_, ", "), count_,
                                            fmt::join(targets_, ", "), limit_.empty() ? "" : ": ", limit_));
    numbers_.clear();
    targets_.clear();
  }

 private:
  std::size_t count_ = 0;
  std::string limit_;
  std::vector<std::size_t> numbers_;
  std::vector<std::int64_t> targets_;
};

std::vector<std::int64_t> checked_targets(const VolumeParameters& parameters) {
  std::vector<std::int64_t> targets = parameters.tetrahedra;
  for (const std::int64_t target : targets)
    if (target < kMinTetrahedra || target > kMaxTetrahedra)
      throw InvalidInput(
          fmt::format("{} tetrahedra: a volume has {} to {}", target, kMinTetrahedra, kMaxTetrahedra));
  std::sort(targets.rbegin(), targets.rend());
  return targets;
}

}  // namespace

asset::Volume build_volume(const TetrahedralMesh& mesh, const ExtentField& field) {
  std::vector<bvh::Box> boxes;
  for (const Tetrahedron& t : mesh.tetrahedra) {
    bvh::Box box{mesh.vertices[t[0]], mesh.vertices[t[0]]};
    for (const std::int32_t v : t) {
      box.lo = box.lo.cwiseMin(mesh.vertices[v]);
      box.hi = box.hi.cwiseMax(mesh.vertices[v]);
    }
    boxes.push_back(box);
  }
  bvh::BuiltTree built = bvh::build_tree(boxes);
  asset::Volume volume;
  std::vector<Tetrahedron> ordered;
  for (const std::int32_t i : built.order) {
    const Tetrahedron& t = mesh.tetrahedra[i];
    ordered.push_back(t);
    volume.tetrahedra.insert(volume.tetrahedra.end(), t.begin(), t.end());
    append(volume.gradients, field.gradients[i]);
    append_planes(mesh, t, volume.face_planes);
    const auto [lo, hi] =
        std::minmax({field.extent[t[0]], field.extent[t[1]], field.extent[t[2]], field.extent[t[3]]});
    volume.extent_ranges.insert(volume.extent_ranges.end(), {lo, hi});
  }
  for (const auto& vertex : mesh.vertices) append(volume.vertices, vertex);
  volume.neighbours = find_neighbours(ordered);
  volume.extent = field.extent;
  volume.tree = std::move(built.tree);
  volume.tree_extent_ranges = tree_ranges(volume.tree, volume.extent_ranges);
  return volume;
}

MadeVolume make_volume(const TriangleMesh& surface, const VolumeParameters& parameters, Report& report) {
  const LocalInradius inradius(surface);
  refuse_thin(inradius);
  InteriorParameters interior;
  interior.core_fraction = parameters.extent.core_fraction;
  MadeVolume made;
  made.mesh = tetrahedralize(surface, interior_points(surface, inradius, interior), parameters.limits);
  improve(made.mesh);
  if (parameters.extent.field == FieldKind::kHarmonic)
    snap_to_core(made.mesh, inradius, parameters.extent.core_fraction);
  made.field = extent_field(made.mesh, inradius, parameters.extent, report);
  return made;
}

std::vector<asset::Volume> make_volumes(const TriangleMesh& closed, const VolumeParameters& parameters,
                                        Report& report) {
  const std::vector<std::int64_t> targets = checked_targets(parameters);
  const TriangleMesh surface = parameters.fill_voids ? without_voids(closed) : closed;
  std::vector<asset::Volume> volumes;
  std::string failure;
  std::optional<VolumeLevel> last;
  std::int64_t last_target = 0;
  Misses misses;
  const auto make = [&parameters](const TriangleMesh& simple, Report& told) {
    return make_volume(simple, parameters, told);
  };
  for (const std::int64_t target : targets) {
    const auto begin = Clock::now();
    const std::size_t number = volumes.size();
    try {
      refuse_thin(LocalInradius(surface));  // before simplification, which may make it thicker
      std::optional<VolumeLevel> level;
      if (!last || !out_of_reach(*last, last_target)) level = find_level(surface, target, make);
      if (level && (!last || is_better(*level, *last))) {
        last = std::move(level);
        for (const std::string& warning : last->report.warnings)
          report.warnings.push_back(fmt::format("volume {}: {}", number, warning));
      } else if (level && last->limit.empty()) {
        last->limit = level->limit;
      }
      last_target = target;
      volumes.push_back(build_volume(last->made.mesh, last->made.field));
      describe(*last, number, std::chrono::duration<double>(Clock::now() - begin).count(), report);
      misses.add(*last, number, target, report);
    } catch (const InvalidInput& error) {
      failure = error.what();
      report.warnings.push_back(fmt::format("no volume of {} tetrahedra: {}", target, failure));
    }
  }
  misses.flush(report);
  if (volumes.empty()) throw InvalidInput("no volume could be made: " + failure);
  return volumes;
}

}  // namespace abut::preprocess
