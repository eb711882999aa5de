#include "runtime/dynamics/collide/support_feature.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace abut::dynamics {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;
// Below this sine of the tilt the direction of a cap's support point is undefined, and the rim's corners are
// fixed to the body.
constexpr double kFlat = 1e-6;

SupportFeature box_face(const PlacedShape& shape, const Vec3<double>& d) {
  SupportFeature face;
  int k;
  d.cwiseAbs().maxCoeff(&k);
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const double side = d[k] < 0 ? -1 : 1;
  const Vec3<double>& h = shape.half;
  const Vec3<double> center = shape.X_WS.p + shape.X_WS.R.col(k) * (side * h[k]);
  const Vec3<double> u = shape.X_WS.R.col(i) * h[i], v = shape.X_WS.R.col(j) * (side * h[j]);
  face.size = 4;
  face.corner[0] = center + u + v;
  face.corner[1] = center - u + v;
  face.corner[2] = center - u - v;
  face.corner[3] = center + u - v;
  face.normal = side * shape.X_WS.R.col(k);
  return face;
}

SupportFeature cylinder_cap(const PlacedShape& shape, const Vec3<double>& d) {
  SupportFeature cap;
  const double side = d.z() < 0 ? -1 : 1;
  const double across = std::hypot(d.x(), d.y());
  const double start = across > kFlat ? std::atan2(d.y(), d.x()) : 0;
  cap.size = kRimCorners;
  for (int k = 0; k < kRimCorners; ++k) {
    const double angle = start + side * k * (kTwoPi / kRimCorners);
    cap.corner[k] = shape.X_WS * Vec3<double>(shape.half[0] * std::cos(angle),
                                              shape.half[0] * std::sin(angle), side * shape.half[2]);
  }
  cap.normal = side * shape.X_WS.R.col(2);
  return cap;
}

SupportFeature cylinder_generator(const PlacedShape& shape, const Vec3<double>& d) {
  SupportFeature line;
  const double across = std::hypot(d.x(), d.y());
  const double scale = across > 0 ? shape.half[0] / across : 0;
  line.size = 2;
  line.corner[0] = shape.X_WS * Vec3<double>(scale * d.x(), scale * d.y(), shape.half[2]);
  line.corner[1] = shape.X_WS * Vec3<double>(scale * d.x(), scale * d.y(), -shape.half[2]);
  return line;
}

// Relative to the length of a side: a point as close to its line counts as on it. This holds for the corner
// of a rim that touches an edge, seen along the normal, where rounding inside or outside must not add points.
constexpr double kOnSide = 1e-9;

// A corner of the clipped polygon, identified by its number in the incident polygon, or by the two lines that
// meet in it.
struct Clipped {
  Vec3<double> p;
  std::uint16_t id;
  std::uint16_t line;  // to the next corner: side of the incident polygon, or kReference + side of the other
};
constexpr std::uint16_t kReference = kRimCorners;

}  // namespace

SupportFeature facing_feature(const PlacedShape& shape, const Vec3<double>& direction_W) {
  const Vec3<double> d = shape.X_WS.R.transpose() * direction_W;
  if (shape.kind == ShapeKind::kBox) return box_face(shape, d);
  return d.z() * d.z() > 0.5 ? cylinder_cap(shape, d) : cylinder_generator(shape, d);
}

SupportFeature facing_edge(const PlacedShape& shape, const Vec3<double>& direction_W, double tolerance) {
  const Vec3<double> d = shape.X_WS.R.transpose() * direction_W;
  int k = 2;
  if (shape.kind == ShapeKind::kBox) d.cwiseAbs().minCoeff(&k);
  if (std::abs(d[k]) > std::sin(tolerance)) return {};
  if (shape.kind == ShapeKind::kCylinder) return cylinder_generator(shape, d);
  SupportFeature edge;
  Vec3<double> end;
  for (int j = 0; j < 3; ++j) end[j] = std::copysign(shape.half[j], d[j]);
  edge.size = 2;
  end[k] = shape.half[k];
  edge.corner[0] = shape.X_WS * end;
  end[k] = -shape.half[k];
  edge.corner[1] = shape.X_WS * end;
  return edge;
}

double PolygonSide::height_of(const Vec3<double>& p) const {
  const double height = outward.dot(p - start);
  return std::abs(height) <= kOnSide * outward.squaredNorm() ? 0 : height;
}

bool misses_nearest(const std::vector<SurfacePoint>& points, std::size_t first, double distance,
                    const PlacedShape& A, const PlacedShape& B) {
  constexpr double kMissed = 1e-3;  // relative to half the diagonal of the smaller shape's box
  const double limit = distance + kMissed * std::min(A.half.norm(), B.half.norm());
  return std::all_of(points.begin() + static_cast<std::ptrdiff_t>(first), points.end(),
                     [&](const SurfacePoint& point) { return point.gap > limit; });
}

void clip_features(const SupportFeature& reference, const SupportFeature& incident, const Vec3<double>& n_W,
                   bool swapped, double margin, std::vector<SurfacePoint>& points) {
  std::array<Clipped, kMaxCorners + 2> buffer[2];
  int size = incident.size;
  for (int k = 0; k < size; ++k) {
    const auto number = static_cast<std::uint16_t>(k);
    buffer[0][k] = {incident.corner[k], number, number};
  }
  const Clipped* from = buffer[0].data();
  int into = 1;
  // Sutherland-Hodgman clipping by one side of the reference polygon after the other, seen along the normal.
  const Vec3<double> up = swapped ? Vec3<double>(-n_W) : n_W;
  for (int side = 0; side < reference.size && size > 0; ++side) {
    const PolygonSide line_of(reference, side, up);
    const auto line = static_cast<std::uint16_t>(kReference + side);
    Clipped* to = buffer[into].data();
    int kept = 0;
    const int edges = size > 2 ? size : size - 1;  // a segment is not closed
    double height = line_of.height_of(from[0].p);
    for (int k = 0; k < size; ++k) {
      const Clipped& here = from[k];
      if (height <= 0) to[kept++] = here;
      if (k >= edges) break;
      const Clipped& next = from[k + 1 == size ? 0 : k + 1];
      const double next_height = line_of.height_of(next.p);
      if (height * next_height < 0) {
        const double t = height / (height - next_height);
        const auto id = static_cast<std::uint16_t>(256 * (side + 1) + 2 * kRimCorners + here.line);
        to[kept++] = {here.p + t * (next.p - here.p), id, here.line};
      }
      if (height <= 0 && next_height > 0) to[kept - 1].line = line;  // leaves: continues along this side
      height = next_height;
    }
    from = to;
    into = 1 - into;
    size = kept;
  }
  const double slope = std::abs(reference.normal.dot(n_W));
  for (int k = 0; k < size; ++k) {
    const double gap = reference.normal.dot(from[k].p - reference.corner[0]) / slope;
    if (!(gap <= margin)) continue;
    // The corner lies on the incident body; the reference is a gap away: towards A, or towards B where
    // swapped.
    const Vec3<double> middle = from[k].p + n_W * (swapped ? gap / 2 : -gap / 2);
    points.push_back(
        {middle, n_W, gap, 0.0, static_cast<std::uint16_t>(from[k].id | (swapped ? 0x8000 : 0))});
  }
}

}  // namespace abut::dynamics
