#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/contact/soft/exact_force.h"
#include "runtime/contact/soft_potential/kernel.h"
#include "runtime/contact/soft_potential/scratch.h"
#include "runtime/math/jet.h"

// The traversal that finds the samples of one body near the other's surface and the points of the field that
// matter there, and sums over them.
namespace abut::contact::internal {

// The force of force.h by jets, for the Hessian with friction and damping.
template <class S>
void point_force(S ka, const Taylor<S, 3>& phi, const Vec3<S>& v, const PotentialLaw<S>& law,
                 PointForce<S>& out) {
  using J = Jet<S, 6, 2>;  // with respect to position and velocity
  J g[3], velocity[3], distance(phi.value), length2;
  for (int k = 0; k < 3; ++k) {
    distance.first[k] = phi.first[k];
    g[k] = J(phi.first[k]);
    for (int l = 0; l < 3; ++l) g[k].first[l] = phi.second[second_place(std::min(k, l), std::max(k, l))];
    velocity[k] = J::parameter(v[k], 3 + k);
  }
  for (int m = 0; m < 6; ++m)
    distance.second[J::at(kSecondPlaces[m][0], kSecondPlaces[m][1])] = phi.second[m];
  for (int m = 0; m < 10; ++m) {
    const int i = kThirdPlaces[m][0], j = kThirdPlaces[m][1], k = kThirdPlaces[m][2];
    g[i].second[J::at(j, k)] = g[j].second[J::at(i, k)] = g[k].second[J::at(i, j)] = phi.third[m];
  }
  for (const J& component : g) length2 = length2 + component * component;
  const J over = inverse(sqrt(length2 + J(S(kFlat * kFlat))));
  const J sharp = over + S(0.5 * kFlat * kFlat) * (over * over * over);
  J speed, size2, n[3], t[3];
  for (int k = 0; k < 3; ++k) {
    n[k] = g[k] * sharp;
    speed = speed + n[k] * velocity[k];
    size2 = size2 + n[k] * n[k];
  }
  for (int k = 0; k < 3; ++k) t[k] = size2 * velocity[k] - speed * n[k];
  const J grip = law.friction * length2 * sharp * inverse_root(t, law.stiction);
  Push<S> push;
  push_at(phi.value, law, push);
  Damping<S> d;
  damping<S, S>(speed.value * law.damping, DampingLaw::kTwiceDifferentiable, d);
  const J press = ka * distance.composed(push.c, push.c1, push.c2) *
                  speed.composed(d.d, d.d1 * law.damping, d.d2 * law.damping * law.damping);
  out.distance = {phi.value, Vec3<S>::Zero(), Mat3<S>::Zero(), Status::kOk};
  for (int a = 0; a < 3; ++a) {
    const J f = press * (g[a] - grip * t[a]);
    out.force[a] = f.value;
    for (int k = 0; k < 3; ++k) {
      out.by_y(a, k) = f.first[k];
      out.by_v(a, k) = f.first[3 + k];
      for (int l = 0; l < 3; ++l) {
        out.by_yy[a](k, l) = f.second[J::at(std::min(k, l), std::max(k, l))];
        out.by_vv[a](k, l) = f.second[J::at(3 + std::min(k, l), 3 + std::max(k, l))];
        out.by_yv[a](k, l) = f.second[J::at(k, 3 + l)];
      }
    }
  }
}

// `Ops` has the functions of these names for a lane type: add<kOrder>(patch, sums), fields(patch, limit,
// Taylor<S, 3>[kSamples]), find_nearest(blocks, p, nearby), gather(blocks, center, range2, scale, packs),
// above_all(packs, count, range2, band), look_at(packs, c, radius, limit, far, memory), grid_bounds(side,
// places, count, bounds), feel(side, balls, count, bound, limit) and feel_lattice(side, numbers, count,
// limit).
template <class S, class T, class Ops>
class PotentialWalk {
 public:
  // `near`: scratch memory, kept from call to call.
  PotentialWalk(ssdf::Order order, NearScratch<S>& near) : order_(order), near_(near) {}

