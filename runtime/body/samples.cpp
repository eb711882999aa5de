#include "runtime/body/samples.h"

#include <cmath>
#include <vector>

#include "runtime/core/error.h"

namespace abut::body {

asset::OrientedPoints sample_surface(const Primitive& primitive) {
  require_valid(primitive);
  if (std::holds_alternative<HalfSpace<double>>(primitive))
    throw InvalidInput("half_space: its surface has no end to take samples of");
  const double area = mass_properties(primitive).area, spacing = std::sqrt(area / kSampleCount);
  std::vector<SurfaceSample> samples =
      std::visit([&](const auto& shape) { return kind_of(shape).samples(shape, spacing); }, primitive);
  double sum = 0;
  for (const SurfaceSample& sample : samples) sum += sample.area;
  asset::OrientedPoints points;
  for (int k = 0; k < 3; ++k)
    for (const SurfaceSample& sample : samples) {
      points.positions.push_back(sample.position[k]);
      points.normals.push_back(sample.normal[k] / sample.normal.norm());
    }
  for (const SurfaceSample& sample : samples) points.areas.push_back(sample.area * (area / sum));
  points.spacing.assign(4, std::sqrt(area / static_cast<double>(samples.size())));
  asset::add_blocks(points);
  std::vector<std::vector<Eigen::Vector4d>> parts;
  for (SurfaceSample& sample : samples) {
    for (Eigen::Vector4d& part : sample.parts) part[3] *= area / sum;
    parts.push_back(std::move(sample.parts));
  }
  points.samples = asset::make_sample_blocks(view(points), parts);
  return points;
}

}  // namespace abut::body
