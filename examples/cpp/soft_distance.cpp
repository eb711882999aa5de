// Soft signed distances of points, and gradient descent on them: a point inside an object finds its way out.
//   soft_distance OBJECT.h5
#include <cstdio>
#include <exception>

#include <abut/asset/reader.h>
#include <abut/core/error.h>
#include <abut/ssdf/soft_distances.h>

using namespace abut;

int main(int argc, char** argv) try {
  if (argc != 2) throw InvalidInput("usage: soft_distance OBJECT.h5");
  const body::Geometry object(asset::load(argv[1]));
  const ssdf::SoftDistances distance(object);
  constexpr double kClearance = 0.005;  // m

  // From inside: 1 mm below the middle of the first quad.
  const asset::PointsView& points = object.points();
  Vec3<double> p(points.x[0], points.y[0], points.z[0]);
  p -= 1e-3 * Vec3<double>(points.nx[0], points.ny[0], points.nz[0]);
  for (int k = 0; k < 50; ++k) {
    const ssdf::SoftDistance<double> d = distance(p, ssdf::Order::kGradient);
    std::printf("(%9.6f, %9.6f, %9.6f) m: %9.6f m, %s\n", p.x(), p.y(), p.z(), d.value,
                to_string(d.status).data());
    if (d.value >= kClearance - 1e-6) return 0;
    p += (kClearance - d.value) * d.gradient / d.gradient.squaredNorm();
  }
  throw InvalidInput("no way out after 50 steps");
} catch (const std::exception& error) {
  std::fprintf(stderr, "soft_distance: %s\n", error.what());
  return 1;
}