  // Finds the nodes of one level below which samples may feel the field; goes down from the root until there
  // are at least `most`, or the tree ends. Returns the level.
  std::int32_t live_nodes(const PotentialSide<S>& side, std::size_t most, std::vector<std::int32_t>& nodes,
                          std::vector<std::int32_t>& next) {
    nodes.clear();
    std::int32_t level = side.other->points.blocks.levels;
    if (side.other->endless() || !(side.law.stiffness > S(0))) return level;
    start();
    nodes.push_back(0);
    for (; level > 1 && !nodes.empty() && nodes.size() < most; --level) {
      next.clear();
      for (const std::int32_t node : nodes)
        live_children(side, level, node, [&](std::int32_t child, auto&&...) { next.push_back(child); });
      nodes.swap(next);
    }
    return level;
  }

  void sum(PotentialShare<S>& share) {
    share.sums.clear(order_);
    share.energy = S(0);
    share.met = false;
    if (order_ == ssdf::Order::kValue)
      sum<0>(share);
    else if (order_ == ssdf::Order::kGradient)
      sum<1>(share);
    else
      sum<2>(share);
  }

  // Calls visit(piece, phi) for the groups of A (`of_A`) or B whose middle is less than `limit` (m) above the
  // other's surface; phi is the field at the middle.
  template <class Visit>
  void middles(const PotentialPair<S>& pair, bool of_A, S limit, Visit&& visit) {
    const PotentialBody A(*pair.A, pair.grid_A, pair.lattice_A), B(*pair.B, pair.grid_B, pair.lattice_B);
    const Pose<S> X_OP = of_A ? pair.X_AB.inverse() : pair.X_AB;
    PotentialSide<S> side{of_A ? &B : &A, of_A ? &A : &B, X_OP, X_OP, Vec6<S>::Zero(), pair.law};
    if (side.other->endless()) return;
    side.law.faded = S(1);
    side.law.eps3 = limit;
    start();
    middles_ = true;
    walk(side, side.other->points.blocks.levels, 0, [&](Patch<S>& patch) {
      double middle[asset::kGroupNumbers] = {};
      for (int i = 0; i < 3 * kSamples; ++i) middle[i] = patch.piece->ball->center[i / kSamples];
      patch.numbers = middle;
      Taylor<S, 3> phi[kSamples];
      Ops::fields(patch, limit, phi);
      if (phi[0].value < limit) visit(*patch.piece, phi[0]);
    });
  }

 private:
  void start() {
    started_ = false;
    nearest_.distance2 = std::numeric_limits<S>::max();
  }

  template <int kOrder>
  void sum(PotentialShare<S>& share) {
    const PotentialSide<S>& side = *share.side;
    PairSums<S>& sums = share.sums;
    WrenchSums<T, kOrder> lanes;
    start();
    for (const std::int32_t* node = share.begin; node != share.end; ++node)
      walk(side, share.level, *node, [&](const Patch<S>& patch) {
        if (kOrder < 2 || side.law.still())
          Ops::template add<kOrder>(patch, lanes);
        else
          add_moving(patch, share);
      });
    share.energy += simd::sum(lanes.energy);
    share.met = !(share.energy <= S(0));  // also where it is NaN
    for (int a = 0; a < 6; ++a) sums.value[a] += simd::sum(lanes.value[a]);
    if constexpr (kOrder > 0)
      for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b) {
          sums.first(a, b) += simd::sum(lanes.xi[6 * a + b]);
          sums.first(a, 6 + b) += simd::sum(lanes.V[6 * a + b]);
        }
    if constexpr (kOrder > 1)
      for (int a = 0; a < 6; ++a) unpack(lanes.second + 21 * a, lanes.bend + 12 * a, sums.second[a]);
  }

