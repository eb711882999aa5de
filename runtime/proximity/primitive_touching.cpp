#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <span>

#include "runtime/proximity/primitive_sides.h"

namespace abut::proximity::internal {
namespace {

// Calls take(side) for 26 directions, of length 1 or more, spread all around.
template <class Take>
void visit_sides(Take&& take) {
  for (int k = 0; k < 27; ++k)
    if (k != 13) take(Eigen::Vector3i(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1).cast<double>().eval());
}

// Collects those normals of P at one point that differ by more than curvature causes.
class Normals {
 public:
  void add(const Vec3<double>& n) {
    constexpr double kOther = 1e-3;
    for (int k = 0; k < count_; ++k)
      if ((normal_[k] - n).norm() <= kOther) return;
    if (count_ < kMax) normal_[count_++] = n;
  }
  std::span<const Vec3<double>> all() const { return {normal_, static_cast<std::size_t>(count_)}; }

 private:
  static constexpr int kMax = 27;
  Vec3<double> normal_[kMax];
  int count_ = 0;
};

}  // namespace

distance::FlatBasis flat_of_primitive(const Sides& sides, const Vec3<double>& p) {
  constexpr double kNone = 1e-3;  // mean square of normals along a direction that counts as zero
  Mat3<double> normals = Mat3<double>::Zero();
  double count = 0;
  visit_sides([&](const Vec3<double>& side) {
    const auto f = body::primitive_distance<double>(sides.primitive, p + sides.beside * side, 1);
    if (!(f.value > 0)) return;
    normals += f.gradient * f.gradient.transpose();
    ++count;
  });
  const Eigen::SelfAdjointEigenSolver<Mat3<double>> parts(normals);
  distance::FlatBasis flat;
  for (int k = 0; k < 2; ++k)
    if (parts.eigenvalues()[k] <= kNone * count)
      flat.along[static_cast<std::size_t>(flat.dimension++)] = parts.eigenvectors().col(k);
  return flat;
}

TouchingNormal touching_normal(const Sides& sides, const Vec3<double>& x, const SurfacePoint& at_S,
                               double tolerance) {
  constexpr double kParallel = 1e-9;  // sine of an angle that counts as zero
  const auto here = body::primitive_distance<double>(sides.primitive, x, 1);
  const Vec3<double> p = x - here.value * here.gradient;
  const double beside = std::max(sides.beside, 16 * tolerance);
  Normals normals;
  normals.add(here.gradient);
  visit_sides([&](const Vec3<double>& side) {
    const auto f = body::primitive_distance<double>(sides.primitive, p + beside * side, 1);
    if (f.value > 0) normals.add(f.gradient);
  });
  if (normals.all().size() == 1) return {here.gradient, true};

  const asset::SurfaceView& S = sides.surface;
  const distance::Feature feature = feature_within(S, at_S, tolerance);
  TouchingNormal best;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  const auto consider = [&](const Vec3<double>& direction) {
    if (!(direction.norm() > kParallel)) return;  // from a triangle without area, or from parallel edges
    const Vec3<double> n = direction.normalized();
    // How far the bodies stick out of their sides of the plane normal to n, and how parallel their faces are
    // to it.
    double out = std::max(kParallel, n.dot(support(sides.primitive, n) - p) / sides.size_P);
    double facing_P = -1, facing_S = -1;
    visit_wedges(S, at_S.triangle, feature, [&](const Vec3<double>& u, const Vec3<double>& v) {
      out = std::max(out, -n.dot(sides.X_PS.R * u));
      facing_S = std::max(facing_S, -n.dot(sides.X_PS.R * u.cross(v).normalized()));
    });
    for (const Vec3<double>& of_P : normals.all()) facing_P = std::max(facing_P, n.dot(of_P));
    if (out > least || (out == least && !(facing_P + facing_S > most))) return;
    least = out, most = facing_P + facing_S, best = {n, out <= kParallel};
  };
  for (const Vec3<double>& n : normals.all()) consider(n);
  visit_wedges(S, at_S.triangle, feature, [&](const Vec3<double>& u, const Vec3<double>& v) {
    consider(sides.X_PS.R * -u.cross(v).normalized());
  });
  if (best.separates) return best;
  const distance::FlatBasis flat = flat_of_primitive(sides, p);
  visit_wedges(S, at_S.triangle, feature, [&](const Vec3<double>& u, const Vec3<double>&) {
    for (const Vec3<double>& along : flat.along) {
      const Vec3<double> n = along.cross(sides.X_PS.R * u);
      consider(n);
      consider(-n);
    }
  });
  return best;
}

}  // namespace abut::proximity::internal
