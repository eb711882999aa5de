#include "preprocess/grid/distance_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include "preprocess/grid/grid_error.h"
#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

constexpr int kNodes = asset::kBrickNodes, kSize = asset::kBrickSize;

// Additional nodes on each side of the box around the surface and the reach: a query needs one node below and
// two above its cell, and one more covers rounding.
constexpr int kMargin = 3;

struct Places {
  std::int32_t count[3];
  std::size_t size() const { return static_cast<std::size_t>(count[0]) * count[1] * count[2]; }
  std::size_t at(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * count[1] + y) * count[0] + x;
  }
  std::array<int, 3> of(std::size_t place) const {
    const auto x = static_cast<int>(place % count[0]);
    const std::size_t rest = place / count[0];
    return {x, static_cast<int>(rest % count[1]), static_cast<int>(rest / count[1])};
  }
};

class Builder {
 public:
  Builder(const asset::SurfaceView& surface, double spacing, double reach)
      : surface_(surface), spacing_(spacing), reach_(reach) {
    const Eigen::Map<const Eigen::Matrix3Xd> vertices(surface.vertices, 3, surface.vertex_count);
    const Vector3d low = vertices.rowwise().minCoeff(), high = vertices.rowwise().maxCoeff();
    origin_ = low - Vector3d::Constant(reach + kMargin * spacing);
    double places = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const double nodes = (high[axis] - low[axis] + 2 * reach) / spacing + 2 * kMargin;
      const double along = std::ceil(nodes / kNodes);
      places *= along;
      places_.count[axis] = static_cast<std::int32_t>(std::min<double>(along, asset::kMaxPlaces));
    }
    if (!(places * kSize <= kMaxBoxNodes)) refuse(places * kSize);
  }

  asset::DistanceGrid build() {
    sample_near();
    choose_bricks();
    for (int axis = 0; axis < 3; ++axis) interpolate_along(axis);
    return grid();
  }

 private:
  // Limit of the nodes of the whole box, of which scanned objects need a third and more.
  static constexpr double kMaxBoxNodes = 16.0 * kMaxGridNodes;

  [[noreturn]] void refuse(double nodes) const {
    throw InvalidInput(fmt::format(
        "a distance grid with {:.3g} m between nodes would need {:.2g} of them, more than {}; give --grid a "
        "greater spacing",
        spacing_, nodes, kMaxGridNodes));
  }

  Vector3d node(const std::array<int, 3>& place, int i, int j, int k) const {
    return origin_ + spacing_ * Vector3d(kNodes * place[0] + i, kNodes * place[1] + j, kNodes * place[2] + k);
  }

  double distance(const Vector3d& p, double reach) const {
    return distance::signed_distance<double>(surface_, p, reach).distance;
  }

  // Samples exact distances at the nodes of a brick. Each bounds the search for the next one: distances
  // differ by no more than the points do.
  void sample(std::size_t brick) {
    const std::array<int, 3> place = places_.of(place_of_[brick]);
    double* const values = values_.data() + brick * kSize;
    double reach = std::numeric_limits<double>::infinity();
    for (int n = 0; n < kSize; ++n) {
      const int k = n / 16, j = k % 2 == 0 ? n / 4 % 4 : 3 - n / 4 % 4;  // back and forth: adjacent nodes
      const int i = (n / 4) % 2 == 0 ? n % 4 : 3 - n % 4;
      const double d = distance(node(place, i, j, k), reach);
      values[16 * k + 4 * j + i] = d;
      reach = std::abs(d) + 1.001 * spacing_;
    }
  }

  void add_bricks(const std::vector<char>& wanted) {
    for (std::size_t place = 0; place < wanted.size(); ++place)
      if (wanted[place] != 0 && index_[place] < 0) {
        index_[place] = static_cast<std::int32_t>(place_of_.size());
        place_of_.push_back(place);
      }
    const std::size_t sampled = values_.size() / kSize;
    if (place_of_.size() * kSize > static_cast<std::size_t>(kMaxGridNodes))
      refuse(static_cast<double>(place_of_.size() * kSize));
    values_.resize(place_of_.size() * kSize);
    parallel_for(static_cast<std::int64_t>(place_of_.size() - sampled), 0,
                 [&](std::int64_t i, int) { sample(sampled + static_cast<std::size_t>(i)); });
  }

  // Samples bricks that may have a node within the reach plus half a cell's diagonal.
  void sample_near() {
    index_.assign(places_.size(), -1);
    std::vector<char> wanted(places_.size());
    const double half_brick = std::numbers::sqrt3 / 2 * (kNodes - 1) * spacing_;
    parallel_for(
        static_cast<std::int64_t>(wanted.size()), 0,
        [&](std::int64_t i, int) {
          const std::array<int, 3> place = places_.of(static_cast<std::size_t>(i));
          const Vector3d middle = (node(place, 0, 0, 0) + node(place, 3, 3, 3)) / 2;
          const bool is_near =
              distance(middle, std::numeric_limits<double>::infinity()) <= near() + half_brick;
          wanted[i] = is_near ? 1 : 0;
        },
        64);
    add_bricks(wanted);
  }

  // A point within the reach lies in a cell with a corner closer than this, m.
  double near() const { return reach_ + std::numbers::sqrt3 / 2 * spacing_; }

  // Keeps the bricks with a node that is needed by a cell at a near node; such a node is at most two nodes
  // away.
  void choose_bricks() {
    std::vector<char> needed(places_.size());
    for (std::size_t brick = 0; brick < place_of_.size(); ++brick) mark_needed(brick, needed);
    add_bricks(needed);
    std::vector<std::size_t> kept;
    std::vector<double> values;
    for (std::size_t place = 0; place < needed.size(); ++place) {
      if (needed[place] == 0) {
        index_[place] = -1;
        continue;
      }
      const double* const from = values_.data() + static_cast<std::size_t>(index_[place]) * kSize;
      index_[place] = static_cast<std::int32_t>(kept.size());
      kept.push_back(place);
      values.insert(values.end(), from, from + kSize);
    }
    place_of_ = std::move(kept);
    values_ = std::move(values);
  }

  void mark_needed(std::size_t brick, std::vector<char>& needed) const {
    const std::array<int, 3> place = places_.of(place_of_[brick]);
    for (int n = 0; n < kSize; ++n) {
      if (!(values_[brick * kSize + n] <= near())) continue;
      const int at[3] = {n % 4, n / 4 % 4, n / 16};
      int low[3], high[3];
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = std::max(place[axis] - (at[axis] < 2 ? 1 : 0), 0);
        high[axis] = std::min(place[axis] + (at[axis] < 2 ? 0 : 1), places_.count[axis] - 1);
      }
      for (int z = low[2]; z <= high[2]; ++z)
        for (int y = low[1]; y <= high[1]; ++y)
          for (int x = low[0]; x <= high[0]; ++x) needed[places_.at(x, y, z)] = 1;
    }
  }

  // Converts values into coefficients along the axis, in every run of bricks.
  void interpolate_along(int axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const std::int64_t columns = std::int64_t{places_.count[u]} * places_.count[v];
    parallel_for(columns, 0, [&](std::int64_t column, int) {
      std::array<int, 3> place{};
      place[u] = static_cast<int>(column % places_.count[u]);
      place[v] = static_cast<int>(column / places_.count[u]);
      std::vector<double*> run;
      for (int along = 0; along <= places_.count[axis]; ++along) {
        place[axis] = along;
        const std::int32_t brick =
            along < places_.count[axis] ? index_[places_.at(place[0], place[1], place[2])] : -1;
        if (brick >= 0) {
          run.push_back(values_.data() + static_cast<std::size_t>(brick) * kSize);
        } else if (!run.empty()) {
          interpolate_run(run, axis);
          run.clear();
        }
      }
    });
  }

  // Processes the 16 lines of nodes through consecutive bricks.
  static void interpolate_run(const std::vector<double*>& run, int axis) {
    const int strides[3] = {1, 4, 16};
    const int stride = strides[axis], u = strides[(axis + 1) % 3], v = strides[(axis + 2) % 3];
    std::vector<double> line(run.size() * kNodes), factors(line.size());
    for (int n = 0; n < 16; ++n) {
      const int first = n % 4 * u + n / 4 * v;
      const auto at = [&](std::size_t i) -> double& { return run[i / kNodes][first + i % kNodes * stride]; };
      for (std::size_t i = 0; i < line.size(); ++i) line[i] = at(i);
      interpolate_line(line, factors);
      for (std::size_t i = 0; i < line.size(); ++i) at(i) = line[i];
    }
  }

  // Solves c_{i-1} + 4 c_i + c_{i+1} = 6 f_i in the interior, with c = f at the ends, by elimination without
  // pivoting.
  static void interpolate_line(std::vector<double>& line, std::vector<double>& factors) {
    const std::size_t last = line.size() - 1;
    factors[0] = 0;
    for (std::size_t i = 1; i < last; ++i) {
      factors[i] = 1 / (4 - factors[i - 1]);
      line[i] = (6 * line[i] - line[i - 1]) * factors[i];
    }
    for (std::size_t i = last - 1; i > 0; --i) line[i] -= factors[i] * line[i + 1];
  }

  asset::DistanceGrid grid() const {
    asset::DistanceGrid grid;
    grid.lattice = {origin_[0], origin_[1], origin_[2], spacing_, reach_};
    grid.places.assign(places_.count, places_.count + 3);
    grid.index = index_;
    grid.coefficients.assign(values_.begin(), values_.end());
    asset::add_rows(grid);
    return grid;
  }

  const asset::SurfaceView& surface_;
  double spacing_, reach_;  // m
  Vector3d origin_;         // of node (0, 0, 0), m
  Places places_{};
  std::vector<std::int32_t> index_;    // brick at each place; -1: none
  std::vector<std::size_t> place_of_;  // place of each brick
  std::vector<double> values_;         // (bricks, 4, 4, 4) distances, then coefficients, m
};

}  // namespace

