#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/contact/soft/pair_sums.h"
#include "runtime/contact/soft_minimum/pair_balls.h"
#include "runtime/contact/soft_minimum/separation_search.h"

// Soft-minimum contact of a pair: finds the least soft distance, then sums over all points near it. `Ops`
// holds the inner loops for one lane type, so that those for four points at a time can be compiled for
// several instruction sets.
namespace abut::contact::internal {

// Inner loops for one point at a time: the reference.
template <class S>
struct ScalarOps {
  static bool all_above(const Side<S>& side, const S* p, S radius, const Bound<S>& bound) {
    return internal::all_above<S, S>(side, p, radius, bound);
  }
  static void depth_at(const Side<S>& side, const S* p, S cut, Depth<S>& depth) {
    internal::depth_at<S, S>(side, p, cut, depth);
  }
  static void find_nearest(const Side<S>& side, const S* p, bool certain, Nearby<S>& nearby) {
    ssdf::internal::descend<S>(*side.field, p, nearby);
    if (certain) ssdf::internal::find_nearest<S>(*side.field, p, nearby);
  }
  static void force_sums(ssdf::Order order, const Side<S>& side, const S* p, const S* v,
                         const Reach<S>& reach, const Nearby<S>& nearby, const SoftMinimumParameters<S>& with,
                         ForceSums<S>& sums, S& heaviest) {
    if (order == ssdf::Order::kValue)
      internal::force_sums<0, S, S>(side, p, v, reach, nearby, with, sums, heaviest);
    else if (order == ssdf::Order::kGradient)
      internal::force_sums<1, S, S>(side, p, v, reach, nearby, with, sums, heaviest);
    else
      internal::force_sums<2, S, S>(side, p, v, reach, nearby, with, sums, heaviest);
  }
};

// Logarithm of the spring's force c(g), valid also where the force itself underflows.
template <class S>
S log_spring(S g, const SoftMinimumParameters<S>& with) {
  using std::exp, std::log, std::log1p;
  const S x = -g / with.eps3;
  const S soft = x > S(0) ? x + log1p(exp(-x)) : exp(x);
  return log(with.stiffness * with.eps3) + (x < S(-30) ? x : log(x > S(0) ? soft : log1p(exp(x))));
}

template <class S, class Ops>
class SoftMinimumKernel {
 public:
  SoftMinimumKernel(const SoftBody& A, const SoftBody& B, const Pose<S>& X_AB, const Vec6<S>& V_AB_B,
                    const SoftMinimumParameters<S>& parameters, ssdf::Order order)
      : with_(parameters),
        order_(order),
        dense_(!(parameters.tolerance > S(0))),
        X_AB_(X_AB),
        V_(V_AB_B),
        balls_(A, B, X_AB) {
    using std::log;
    const S reach = balls_.farthest();
    sides_[0] = side(B, A, X_AB.inverse(), with_.eps1_B, with_.wall_B);
    sides_[1] = side(A, B, X_AB, with_.eps1_A, with_.wall_A);
    const S points = S(A.points.point_count) + S(B.points.point_count);
    log_points_ = log(points);
    log_tolerance_ = dense_ ? S(0) : log(with_.tolerance);
    // With this cutoff, what is left out changes a soft distance by less than e^-4 eps2.
    search_cut_ = log_points_ + 4 + log(1 + reach / with_.eps2);
  }

  void solve(SoftMinimum<S>& out) {
    if (far()) return far_view(out);
    find_least();
    // The band bounds weights together with their second derivatives: |d Phi|^2 / eps2^2 is the same for all
    // points, but lever arms are not, hence the last term.
    band_ = with_.eps2 * (log_points_ - log_tolerance_ + 12);
    least_press_ = std::exp(std::min(S(8) + log_spring(least_, with_), S(600))) / with_.stiffness;
    PairSums<S> sums[2] = {PairSums<S>(order_), PairSums<S>(order_)};
    const Vec3<S> c_B = owner_ == 0 ? deepest_ : Vec3<S>(X_AB_.inverse() * deepest_);
    const Vec3<S> c_A = owner_ == 0 ? Vec3<S>(X_AB_ * deepest_) : deepest_;
    Vec6<S> V_B = V_;  // at C
    V_B.template tail<3>() += V_.template head<3>().cross(c_B);
    Vec6<S> V_A;
    V_A << -(X_AB_.R * V_B.template head<3>()), -(X_AB_.R * V_B.template tail<3>());
    sum_side(sides_[0], c_B, V_B, sums[0]);
    sum_side(sides_[1], c_A, V_A, sums[1]);
    Pose<S> turn;
    turn.R = X_AB_.R;
    sums[0].add(seen_from_other(sums[1], turn, V_B, order_), order_);
    finish(sums[0], c_B, least_, order_, out);
    out.status = most_spring_ > S(0) ? Status::kOk : Status::kNoOverlap;
    if (balls_.gap > S(kNoSpring) * with_.eps3) drop_forces(out);
  }