  // Computes the Hessian of one component of the wrench from the sums of add_second.
  static void unpack(const T* second, const T* bend, Mat12<S>& H) {
    for (int m = 0; m < 6; ++m) {
      const int k = kSecondPlaces[m][0], l = kSecondPlaces[m][1];
      const S ww = simd::sum(second[m]), vv = simd::sum(second[15 + m]);
      H(k, l) += ww;
      H(3 + k, 3 + l) += vv;
      if (k == l) continue;
      H(l, k) += ww;
      H(3 + l, 3 + k) += vv;
    }
    Mat3<S> wv, turned;
    Vec3<S> r;
    for (int m = 0; m < 9; ++m) {
      wv(m / 3, m % 3) = simd::sum(second[6 + m]);
      turned(m / 3, m % 3) = simd::sum(bend[m]);
    }
    for (int m = 0; m < 3; ++m) r[m] = simd::sum(bend[9 + m]);
    H.template block<3, 3>(0, 3) += wv;
    H.template block<3, 3>(3, 0) += wv.transpose();
    Eigen::Matrix<S, 3, 6> half;  // skew(r) Y / 2
    half << turned - turned.trace() * Mat3<S>::Identity(), -skew(r);
    half *= S(0.5);
    H.template block<3, 6>(0, 0) += half;
    H.template block<6, 3>(0, 0) += half.transpose();
  }

  void add_moving(const Patch<S>& patch, PotentialShare<S>& share) {
    const PotentialSide<S>& side = *share.side;
    Taylor<S, 3> phi[kSamples];
    Ops::fields(patch, faded(side), phi);
    const Vec3<S> omega = side.V.template head<3>(), nu = side.V.template tail<3>();
    for (int i = 0; i < kSamples; ++i) {
      S y_C[3];
      places<S, S>(side.X_CP, patch.numbers + i, y_C);
      const Vec3<S> arm = Vec3<S>::Map(y_C), v = -(nu + omega.cross(arm));
      const S ka = side.law.stiffness * S(patch.numbers[3 * kSamples + i]);
      PointForce<S> force;
      point_force(ka, phi[i], v, side.law, force);
      Push<S> push;
      push_at(phi[i].value, side.law, push);
      share.energy += ka * push.energy;
      add_point(force, arm, omega, phi[i].value, std::numeric_limits<S>::infinity(), order_, share.sums);
    }
  }

  // Calls visit(child, center, radius, bound) for the children of a node below which samples may feel the
  // field; the children of a node of level 1 are blocks. `bound`: of a grid's field around the centre.
  template <class Visit>
  void live_children(const PotentialSide<S>& side, std::int32_t level, std::int32_t entry, Visit&& visit) {
    const PointBlocksView& blocks = side.other->points.blocks;
    const double* const node = ssdf::internal::node_at(blocks, level, entry);
    const double* const radius =
        side.other->points.samples.radii + std::ptrdiff_t(blocks.first_node[level] + entry) * kNodeChildren;
    const double* const centers = node + kNodeChildren * asset::kCenterRow;
    int count = kNodeChildren;
    while (count > 0 && radius[count - 1] < 0) --count;  // no child
    GridBound<S> bounds[kNodeChildren] = {};
    if (side.owner->grid != nullptr) Ops::grid_bounds(side, centers, count, bounds);
    for (int c = 0; c < count; ++c) {
      if (radius[c] < 0) continue;
      const auto row = [&](int r) { return S(centers[kNodeChildren * r + c]); };
      const Vec3<S> p = side.X_OP * Vec3<S>(row(0), row(1), row(2));
      if (!clear(side, p, S(radius[c]), bounds[c]))
        visit(kNodeChildren * entry + c, p, S(radius[c]), bounds[c]);
    }
  }

  // Calls visit(patch) for the groups below a node that may feel the field.
  template <class Visit>
  void walk(const PotentialSide<S>& side, std::int32_t level, std::int32_t node, Visit&& visit) {
    ssdf::internal::Walk walk;
    walk.push(level, node);
    for (std::int32_t at, entry; walk.pop(at, entry);)
      live_children(side, at, entry,
                    [&](std::int32_t child, const Vec3<S>& p, S radius, const GridBound<S>& bound) {
                      if (at > 1)
                        walk.push(at - 1, child);
                      else
                        visit_block(side, child, p, radius, bound, visit);
                    });
  }

