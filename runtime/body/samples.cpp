#include "runtime/body/samples.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "runtime/core/error.h"

namespace abut::body {

namespace {

constexpr double kPi = std::numbers::pi;

struct Sample {
  Vec3<double> position, normal;  // m; any length
  double area;                    // m^2
};
using Samples = std::vector<Sample>;

// Parts of a length, so that needles and plates do not have more than a few thousand samples.
int parts(double length, double spacing) {
  return static_cast<int>(std::clamp(std::round(length / spacing), 1.0, double(kSampleCount)));
}

// Nodes of a grid on the six faces.
Samples samples_of(const Box<double>& box, double spacing) {
  int n[3];
  for (int k = 0; k < 3; ++k) n[k] = parts(2 * box.half[k], spacing);
  Samples samples;
  const auto add = [&](const int(&at)[3]) {
    Sample sample{Vec3<double>::Zero(), Vec3<double>::Zero(), 0};
    double share[3];  // of the node along each axis, m
    for (int k = 0; k < 3; ++k) {
      const bool end = at[k] == 0 || at[k] == n[k];
      sample.position[k] = box.half[k] * (2.0 * at[k] / n[k] - 1);
      sample.normal[k] = end ? (at[k] == 0 ? -1 : 1) : 0;
      share[k] = 2 * box.half[k] / n[k] * (end ? 0.5 : 1);
    }
    for (int k = 0; k < 3; ++k)
      if (sample.normal[k] != 0) sample.area += share[(k + 1) % 3] * share[(k + 2) % 3];
    samples.push_back(sample);
  };
  for (int i = 0; i <= n[0]; ++i)
    for (int j = 0; j <= n[1]; ++j) {
      const bool side = i == 0 || i == n[0] || j == 0 || j == n[1];
      for (int k = 0; k <= n[2]; k += side ? 1 : n[2]) add({i, j, k});
    }
  return samples;
}

// A node of a profile in the half plane of radius and height, with the length of the profile about it.
struct Node {
  double r, z, nr, nz, share;
};

// A profile from the lowest point of the axis to the highest, in pieces that meet at common nodes.
class Profile {
 public:
  explicit Profile(double spacing) : spacing_(spacing) {}

  // An arc about (0, z) between angles from the equator.
  void arc(double radius, double z, double from, double to) {
    piece(radius * (to - from), [&](double t) {
      const double angle = from + t * (to - from);
      const bool pole = std::abs(std::abs(angle) - kPi / 2) < 1e-9;
      const double cosine = pole ? 0 : std::cos(angle), sine = std::sin(angle);
      return Node{radius * cosine, z + radius * sine, cosine, sine, 0};
    });
  }

  // A line, outside to the right of it.
  void line(double r0, double z0, double r1, double z1) {
    const double length = std::hypot(r1 - r0, z1 - z0);
    if (!(length > 0)) return;
    piece(length, [&](double t) {
      return Node{r0 + t * (r1 - r0), z0 + t * (z1 - z0), (z1 - z0) / length, (r0 - r1) / length, 0};
    });
  }

  // Around the axis.
  Samples turned() const {
    Samples samples;
    for (const Node& node : nodes_) {
      if (node.r == 0) {
        samples.push_back({{0, 0, node.z}, {0, 0, node.nz}, kPi * node.share * node.share});
        continue;
      }
      const int sides = 2 * std::max(3, parts(kPi * node.r, spacing_));
      for (int i = 0; i < sides; ++i) {
        const double angle = 2 * kPi * i / sides, c = std::cos(angle), s = std::sin(angle);
        samples.push_back({{node.r * c, node.r * s, node.z},
                           {node.nr * c, node.nr * s, node.nz},
                           2 * kPi * node.r * node.share / sides});
      }
    }
    return samples;
  }

 private:
  template <class At>
  void piece(double length, At&& at) {
    const int n = parts(length, spacing_);
    for (int i = 0; i <= n; ++i) {
      Node node = at(double(i) / n);
      node.share = length / n / (i == 0 || i == n ? 2 : 1);
      if (i == 0 && !nodes_.empty()) {
        nodes_.back().nr += node.nr;
        nodes_.back().nz += node.nz;
        nodes_.back().share += node.share;
      } else {
        nodes_.push_back(node);
      }
    }
  }

  double spacing_;
  std::vector<Node> nodes_;
};

Samples samples_of(const Capsule<double>& capsule, double spacing) {
  const double h = capsule.half_length, r = capsule.radius;
  Profile profile(spacing);
  profile.arc(r, -h, -kPi / 2, 0);
  profile.line(r, -h, r, h);
  profile.arc(r, h, 0, kPi / 2);
  return profile.turned();
}

Samples samples_of(const Sphere<double>& sphere, double spacing) {
  return samples_of(Capsule<double>{0, sphere.radius}, spacing);
}

Samples samples_of(const Ellipsoid<double>& ellipsoid, double) {
  const Vec3<double>& a = ellipsoid.semi_axes;
  Samples samples = samples_of(Sphere<double>{1}, std::sqrt(4 * kPi / kSampleCount));
  for (Sample& sample : samples) {
    sample.normal = sample.normal.normalized().cwiseQuotient(a / a.minCoeff());
    sample.position = sample.position.cwiseProduct(a);
    sample.area *= sample.normal.norm();
  }
  return samples;
}

Samples samples_of(const Cylinder<double>& cylinder, double spacing) {
  const double h = cylinder.half_length, r = cylinder.radius;
  Profile profile(spacing);
  profile.line(0, -h, r, -h);
  profile.line(r, -h, r, h);
  profile.line(r, h, 0, h);
  return profile.turned();
}

Samples samples_of(const Cone<double>& cone, double spacing) {
  Profile profile(spacing);
  profile.line(0, -cone.half_length, cone.radius, -cone.half_length);
  profile.line(cone.radius, -cone.half_length, 0, cone.half_length);
  return profile.turned();
}

Samples samples_of(const HalfSpace<double>&, double) { return {}; }

}  // namespace

asset::OrientedPoints sample_surface(const Primitive& primitive) {
  require_valid(primitive);
  if (std::holds_alternative<HalfSpace<double>>(primitive))
    throw InvalidInput("half_space: its surface has no end to take samples of");
  const double area = mass_properties(primitive).area, spacing = std::sqrt(area / kSampleCount);
  const Samples samples =
      std::visit([&](const auto& shape) { return samples_of(shape, spacing); }, primitive);
  double sum = 0;
  for (const Sample& sample : samples) sum += sample.area;
  asset::OrientedPoints points;
  for (int k = 0; k < 3; ++k)
    for (const Sample& sample : samples) {
      points.positions.push_back(sample.position[k]);
      points.normals.push_back(sample.normal[k] / sample.normal.norm());
    }
  for (const Sample& sample : samples) points.areas.push_back(sample.area * (area / sum));
  points.spacing.assign(4, std::sqrt(area / static_cast<double>(samples.size())));
  asset::add_blocks(points);
  return points;
}

}  // namespace abut::body