  // Computes the separation field and its weights.
  void separation(std::vector<SeparationPoint<S>>& out) {
    using std::exp;
    out.clear();
    if (far()) return;
    find_least();
    band_ = with_.eps2 * (log_points_ - log_tolerance_);
    least_press_ = std::numeric_limits<S>::max();
    S total(0);
    for (int k = 0; k < 2; ++k) {
      const Side<S>& side = sides_[k];
      walk(side, true, [&](std::int32_t block) {
        const double* const numbers = side.points->numbers + std::ptrdiff_t(block) * kBlockNumbers;
        for (int i = 0; i < kBlockPoints; ++i) {
          const std::int32_t index = side.points->order[std::ptrdiff_t(block) * kBlockPoints + i];
          if (index < 0) continue;
          const Vec3<S> p = side.place(numbers, i);
          Depth<S> depth{};
          depth_at(side, p, depth);
          if (!dense_ && depth.value > least_ + band_) continue;
          evaluate(side, p, Vec3<S>::Zero(), depth.press);
          const S weight = exp((least_ - force_.distance.value) / with_.eps2);
          total += weight;
          const Vec3<S>& slope = force_.distance.gradient;
          Vec6<S> gradient;  // of p = exp(-xi) p about Bo for a point of A, of X_AB exp(xi) p_B for one of B
          if (k == 0) {
            gradient << slope.cross(p), -slope;
          } else {
            const Vec3<S> slope_B = X_AB_.R.transpose() * slope;
            gradient << (X_AB_.inverse() * p).cross(slope_B), slope_B;
          }
          out.push_back({k, index, force_.distance.value, weight, gradient});
        }
      });
    }
    for (SeparationPoint<S>& point : out) point.weight /= total;
  }

 private:
  // For finding the sum that planes beyond the cutoff are compared with.
  static constexpr int kMaxGuesses = 64;

  static S inverse(S depth) { return depth > S(0) ? 1 / depth : S(0); }

  // Returns true for two clouds of planes so far apart that squared distances do not resolve which points are
  // near.
  bool far() const {
    return !sides_[0].exact && !sides_[1].exact &&
           !squares_tell(balls_.farthest(), std::min(with_.eps1_A, with_.eps1_B));
  }

  // F's field with P's points. A primitive's points are left out if too far from planes.
  Side<S> side(const SoftBody& F, const SoftBody& P, const Pose<S>& X_FP, S eps1, S wall) const {
    return {&F.points.blocks,
            F.exact,
            points_count(P, F, balls_.farthest(), eps1) ? &P.points.blocks : nullptr,
            F.points.point_count,
            P.points.point_count,
            X_FP,
            eps1,
            balls_.farthest(),
            inverse(wall)};
  }

  // Every force underflows; what the sums hold is rounding, from planes seen edge-on from afar.
  static void drop_forces(SoftMinimum<S>& out) {
    out.F_BBo_B.setZero();
    out.jacobian.setZero();
    out.hessian = no_hessian<S>();
    out.status = Status::kNoOverlap;
  }

  // Points are as good as the balls around them: there is no force, and the distance is the gap of the balls.
  void far_view(SoftMinimum<S>& out) const {
    out = SoftMinimum<S>();
    out.status = Status::kNoOverlap;
    out.distance = balls_.gap;
    if (order_ == ssdf::Order::kValue || !std::isfinite(out.distance)) return;
    const Vec3<S> n = X_AB_.R.transpose() * (balls_.offset / balls_.between), &c = balls_.c_B;  // in B
    Mat36<S> J;  // derivative of the offset, in B
    J << -skew(c), Mat3<S>::Identity();
    out.distance_gradient = J.transpose() * n;
    if (order_ == ssdf::Order::kGradient) return;
    const Mat3<S> turn = (n * c.transpose() + c * n.transpose()) / 2;
    out.distance_hessian = J.transpose() * (Mat3<S>::Identity() - n * n.transpose()) * J / balls_.between;
    out.distance_hessian.template topLeftCorner<3, 3>() += turn - n.dot(c) * Mat3<S>::Identity();
    out.distance_hessian.template topRightCorner<3, 3>() -= skew(n) / 2;
    out.distance_hessian.template bottomLeftCorner<3, 3>() += skew(n) / 2;
  }