  // Calls visit(patch) for the groups of a block that may feel the field; the block lies in a ball around
  // `center`. `bound`: of a grid's field there.
  template <class Visit>
  void visit_block(const PotentialSide<S>& side, std::int32_t block, const Vec3<S>& center, S radius,
                   const GridBound<S>& bound, Visit&& visit) {
    const asset::SampleBlocksView& samples = side.other->points.samples;
    const std::int32_t first = samples.first[block], count = samples.first[block + 1] - first;
    unsigned felt = ~0u;
    if (side.owner->grid != nullptr) felt = Ops::feel(side, samples.balls + first, count, bound, faded(side));
    const double* const numbers = samples.numbers + std::ptrdiff_t(first) * asset::kGroupNumbers;
    if (side.owner->lattice != nullptr && !middles_)
      felt = Ops::feel_lattice(side, numbers, count, faded(side));
    // Gathers the owner's points around the block once for all of its groups, unless it is wide in their
    // spacings.
    const bool by_points = side.owner->by_points();
    const bool wide = radius > S(kWide) * S(side.owner->points.spacing);
    if (by_points && !wide && above_all_planes(side, center, radius)) return;
    for (std::int32_t i = 0; i < count; ++i) {
      if ((felt >> i & 1u) == 0) continue;
      const std::int32_t group = first + i;
      const Piece piece{samples.numbers + std::ptrdiff_t(group) * asset::kGroupNumbers, samples.balls + group,
                        static_cast<std::uint64_t>(group)};
      const Vec3<S> middle = side.X_OP * Vec3<double>::Map(piece.ball->center).template cast<S>();
      if (by_points && wide) {
        find_nearest(side, middle);
        look_around(side, middle, S(piece.ball->radius));
      }
      visit_piece(side, piece, middle, visit);
    }
  }

  // Selects the gathered points that matter in a ball around `center`; 0 if no place in the ball feels the
  // field.
  int look_at(const PotentialSide<S>& side, const Vec3<S>& center, S radius) {
    const S scale = 1 / S(side.owner->points.spacing), far = radius + S(kSharp) * faded(side) + cover(side);
    S c[3];
    for (int k = 0; k < 3; ++k) c[k] = (center[k] - around_[k]) * scale;
    return Ops::look_at(packs_, c, radius * scale, faded(side) * scale, far * scale, near_);
  }

  template <class Visit>
  void visit_piece(const PotentialSide<S>& side, const Piece& piece, const Vec3<S>& center, Visit&& visit) {
    const S radius = S(piece.ball->radius);
    Patch<S> patch{&side, &piece, piece.numbers, {}, {}, &near_};
    if (side.owner->exact != nullptr) {
      if (!(body::primitive_value<S>(*side.owner->exact, center) - radius <= faded(side))) return;
    } else if (side.owner->by_points()) {
      for (int k = 0; k < 3; ++k) patch.origin[k] = around_[k];
      const int count = look_at(side, center, radius);
      if (count == 0) return;
      patch.near = {near_.packs.data(), near_.places.data(), count};
    }
    visit(patch);
  }

  static S faded(const PotentialSide<S>& side) { return side.law.faded * side.law.eps3; }

  // Returns true if no sample in a ball feels the field. `bound`: of a grid's field around the centre.
  bool clear(const PotentialSide<S>& side, const Vec3<S>& center, S radius, const GridBound<S>& bound) {
    const S band = radius + faded(side);
    if (side.owner->exact != nullptr)
      return !(body::primitive_value<S>(*side.owner->exact, center) <= band);  // NaN: too far away
    if (side.owner->lattice != nullptr) {
      const double c[3] = {double(center[0]), double(center[1]), double(center[2])};
      return side.owner->lattice->clear(c, double(radius));
    }
    const PointBlocksView& field = side.owner->points.blocks;
    const Vec3<S> middle(field.center[0], field.center[1], field.center[2]);
    // The field has no zero farther away than `gap`, and is not felt farther away than `far`.
    const S gap = radius + cover(side) + S(side.owner->points.spacing), far = gap + S(kSharp) * faded(side);
    const S sight = S(field.radius) + far;
    if (!((center - middle).squaredNorm() <= sight * sight)) return true;
    if (side.owner->grid != nullptr) return !(bound.value - bound.slope * radius < faded(side));
    find_nearest(side, center);
    if (outside(center, far)) return true;
    const S distance = sqrt(nearest_.distance2);
    if (distance <= gap + faded(side)) return false;
    return distance > far ? field_at(side, center) > S(0) : above_all_planes(side, center, radius);
  }

