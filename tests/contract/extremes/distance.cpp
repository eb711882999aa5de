#include <cmath>

#include "runtime/distance/surface_distance.h"
#include "runtime/ssdf/kernel.h"
#include "tests/contract/extremes/query.h"

// Distances of points: exact and soft. The query's origin of B is the point.
namespace abut::test {

namespace {

using Vector = Vec3<double>;

class Exact final : public Asker {
 public:
  void ask(const Query& query, Judge& judge) override {
    if (!query.A->has_surface()) return;
    const auto found = judge.timed(
        [&] { return distance::signed_distance<double>(query.A->own.geometry.surface(), query.X_AB.p); });
    const auto moved = judge.timed([&] {
      return distance::signed_distance<double>(query.A->moved.geometry.surface(),
                                               query.A->X_MO * query.X_AB.p);
    });
    if (!judge_numbers(query, found, judge) || !judge_numbers(query, moved, judge)) return;
    const double limit = kShare * query.length;
    // The sign is lost in rounding within the limit.
    judge.same(Again::kMoved, "distance", std::abs(std::abs(found.distance) - std::abs(moved.distance)),
               query.length);
    judge.meets(found.distance <= 0);
    if (std::abs(found.distance) > limit) judge.holds("sign", (found.distance < 0) == (moved.distance < 0));
  }

 private:
  static bool judge_numbers(const Query& query, const distance::SurfaceDistance<double>& d, Judge& judge) {
    const bool numbers = std::isfinite(d.distance) && d.closest.allFinite() && d.gradient.allFinite();
    judge.holds("an answer", d.status == Status::kOk || d.status == Status::kTouching);
    judge.holds("finite numbers", numbers);
    if (!numbers) return false;
    judge.at_most("|gradient| - 1", std::abs(d.gradient.norm() - 1), 1e-9);
    judge.at_most("closest point", d.closest.norm(), (1 + kShare) * 2 * query.A->reach);
    return true;
  }
};

// Value, gradient and Hessian by one kernel.
class Soft final : public Asker {
 public:
  explicit Soft(ssdf::KernelKind kind) : kind_(kind) {}

  void ask(const Query& query, Judge& judge) override {
    Random random = query.random();
    const asset::PointsView &points = query.A->own.geometry.points(),
                            &moved_points = query.A->moved.geometry.points();
    double eps1 = ssdf::default_eps1(points);
    if (random.below(4) == 0) eps1 *= std::pow(10.0, random.uniform(-12, 12));
    const double tolerance = random.below(2) ? ssdf::kTolerance : std::pow(10.0, random.uniform(-15, 1));
    const Vector& p = query.X_AB.p;
    const auto found = judge.timed([&] { return ask(points, p, eps1, tolerance); });
    const auto moved = judge.timed([&] { return ask(moved_points, query.A->X_MO * p, eps1, tolerance); });
    if (!judge_numbers(found, judge) || !judge_numbers(moved, judge)) return;
    // Rounding of the point moves the value along the gradient, and that along the Hessian: far away, and for
    // a small eps1, by more than the limit where points are equally near.
    const double length = query.length, shift = 64 * std::numeric_limits<double>::epsilon() * length;
    const double slope = std::max(found.gradient.stableNorm(), moved.gradient.stableNorm());
    const double bend = std::max(found.hessian.stableNorm(), moved.hessian.stableNorm());
    const double share = std::max(kShare, 8 * tolerance);
    // The kernel of walls has steps that may be narrower than that: the slope says nothing of their height.
    if (kind_ == ssdf::KernelKind::kWall && shift * bend > 1 + slope) return;
    const double gap = std::abs(found.value - moved.value);
    const double bound = share * (length + std::sqrt(eps1)) + shift * slope + shift * (shift * bend);
    judge.at_most("value", gap, bound);
    if (share == kShare) judge.note(Again::kMoved, gap / (length + std::sqrt(eps1)));
    judge.meets(found.value <= 0);
    if (tolerance > 1e-9 || !(shift * shift / eps1 < 1e-12)) return;
    judge.at_most("gradient", (found.gradient - query.A->X_MO.R.transpose() * moved.gradient).norm(),
                  share * (1 + slope) * (1 + length * length / eps1) + shift * bend);
  }

 private:
  ssdf::SoftDistance<double> ask(const asset::PointsView& points, const Vector& p, double eps1,
                                 double tolerance) const {
    if (kind_ == ssdf::KernelKind::kGaussian)
      return ssdf::soft_distance(points, p, eps1, ssdf::Order::kHessian, tolerance);
    return ssdf::KernelField(points, kind_, eps1).distance<double>(p, ssdf::Order::kHessian, tolerance);
  }

  bool judge_numbers(const ssdf::SoftDistance<double>& d, Judge& judge) const {
    const bool numbers = std::isfinite(d.value) && d.gradient.allFinite() && d.hessian.allFinite();
    const bool gaussian = kind_ == ssdf::KernelKind::kGaussian;
    judge.holds("numbers where it says ok", numbers || d.status != Status::kOk);
    if (gaussian) judge.holds("an answer", d.status == Status::kOk);
    return numbers;
  }

  ssdf::KernelKind kind_;
};

template <ssdf::KernelKind kind>
std::unique_ptr<Asker> make_soft(std::string_view) {
  return std::make_unique<Soft>(kind);
}

}  // namespace

void add_distance_properties(std::vector<Property>& list) {
  list.push_back({"surface_distance", 1,
                  [](std::string_view) -> std::unique_ptr<Asker> { return std::make_unique<Exact>(); }});
  list.push_back({"soft_distance", 1, make_soft<ssdf::KernelKind::kGaussian>});
  list.push_back({"soft_distance_wall", 4, make_soft<ssdf::KernelKind::kWall>});
  list.push_back({"soft_distance_compact", 4, make_soft<ssdf::KernelKind::kCompact>});
  list.push_back({"soft_distance_two_stage", 4, make_soft<ssdf::KernelKind::kTwoStage>});
}

}  // namespace abut::test