std::string GridParameters::text() const {
  return kind == Kind::kNone ? "none" : kind == Kind::kAuto ? "auto" : fmt::format("{}", spacing);
}

GridParameters grid_parameters_from_string(const std::string& text) {
  using Kind = GridParameters::Kind;
  if (text == "none") return {};
  if (text == "auto") return {Kind::kAuto, 0};
  double spacing = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), spacing);
  if (error != std::errc() || end != text.data() + text.size() || !(spacing > 0) || !std::isfinite(spacing))
    throw InvalidInput(fmt::format("--grid {}: give the metres between nodes, auto or none", text));
  return {Kind::kSpacing, spacing};
}

double point_spacing(const asset::Asset& asset) {
  return asset.points.empty() ? std::sqrt(asset.mass.area / kGridQuads)
                              : asset.points.front().spacing.front();
}

asset::DistanceGrid build_distance_grid(const asset::SurfaceView& surface, double spacing, double reach) {
  return Builder(surface, spacing, reach).build();
}

asset::DistanceGrid make_grid(const asset::Asset& asset, const GridParameters& parameters, Report& report) {
  double of_points = point_spacing(asset);
  const asset::SurfaceView surface = asset::view(asset.surfaces.front());
  const bool is_auto = parameters.kind == GridParameters::Kind::kAuto;
  const auto build = [&] {
    return build_distance_grid(surface, is_auto ? of_points / kGridFineness : parameters.spacing,
                               kGridReach * of_points);
  };
  asset::DistanceGrid grid;
  try {
    grid = build();
  } catch (const InvalidInput& error) {
    // Nobody asked for points so fine that their grid is too large.
    if (!is_auto || !report.measures.contains("points0_default_sign_wrong_percent")) throw;
    of_points = std::sqrt(asset.mass.area / kGridQuads);
    grid = build();
    report.warnings.push_back(
        fmt::format("a grid as fine as the points was not made ({}): this is that of "
                    "{:g} quads, and may be too coarse for the thinnest walls",
                    error.what(), kGridQuads));
  }
  report.measures["grid_coefficients"] = static_cast<double>(grid.coefficients.size());
  report.measures["grid_mebibytes"] =
      static_cast<double>(4 * (grid.coefficients.size() + grid.index.size())) / (1 << 20);
  report.measures.merge(
      measures_of(measure_grid(asset::view(grid), surface, {.radius = of_points}), "grid_"));
  return grid;
}

}  // namespace abut::preprocess
