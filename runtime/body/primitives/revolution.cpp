#include "runtime/body/primitives/revolution.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "runtime/body/samples.h"

namespace abut::body::detail {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kStraight = 0.866;  // cosine between the normals at a bend of 30 degrees
constexpr double kNoLength = 1e-6;   // of a core, in units of its depth: shorter cores are points

// Half the angle of a segment of the unit circle whose chord is `sagitta` inside the circle.
double half_angle(double sagitta) { return std::acos(1 - sagitta); }

// Number of sides of a polygon that stays within half of the deviation on either side of the unit circle, and
// the radius of its corners.
int sides_of_circle(double deviation) {
  return std::max(6, static_cast<int>(std::ceil(kPi / half_angle(deviation))));
}
double corner_radius(int sides) { return 2 / (1 + std::cos(kPi / sides)); }

}  // namespace

int parts(double length, double spacing) {
  return static_cast<int>(std::clamp(std::round(length / spacing), 1.0, double(kSampleCount)));
}

bool Profile::Node::bends() const {
  if (r == 0) return std::abs(before.nr + after.nr) > 0;  // a tip
  return before.share > 0 && after.share > 0 && before.nr * after.nr + before.nz * after.nz < kStraight;
}

template <class At>
void Profile::piece(double length, At&& at) {
  const int n = parts(length, spacing_);
  for (int i = 0; i <= n; ++i) {
    Node node = at(double(i) / n);
    const double half = length / n / 2;
    node.before = i > 0 ? Side{node.after.nr, node.after.nz, half} : Side{};
    node.after = i < n ? Side{node.after.nr, node.after.nz, half} : Side{};
    if (i == 0 && !nodes_.empty())
      nodes_.back().after = node.after;
    else
      nodes_.push_back(node);
  }
}

void Profile::arc(double radius, double z, double from, double to) {
  piece(radius * (to - from), [&](double t) {
    const double angle = from + t * (to - from);
    const bool pole = std::abs(std::abs(angle) - kPi / 2) < 1e-9;
    const double cosine = pole ? 0 : std::cos(angle), sine = std::sin(angle);
    return Node{radius * cosine, z + radius * sine, {}, {cosine, sine, 0}};
  });
}

void Profile::line(double r0, double z0, double r1, double z1) {
  const double length = std::hypot(r1 - r0, z1 - z0);
  if (!(length > 0)) return;
  piece(length, [&](double t) {
    return Node{r0 + t * (r1 - r0), z0 + t * (z1 - z0), {}, {(z1 - z0) / length, (r0 - r1) / length, 0}};
  });
}

void Profile::add_sector(SurfaceSample& sample, const Node& node, double angle, double width, int count) {
  const auto add_side = [&](const Side& side, double way) {
    if (!(side.share > 0)) return;
    add_parts(sample, count, 2, [&](int u, int v) {
      const double along = way * side.share * (v + 0.5), turn = angle + width * ((u + 0.5) / count - 0.5);
      const double r = node.r - along * side.nz, z = node.z + along * side.nr;
      return Eigen::Vector4d(r * std::cos(turn), r * std::sin(turn), z, r * width / count * side.share / 2);
    });
  };
  add_side(node.before, -0.5);
  add_side(node.after, 0.5);
  sample.area = 0;
  for (const Eigen::Vector4d& part : sample.parts) sample.area += part[3];
}

std::vector<SurfaceSample> Profile::turned() const {
  std::vector<SurfaceSample> samples;
  for (const Node& node : nodes_) {
    const double nr = node.before.nr + node.after.nr, nz = node.before.nz + node.after.nz;
    if (node.r == 0) {
      samples.push_back({{0, 0, node.z}, {0, 0, nz}, kPi * node.share() * node.share()});
      if (node.bends()) add_sector(samples.back(), node, 0, 2 * kPi, 8);
      continue;
    }
    const int sides = 2 * std::max(3, parts(kPi * node.r, spacing_));
    for (int i = 0; i < sides; ++i) {
      const double angle = 2 * kPi * i / sides, c = std::cos(angle), s = std::sin(angle);
      samples.push_back(
          {{node.r * c, node.r * s, node.z}, {nr * c, nr * s, nz}, 2 * kPi * node.r * node.share() / sides});
      if (node.bends()) add_sector(samples.back(), node, angle, 2 * kPi / sides, 4);
    }
  }
  return samples;
}

TriangleMesh turned(const std::vector<ProfilePoint>& profile, int sides) {
  TriangleMesh mesh;
  const auto rows = static_cast<std::int32_t>(profile.size()) - 2;
  for (std::int32_t row = 1; row <= rows; ++row)
    for (int i = 0; i < sides; ++i) {
      const double angle = 2 * kPi * i / sides;
      mesh.vertices.emplace_back(profile[row].r * std::cos(angle), profile[row].r * std::sin(angle),
                                 profile[row].z);
    }
  const auto bottom = static_cast<std::int32_t>(mesh.vertices.size()), top = bottom + 1;
  mesh.vertices.emplace_back(0, 0, profile.front().z);
  mesh.vertices.emplace_back(0, 0, profile.back().z);
  const auto at = [&](std::int32_t row, int i) { return row * sides + i % sides; };
  for (int i = 0; i < sides; ++i) {
    mesh.triangles.push_back({bottom, at(0, i + 1), at(0, i)});
    for (std::int32_t row = 0; row + 1 < rows; ++row) {
      mesh.triangles.push_back({at(row, i), at(row, i + 1), at(row + 1, i + 1)});
      mesh.triangles.push_back({at(row, i), at(row + 1, i + 1), at(row + 1, i)});
    }
    mesh.triangles.push_back({top, at(rows - 1, i), at(rows - 1, i + 1)});
  }
  return mesh;
}

std::vector<SurfaceSample> samples_of(const std::vector<ProfilePoint>& profile, double spacing) {
  Profile lines(spacing);
  for (std::size_t k = 1; k < profile.size(); ++k)
    lines.line(profile[k - 1].r, profile[k - 1].z, profile[k].r, profile[k].z);
  return lines.turned();
}

TriangleMesh triangles_of(std::vector<ProfilePoint> profile, double deviation) {
  const int sides = sides_of_circle(deviation);
  for (ProfilePoint& point : profile) point.r *= corner_radius(sides);
  return turned(profile, sides);
}

// The facets of a ball have a sagitta in either direction: each gets half of the deviation.
TriangleMesh unit_capsule(double h, double deviation) {
  const int sides = sides_of_circle(deviation / 2), quarter = (sides + 3) / 4;
  const double step = kPi / 2 / quarter;
  const double sagitta = 2 - std::cos(kPi / sides) - std::cos(step / 2);
  const double r = 1 / (1 - sagitta / 2);
  std::vector<ProfilePoint> profile;
  for (int i = 0; i <= quarter; ++i) profile.push_back({r * std::sin(i * step), -h - r * std::cos(i * step)});
  for (int i = h > 0 ? quarter : quarter - 1; i >= 0; --i)
    profile.push_back({r * std::sin(i * step), h + r * std::cos(i * step)});
  return turned(profile, sides);
}

TriangleMesh scaled(TriangleMesh mesh, const Vec3<double>& scale) {
  for (Vec3<double>& v : mesh.vertices) v = v.cwiseProduct(scale);
  return mesh;
}

double core_length(double length, double depth) { return length > kNoLength * depth ? length : 0; }

}  // namespace abut::body::detail
