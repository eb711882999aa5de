#include "runtime/dynamics/collide/support_feature.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace abut::dynamics {
namespace {

using Core = body::SweptCore<double>;

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
  const Vec3<double>& h = shape.core.size;
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

SupportFeature box_edge(const PlacedShape& shape, const Vec3<double>& d, int along) {
  SupportFeature edge;
  Vec3<double> end;
  for (int j = 0; j < 3; ++j) end[j] = std::copysign(shape.core.size[j], d[j]);
  edge.size = 2;
  end[along] = shape.core.size[along];
  edge.corner[0] = shape.X_WS * end;
  end[along] = -shape.core.size[along];
  edge.corner[1] = shape.X_WS * end;
  return edge;
}

double rim_radius(const Core& core, double side) { return side < 0 ? core.size.x() : core.top_radius; }

// Disc of the upper rim (side = 1) or of the lower one (-1).
SupportFeature rim_disc(const PlacedShape& shape, const Vec3<double>& d, double side) {
  SupportFeature disc;
  const double across = std::hypot(d.x(), d.y()), radius = rim_radius(shape.core, side);
  const double start = across > kFlat ? std::atan2(d.y(), d.x()) : 0;
  disc.size = kRimCorners;
  for (int k = 0; k < kRimCorners; ++k) {
    const double angle = start + side * k * (kTwoPi / kRimCorners);
    disc.corner[k] = shape.X_WS * Vec3<double>(radius * std::cos(angle), radius * std::sin(angle),
                                               side * shape.core.size.z());
  }
  disc.normal = side * shape.X_WS.R.col(2);
  return disc;
}

// Generator from the upper rim to the lower one.
SupportFeature generator(const PlacedShape& shape, const Vec3<double>& d) {
  SupportFeature line;
  const double across = std::hypot(d.x(), d.y());
  line.size = 2;
  for (int k = 0; k < 2; ++k) {
    const double side = k == 0 ? 1 : -1, radius = rim_radius(shape.core, side),
                 z = side * shape.core.size.z();
    const double scale = across > 0 ? radius / across : 0;
    line.corner[k] = shape.X_WS * (across > 0 ? Vec3<double>(scale * d.x(), scale * d.y(), z)
                                              : Vec3<double>(radius, 0, z));
  }
  return line;
}

// Cosine and sine of the angle by which the side's normals of a hull of two rims are tilted towards +z.
struct SideSlope {
  double cosine, sine;
  explicit SideSlope(const Core& core) {
    const double height = 2 * core.size.z(), narrower = core.size.x() - core.top_radius;
    const double length = std::hypot(height, narrower);
    cosine = height / length;
    sine = narrower / length;
  }
};

// The disc or generator whose normal is closest to d.
SupportFeature rims_feature(const PlacedShape& shape, const Vec3<double>& d) {
  const double side = d.z() < 0 ? -1 : 1;
  const SideSlope slope(shape.core);
  const double of_side = slope.cosine * std::hypot(d.x(), d.y()) + slope.sine * d.z();
  const bool on_disc = rim_radius(shape.core, side) > 0 && std::abs(d.z()) > of_side;
  return on_disc ? rim_disc(shape, d, side) : generator(shape, d);
}

// Whether the ends of a segment are one point next to the swept radius. Two contacts there would differ by
// less than the solvers resolve.
bool short_segment(const Core& core) { return core.size.z() <= 1e-6 * core.swept_radius; }

// Both ends of a segment; of a short one the end that is farther along d.
SupportFeature segment_ends(const PlacedShape& shape, const Vec3<double>& d) {
  SupportFeature line;
  const bool is_short = short_segment(shape.core);
  const Vec3<double> end(0, 0, is_short ? std::copysign(shape.core.size.z(), d.z()) : shape.core.size.z());
  line.size = is_short ? 1 : 2;
  line.corner[0] = shape.X_WS * end;
  line.corner[1] = shape.X_WS * Vec3<double>(-end);
  return line;
}

SupportFeature single_point(const PlacedShape& shape, const Vec3<double>& d) {
  SupportFeature point;
  point.size = 1;
  point.corner[0] = shape.X_WS.p;
  if (shape.kind == ShapeKind::kPoint) return point;
  const Vec3<double> scaled = shape.core.size.cwiseProduct(d);
  point.corner[0] = shape.X_WS * shape.core.size.cwiseProduct(scaled / scaled.norm());
  return point;
}

// Turns the feature of a core into that of the shape: moves it along the direction by the swept radius.
SupportFeature swept(SupportFeature feature, const PlacedShape& shape, const Vec3<double>& direction_W) {
  if (shape.core.swept_radius == 0) return feature;
  for (int k = 0; k < feature.size; ++k) feature.corner[k] += shape.core.swept_radius * direction_W;
  return feature;
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
  const auto of_core = [&] {
    switch (shape.kind) {
      case ShapeKind::kBox:
        return box_face(shape, d);
      case ShapeKind::kRims:
        return rims_feature(shape, d);
      case ShapeKind::kSegment:
        return segment_ends(shape, d);
      default:
        return single_point(shape, d);
    }
  };
  return swept(of_core(), shape, direction_W);
}

SupportFeature facing_edge(const PlacedShape& shape, const Vec3<double>& direction_W, double tolerance) {
  const Vec3<double> d = shape.X_WS.R.transpose() * direction_W;
  const double level = std::sin(tolerance);
  if (shape.kind == ShapeKind::kBox) {
    int k;
    d.cwiseAbs().minCoeff(&k);
    return std::abs(d[k]) > level ? SupportFeature{} : swept(box_edge(shape, d, k), shape, direction_W);
  }
  if (shape.kind == ShapeKind::kRims) {
    const SideSlope slope(shape.core);
    const double along = slope.cosine * d.z() - slope.sine * std::hypot(d.x(), d.y());
    return std::abs(along) > level ? SupportFeature{} : swept(generator(shape, d), shape, direction_W);
  }
  if (shape.kind != ShapeKind::kSegment || short_segment(shape.core) || std::abs(d.z()) > level) return {};
  return swept(segment_ends(shape, d), shape, direction_W);
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
