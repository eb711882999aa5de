#pragma once

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "preprocess/cli/pipeline.h"
#include "runtime/body/body.h"
#include "runtime/ssdf/soft_distances.h"

// What the benchmarks of contact by soft distances share.
namespace abut::benchmarks {

struct Law {
  const char *title, *model;
  SettingValues settings;
};
inline const Law kLaws[] = {{"soft minimum, Gaussian", "soft_minimum", {}},
                            {"soft minimum, walls", "soft_minimum", {{"kernel", "wall"}}},
                            {"soft potential, points", "soft_potential", {{"field", "points"}}},
                            {"soft potential, grid", "soft_potential", {{"field", "grid"}}}};

struct Extent {
  Vec3<double> low, high;
};

inline Extent extent_of(const asset::SurfaceView& surface) {
  Extent extent{Vec3<double>::Constant(1e9), Vec3<double>::Constant(-1e9)};
  for (std::int32_t i = 0; i < surface.vertex_count; ++i) {
    const auto p = Vec3<double>::Map(surface.vertices + 3 * i);
    extent.low = extent.low.cwiseMin(p);
    extent.high = extent.high.cwiseMax(p);
  }
  return extent;
}

// Assets with oriented points of these numbers of quads, the finest first, and the distance grid that goes
// with the first; and tetrahedra where they are asked for.
inline preprocess::Parameters points_and_grid(const std::vector<int>& quads, int tetrahedra = 0) {
  preprocess::Parameters parameters;
  parameters.volume.tetrahedra.clear();
  if (tetrahedra > 0) parameters.volume.tetrahedra = {tetrahedra};
  parameters.points.levels.clear();
  for (const int count : quads)
    parameters.points.levels.push_back({preprocess::QuadTarget::Kind::kQuads, double(count)});
  parameters.grid = preprocess::grid_parameters_from_string("auto");
  return parameters;
}

// The asset of a mesh in metres, with them and the grid.
inline body::Geometry made_asset(const std::string& name, const std::filesystem::path& file, int quads) {
  return body::Geometry(preprocess::make_asset(
      {.name = name, .file = file, .metres_per_unit = 1, .notes = {}}, points_and_grid({quads}), {}));
}

// Quads of either body whose points are inside the other.
inline int quads_inside(const body::Geometry& A, const body::Geometry& B, const Pose<double>& X_AB) {
  int count = 0;
  const auto add = [&](const body::Geometry& field, const asset::PointsView& points, const Pose<double>& X) {
    for (std::int32_t i = 0; i < points.point_count; ++i)
      count += ssdf::soft_distance(field, X * Vec3<double>(points.x[i], points.y[i], points.z[i]),
                                   {.kernel = ssdf::KernelKind::kWall}, ssdf::Order::kValue)
                   .value < 0;
  };
  add(A, B.points(), X_AB);
  add(B, A.points(), X_AB.inverse());
  return count;
}

// B moved towards A along x until about `quads` of them are inside.
inline Pose<double> in_contact(const body::Geometry& A, const body::Geometry& B, int quads) {
  double deep = 0, apart = 0.3;
  Pose<double> X{exp_rotation<double>({0.3, 0.2, 1.1}), Vec3<double>::Zero()};
  for (int i = 0; i < 20; ++i) {
    X.p.x() = (deep + apart) / 2;
    (quads_inside(A, B, X) < quads ? apart : deep) = X.p.x();
  }
  return X;
}

// Seconds of processor time of one call, the least of several runs.
inline double seconds(const std::function<void()>& call) {
  double best = 1e300;
  for (int run = 0; run < 9; ++run) {
    constexpr int kCalls = 5;
    timespec begin{}, end{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int i = 0; i < kCalls; ++i) call();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    best = std::min(
        best, (double(end.tv_sec - begin.tv_sec) + 1e-9 * double(end.tv_nsec - begin.tv_nsec)) / kCalls);
  }
  return best;
}

}  // namespace abut::benchmarks