  // The field of the owner's points, in spacings, at the place for which the nearest point was found.
  S field_at(const PotentialSide<S>& side, const Vec3<S>& center) {
    const S range = look_around(side, center, S(0)) / S(side.owner->points.spacing);
    const S origin[3] = {S(0), S(0), S(0)};
    const NearPoints<S> near = ssdf::internal::within<S>(origin, range * range, packs_, near_);
    Taylor<S, 0> phi;
    ssdf::internal::two_stage<S, 0, S>(near, origin, S(0), ssdf::internal::make_scratch<S>(near.count, near_),
                                       phi);
    return phi.value;
  }

  // Returns true if a ball around the place for which the nearest point was found lies above all planes that
  // matter in it, by more than the distance at which the field is felt: then so is the field, a mean of them.
  bool above_all_planes(const PotentialSide<S>& side, const Vec3<S>& center, S radius) {
    const S scale = 1 / S(side.owner->points.spacing);
    const S range = look_around(side, center, radius) * scale;
    return Ops::above_all(near_.packs.data(), packs_, range * range, (radius + faded(side)) * scale);
  }

  // Blocks wider than this (spacings) gather the points around each of their groups.
  static constexpr double kWide = 3;

  static S cover(const PotentialSide<S>& side) { return S(side.owner->points.blocks.cover); }

  // Finds the owner's point nearest to p, starting from the one found before, since consecutive places are
  // neighbours.
  void find_nearest(const PotentialSide<S>& side, const Vec3<S>& p) {
    const PointBlocksView& field = side.owner->points.blocks;
    if (!started_) Ops::descend(field, p.data(), nearest_);
    started_ = true;
    nearest_.distance2 = S(0);
    for (int k = 0; k < 3; ++k) nearest_.distance2 += (p[k] - nearest_.x[k]) * (p[k] - nearest_.x[k]);
    Ops::find_nearest(field, p.data(), nearest_);
  }

  // Returns true if the nearest point is farther than `far` (m) and p is well in front of its plane: p could
  // only be inside a body beyond a gap that its points do not resolve.
  bool outside(const Vec3<S>& p, S far) const {
    S height(0);
    for (int k = 0; k < 3; ++k) height += nearest_.n[k] * (p[k] - nearest_.x[k]);
    const S distance = sqrt(nearest_.distance2);
    return distance > far && height > distance / 2;
  }

  // Gathers the owner's points that matter within a ball around the place for which the nearest point was
  // found; returns their greatest distance, m.
  S look_around(const PotentialSide<S>& side, const Vec3<S>& center, S radius) {
    const PointBlocksView& field = side.owner->points.blocks;
    const S spacing = S(side.owner->points.spacing), scale = 1 / spacing;
    const S depth = sqrt(nearest_.distance2) + radius;
    const S range = ssdf::internal::sight_range(depth * scale) * spacing + radius;
    packs_ = Ops::gather(field, center.data(), range * range, scale, near_.packs);
    around_ = center;
    return range;
  }

  ssdf::Order order_;
  NearScratch<S>& near_;
  ssdf::internal::Nearby<S> nearest_{{}, {}, std::numeric_limits<S>::max()};
  bool middles_ = false;  // whether groups are evaluated at their middles
  bool started_ = false;  // on this side
  int packs_ = 0;         // of the owner's points, gathered around:
  Vec3<S> around_;        // m
};

}  // namespace abut::contact::internal