  // Finds the least soft distance of all points; the level falls as the traversal proceeds.
  void find_least() {
    least_ = std::numeric_limits<S>::infinity();
    for (int k = 0; k < 2; ++k) {
      const Side<S>& side = sides_[k];
      walk(side, false, [&](std::int32_t block) {
        const double* const numbers = side.points->numbers + std::ptrdiff_t(block) * kBlockNumbers;
        for (int i = 0; i < kBlockPoints; ++i) {
          if (side.points->order[std::ptrdiff_t(block) * kBlockPoints + i] < 0) continue;
          const Vec3<S> p = side.place(numbers, i);
          Depth<S> depth;
          depth_at(side, p, depth);
          if (!(depth.value < least_)) continue;
          least_ = depth.value;
          deepest_ = p;
          owner_ = k;
        }
      });
    }
  }

  // The bound for pruning clusters without weight: those above the band and not pressed harder than e^8 times
  // the force at the deepest point, a factor that the last term of the band covers.
  Bound<S> bound(bool band) const {
    const S slack = with_.eps2 * S(0.05);
    if (!band) return {least_ + slack, std::numeric_limits<S>::max(), search_cut_};
    return {least_ + band_ + slack, least_press_, search_cut_};
  }

  // Calls visit(block) for the blocks of points that are not above the level: with `band`, that of points
  // with weight; without, that of the least distance so far. Children that appear deeper come first.
  template <class Visit>
  void walk(const Side<S>& side, bool band, Visit&& visit) {
    if (side.points == nullptr) return;
    const PointBlocksView& blocks = *side.points;
    Walk walk;
    walk.push(blocks.levels, 0);
    for (std::int32_t at, entry; walk.pop(at, entry);) {
      if (at == 0) {
        visit(entry);
        continue;
      }
      const double* const node = ssdf::internal::node_at(blocks, at, entry);
      std::int32_t kept[kNodeChildren];
      S looks[kNodeChildren];
      int count = 0;
      for (int c = 0; c < kNodeChildren; ++c) {
        const auto row = [&](int r) { return S(node[kNodeChildren * r + c]); };
        if (row(asset::kCenterRow) > S(1e99)) continue;  // no child
        const Vec3<S> p = side.X_FP * Vec3<S>(row(asset::kCenterRow), row(asset::kCenterRow + 1),
                                              row(asset::kCenterRow + 2));
        const S radius = row(asset::kRadiusRow);
        if (!dense_ && least_ < std::numeric_limits<S>::infinity() && all_above(side, p, radius, band))
          continue;
        const S look = band ? S(0) : rough_depth(side, p) - radius;
        int place = count++;
        for (; place > 0 && looks[place - 1] < look; --place) {
          looks[place] = looks[place - 1];
          kept[place] = kept[place - 1];
        }
        looks[place] = look;
        kept[place] = kNodeChildren * entry + c;
      }
      for (int k = 0; k < count; ++k) walk.push(at - 1, kept[k]);
    }
  }

  // A primitive's exact distance differs between two points by at most their distance.
  bool all_above(const Side<S>& side, const Vec3<S>& p, S radius, bool band) const {
    if (side.exact) return internal::depth_at<S>(*side.exact, p).value - radius > bound(band).level;
    return Ops::all_above(side, p.data(), radius, bound(band));
  }

  void depth_at(const Side<S>& side, const Vec3<S>& p, Depth<S>& depth) const {
    if (side.exact)
      depth = internal::depth_at<S>(*side.exact, p);
    else
      Ops::depth_at(side, p.data(), search_cut_, depth);
  }

  // The height of p above a plane near it.
  S rough_depth(const Side<S>& side, const Vec3<S>& p) const {
    if (side.exact) return internal::depth_at<S>(*side.exact, p).value;
    Nearby<S> nearby{{}, {}, std::numeric_limits<S>::max()};
    Ops::find_nearest(side, p.data(), false, nearby);
    return height(nearby, p);
  }
  static S height(const Nearby<S>& nearby, const Vec3<S>& p) {
    S g(0);
    for (int k = 0; k < 3; ++k) g += nearby.n[k] * (p[k] - nearby.x[k]);
    return g;
  }

  // Adds all points of a side that have weight. c: origin of the sums' frame, in the owner; V: the owner's
  // motion relative to the points' body, at C.
  void sum_side(const Side<S>& side, const Vec3<S>& c, const Vec6<S>& V, PairSums<S>& sums) {
    const Vec3<S> omega = V.template head<3>(), nu = V.template tail<3>();
    walk(side, true, [&](std::int32_t block) {
      const double* const numbers = side.points->numbers + std::ptrdiff_t(block) * kBlockNumbers;
      for (int i = 0; i < kBlockPoints; ++i) {
        if (side.points->order[std::ptrdiff_t(block) * kBlockPoints + i] < 0) continue;
        const Vec3<S> p = side.place(numbers, i);
        Depth<S> depth{};
        if (!dense_ && !weighs(side, p, depth)) continue;
        const Vec3<S> y = p - c, v = -(nu + omega.cross(y));
        evaluate(side, p, v, depth.press);
        add_point(force_, y, omega, least_, with_.eps2, order_, sums);
      }
    });
  }

