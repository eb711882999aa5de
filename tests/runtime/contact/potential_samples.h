#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "runtime/contact/soft_potential.h"
#include "runtime/contact/soft_potential/force.h"
#include "runtime/ssdf/grid_field.h"
#include "runtime/ssdf/two_stage.h"
#include "tests/support/bodies.h"
#include "tests/support/point_clouds.h"

// What the soft potential is judged by: all samples of a pair, none left out, and the energy of them.
namespace abut::test {

using contact::PotentialLaw;
using contact::PotentialPair;

// Oriented points on a sphere about the origin, radius in m.
inline body::Geometry ball_cloud(double radius, int count) {
  return body::Geometry(points_asset(sphere_points(radius, count)));
}

// Stiffness times area (N/m) of every sample of a pair, and the field there, m; none left out.
inline std::vector<std::pair<double, double>> all_samples(const PotentialPair<double>& pair) {
  std::vector<std::pair<double, double>> result;
  for (const bool of_A : {true, false}) {
    const asset::PointsView points = (of_A ? pair.A : pair.B)->points(),
                            field = (of_A ? pair.B : pair.A)->points();
    const Pose<double> X = of_A ? pair.X_AB.inverse() : pair.X_AB;
    const int groups = points.samples.first[points.blocks.block_count];
    for (int i = 0; i < asset::kGroupSamples * groups; ++i) {
      const double* const x =
          points.samples.numbers + i / asset::kGroupSamples * asset::kGroupNumbers + i % asset::kGroupSamples;
      const Vec3<double> p = X * Vec3<double>(x[0], x[4], x[8]);
      double phi;
      if (of_A ? pair.grid_B : pair.grid_A) {
        const auto d = ssdf::GridField((of_A ? pair.B : pair.A)->grid()).distance(p, 0);
        phi = d.status == Status::kOk ? d.value : std::numeric_limits<double>::infinity();
      } else {
        phi = ssdf::two_stage_distance<double>(field, p, ssdf::Order::kValue).value;
      }
      result.emplace_back(pair.law.stiffness * (of_A ? pair.share_A : pair.share_B) * x[12], phi);
    }
  }
  return result;
}

// J, by the definition.
inline double energy(const std::vector<std::pair<double, double>>& samples, const PotentialLaw<double>& law) {
  double sum = 0;
  for (const auto& [ka, phi] : samples) {
    if (!(phi < law.faded * law.eps3)) continue;
    contact::internal::Push<double> push;
    contact::internal::push_at(phi, law, push);
    sum += ka * push.energy;
  }
  return sum;
}

}  // namespace abut::test
