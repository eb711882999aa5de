#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

#include "benchmarks/soft_minimum/studies.h"
#include "runtime/cli/asset_folder.h"
#include "runtime/contact/model.h"
#include "runtime/core/error.h"
#include "runtime/ssdf/primitives.h"
#include "runtime/ssdf/soft_distances.h"
#include "runtime/witness/pair_query.h"

namespace abut::soft_minimum_studies {

namespace {

struct Asked {
  std::string title, model;
  SettingValues settings;
};

const Asked kAsked[] = {
    {"soft_minimum, kernel gaussian", "soft_minimum", {}},
    {"soft_minimum, kernel wall", "soft_minimum", {{"kernel", "wall"}}},
    {"point", "point", {}},
    {"pressure_field", "pressure_field", {}},
};

struct Extent {
  Vec3<double> low, high;
};

Extent extent_of(const asset::ConvexView& hull) {
  Extent extent;
  const double* axes[] = {hull.x, hull.y, hull.z};
  for (int k = 0; k < 3; ++k) {
    const auto [low, high] = std::minmax_element(axes[k], axes[k] + hull.vertex_count);
    extent.low[k] = *low;
    extent.high[k] = *high;
  }
  return extent;
}

// Twelve places of the mug on the box's top: four along it, three turns at each; lowered until the
// hulls touch.
std::vector<Pose<double>> touching_poses(const body::Geometry& box, const body::Geometry& mug) {
  const Extent b = extent_of(box.convex()), m = extent_of(mug.convex());
  const Vec3<double> top = (b.low + b.high) / 2, foot = (m.low + m.high) / 2;
  const int along = b.high.x() - b.low.x() > b.high.y() - b.low.y() ? 0 : 1;
  const double half = (b.high - b.low)[along] / 2;
  witness::Workspace<double> workspace;
  std::vector<Pose<double>> poses;
  for (const double place : {-0.45, -0.15, 0.15, 0.45})
    for (const double turn : {0.2, 0.2 + 2 * std::numbers::pi / 3, 0.2 + 4 * std::numbers::pi / 3}) {
      Pose<double> X{exp_rotation<double>({0, 0, turn}), Vec3<double>::Zero()};
      X.p = top - X.R * foot;
      X.p[along] += place * half;
      double low = b.high.z() - m.high.z(), high = b.high.z() - m.low.z() + 0.01;
      for (int i = 0; i < 60; ++i) {
        X.p.z() = (low + high) / 2;
        const bool apart = witness::separation(box, mug, X, workspace).distance > 0;
        (apart ? high : low) = X.p.z();
      }
      poses.push_back(X);
    }
  return poses;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// How much too deep a point inside a meshed box reads, by its distance from the nearest edge; in spacings.
void edge_depths() {
  constexpr double kSpacing = 0.008;
  const Vec3<double> half(0.08, 0.08, 0.08);
  asset::Asset box;
  box.points.push_back(ssdf::box_points(half, kSpacing));
  const body::Geometry geometry(std::move(box));
  fmt::print("\npoints 0.1 spacings below a face of a meshed box: depth read, in spacings\n");
  fmt::print("{:<34}{:>12}{:>12}\n", "distance from the edge, spacings", "gaussian", "wall");
  for (const double from_edge : {0.1, 0.25, 0.5, 1.0, 1.5, 3.0}) {
    double mean[2] = {0, 0};
    constexpr int kPlaces = 64;
    for (int i = 0; i < kPlaces; ++i) {  // along the edge, over several spacings
      const Vec3<double> p(half.x() - from_edge * kSpacing, 0.025 * (2.0 * i / kPlaces - 1),
                           half.z() - 0.1 * kSpacing);
      for (const int wall : {0, 1}) {
        const ssdf::SoftDistances field(geometry,
                                        ssdf::soft_distance_config({{"kernel", wall ? "wall" : "gaussian"}}));
        ssdf::SoftDistance<double> found[1];
        field(std::span(&p, 1), ssdf::Order::kValue, found, 1);
        mean[wall] -= found[0].value / kSpacing / kPlaces;
      }
    }
    fmt::print("{:<34}{:>12.3f}{:>12.3f}\n", from_edge, mean[0], mean[1]);
  }
}

}  // namespace

void push(const std::string& folder, const std::string& mug_name, const std::string& box_name,
          const std::string& csv) {
  constexpr int kDepths = 30;
  constexpr double kStep = 5e-5;  // m: 1.5 mm in all
  cli::AssetFolder assets(folder);
  const body::Body box{assets[box_name]}, mug{assets[mug_name]};
  const std::vector<Pose<double>> poses = touching_poses(box.geometry, mug.geometry);
  std::ofstream samples;
  if (!csv.empty()) {
    samples.open(csv);
    if (!samples) throw IoError(csv + ": cannot be written");
    samples << "model,position,depth_m,normal_N,sideways_N\n";
  }
  fmt::print("sideways force over normal force: {} ({} quads) upright on the top of {} ({} quads),\n",
             mug_name, mug.geometry.points().point_count, box_name, box.geometry.points().point_count);
  fmt::print("{} positions, {} depths up to {} mm\n", poses.size(), kDepths, 1e3 * kStep * kDepths);
  fmt::print("{:<34}{:>9}{:>9}{:>9}\n", "model", "median", "90 %", "worst");
  for (const Asked& asked : kAsked) {
    const auto model = contact::make_model(asked.model, asked.settings);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < poses.size(); ++i)
      for (int k = 1; k <= kDepths; ++k) {
        Pose<double> X = poses[i];
        X.p.z() -= kStep * k;
        const contact::PairWrench wrench = model->wrench({&box, &mug, X}, contact::Want::kValue);
        const Vec3<double> f = X.R * wrench.F_BBo_B.tail<3>();
        const double normal = std::abs(f.z()), sideways = std::hypot(f.x(), f.y());
        if (normal > 0) ratios.push_back(sideways / normal);
        if (samples.is_open())
          samples << fmt::format("\"{}\",{},{},{:.9g},{:.9g}\n", asked.title, i, kStep * k, f.z(), sideways);
      }
    if (ratios.empty()) throw InvalidInput("no force: " + asked.title);
    fmt::print("{:<34}{:>9.3f}{:>9.3f}{:>9.3f}\n", asked.title, quantile(ratios, 0.5), quantile(ratios, 0.9),
               quantile(ratios, 1));
  }
  edge_depths();
}

}  // namespace abut::soft_minimum_studies
