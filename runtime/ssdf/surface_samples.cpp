#include "runtime/ssdf/surface_samples.h"

#include "runtime/asset/moved_samples.h"
#include "runtime/ssdf/grid_field.h"

namespace abut::ssdf {

namespace {

using Group = Eigen::Map<Eigen::Matrix<double, asset::kGroupSamples, 4>>;  // rows of x, y, z (m), area

// The cross product of the diagonals: along the normal, twice the area between the samples.
Vec3<double> spread(const Group& group) {
  const auto side = [&](int from, int to) -> Vec3<double> {
    return (group.row(to) - group.row(from)).head<3>().transpose();
  };
  return side(1, 2).cross(side(0, 3));
}

// Error of the distance next to creases, in node spacings.
constexpr double kRounded = 0.2;

// The zero of the distance next to p, by Newton steps along its gradient; p if the zero is not between
// `least` and `most` (m) away.
Vec3<double> on_surface(const GridField& field, const Vec3<double>& p, const Vec3<double>& normal,
                        double least, double most) {
  constexpr int kSteps = 3;              // reduce half a spacing to less than a thousandth of it
  constexpr double kLeastSlope2 = 0.25;  // of the distance, squared; it vanishes in the middle of a wall
  Vec3<double> x = p;
  for (int i = 0; i < kSteps; ++i) {
    const GridDistance<double> d = field.distance(x, 1);
    const double slope2 = d.gradient.squaredNorm();
    if (d.status != Status::kOk || slope2 < kLeastSlope2 || !(d.gradient.dot(normal) > 0)) return p;
    x -= d.value / slope2 * d.gradient;
  }
  const double way = (x - p).norm();
  return least <= way && way <= most ? x : p;
}

}  // namespace

asset::SampleBlocks samples_on_surface(const asset::PointsView& points, const asset::DistanceGridView& grid) {
  const GridField field(grid);
  return asset::make_sample_blocks(points, [&](double* numbers, bool bent) {
    Group group(numbers);
    const Vec3<double> normal = spread(group);
    const double least = bent ? kRounded * grid.spacing : 0;
    for (int i = 0; i < asset::kGroupSamples; ++i) {
      const Vec3<double> p = group.row(i).head<3>().transpose();
      group.row(i).head<3>() = on_surface(field, p, normal, least, points.spacing / 2).transpose();
    }
    if (normal.norm() > 0) group.col(3) *= spread(group).norm() / normal.norm();
  });
}

}  // namespace abut::ssdf