  // Returns true if the point's weight times its largest possible force matters.
  bool weighs(const Side<S>& side, const Vec3<S>& p, Depth<S>& depth) const {
    using std::log;
    depth_at(side, p, depth);
    const S over = depth.value - least_ - band_;
    if (over <= S(0)) return true;
    const S soft = depth.lowest > S(0) ? log_spring(depth.lowest, with_) : log(with_.stiffness * with_.eps3);
    const S hard = log(with_.stiffness * depth.press + std::numeric_limits<S>::min());
    return over / with_.eps2 <= std::max(soft, hard) + 1 - log_spring(least_, with_);
  }

  // Computes force_ at p; `press`: a lower bound of the weighted mean of max(-g, 0). Planes beyond the cutoff
  // may press harder than those within, by at most their spring over the summed force. That sum is known only
  // afterwards, but is at least the stiffness times `press`.
  void evaluate(const Side<S>& side, const Vec3<S>& p, const Vec3<S>& v, S press) {
    using std::exp, std::log, std::sqrt;
    if (side.exact) {
      exact_force(*side.exact, p, v, with_, order_, force_);
      most_spring_ = std::max(most_spring_, exp(log_spring(force_.distance.value, with_)));
      return;
    }
    Nearby<S> nearby{{}, {}, std::numeric_limits<S>::max()};
    Ops::find_nearest(side, p.data(), false, nearby);
    S g0 = height(nearby, p);
    const S least = std::numeric_limits<S>::min();
    S log_sum = std::max(log_spring(g0, with_) - 2, log(with_.stiffness * press + least));  // a guess
    const S depth = sqrt(nearby.distance2 / side.eps1);
    bool nearest = false;
    for (int guesses = 0;;) {
      Reach<S> reach{S(ssdf::internal::kEveryPoint2), S(ssdf::internal::kEveryPoint2), S(0)};
      if (!dense_) {
        S cut = ssdf::internal::cutoff(side.field_count, with_.tolerance, order_, depth) + side.slack();
        // Within the distance where planes count at half again the cut: the logarithm below adds less than
        // that.
        const S r = sqrt(nearby.distance2 + S(1.5) * side.eps1 * cut);
        const S harder = log_spring(-r, with_) - log_sum;
        cut += log(1 + r / with_.eps2);
        // Weights that underflow are 0 anyway.
        const S far = std::min(cut + std::max(harder, S(0)), -log(std::numeric_limits<S>::min()) + 40);
        const auto limit = [&](S by) { return (nearby.distance2 + side.eps1 * by) * S(1 + 1e-14); };
        reach = {limit(std::min(cut, far)), limit(far), log_sum - cut};
      }
      ForceSums<S> sums;
      S heaviest;
      Ops::force_sums(order_, side, p.data(), v.data(), reach, nearby, with_, sums, heaviest);
      if (!nearest && heaviest > S(ssdf::internal::kTooHeavy)) {  // see ssdf::internal::near_sums
        nearest = true;
        Ops::find_nearest(side, p.data(), true, nearby);
        g0 = height(nearby, p);
        continue;
      }
      const S found = sums.spring > S(0) ? log(sums.spring / sums.distance.w) : S(-1e30);
      const S lowest = log(std::numeric_limits<S>::min());
      if (!dense_ && found < log_sum && log_sum > lowest) {
        // The last guess includes all planes.
        log_sum = ++guesses < kMaxGuesses ? std::max(found - 1, lowest) : lowest;
        continue;
      }
      most_spring_ = std::max(most_spring_, sums.spring);
      from_sums(sums, g0, side.eps1, order_, force_);
      return;
    }
  }

  SoftMinimumParameters<S> with_;
  ssdf::Order order_;
  bool dense_;
  Pose<S> X_AB_;
  Vec6<S> V_;
  Balls<S> balls_;
  Side<S> sides_[2];  // planes of B and points of A; planes of A and points of B
  S log_points_, log_tolerance_, search_cut_, band_ = S(0);
  S least_ = S(0), least_press_ = S(0), most_spring_ = S(0);
  Vec3<S> deepest_ = Vec3<S>::Zero();  // in the frame of the owner of the planes
  int owner_ = 0;
  PointForce<S> force_;
};

}  // namespace abut::contact::internal
