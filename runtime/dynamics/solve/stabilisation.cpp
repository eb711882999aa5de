#include "runtime/dynamics/solve/stabilisation.h"

#include <algorithm>
#include <cmath>

#include "runtime/core/simd.h"

namespace abut::dynamics {

namespace {

using simd::Four;

constexpr std::size_t kAhead = 4;  // rows ahead whose bodies are prefetched

// products += N * y, lane by lane.
ABUT_INLINE void multiply(const Spatial& N, const Spatial& y, Four& products) {
  Four n[2], change[2];
  for (int k = 0; k < 2; ++k) {
    simd::load(N.data() + 4 * k, n[k]);
    simd::load(y.data() + 4 * k, change[k]);
  }
  products += n[0] * change[0] + n[1] * change[1];
}

// y += impulse N.
ABUT_INLINE void add(const Spatial& N, double impulse, Spatial& y) {
  Four n, change;
  for (int k = 0; k < 2; ++k) {
    simd::load(N.data() + 4 * k, n);
    simd::load(y.data() + 4 * k, change);
    simd::store(change + impulse * n, y.data() + 4 * k);
  }
}

}  // namespace

ABUT_CLONES double Stabilisation::sweep(Row* rows, std::size_t count, Spatial* y, const TreeRows& trees,
                                        std::span<VecX<double>> y_trees) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Row& row = rows[i];
    if (i + kAhead < count) {
      prefetch(y, rows[i + kAhead].A);
      prefetch(y, rows[i + kAhead].B);
    }
    if (row.inverse_mass == 0) continue;
    Four products = {};
    if (row.A >= 0) multiply(row.N_A, y[row.A], products);
    if (row.B >= 0) multiply(row.N_B, y[row.B], products);
    double opened = simd::sum(products);
    const bool on_trees = std::min(row.A, row.B) < kFixed;
    if (on_trees)
      for (const std::int32_t side : {row.A, row.B})
        if (on_tree(side)) opened += trees.normal_way(side, y_trees);
    if (row.impulse == 0 && opened >= row.goal) continue;
    const double impulse = row.impulse + (row.goal - opened) / row.inverse_mass;
    const double change = (impulse > 0 ? impulse : 0) - row.impulse;
    row.impulse += change;
    largest = std::max(largest, std::abs(change) * row.inverse_mass);
    if (row.A >= 0) add(row.N_A, change, y[row.A]);
    if (row.B >= 0) add(row.N_B, change, y[row.B]);
    if (on_trees)
      for (const std::int32_t side : {row.A, row.B})
        if (on_tree(side)) trees.add_normal(side, change, y_trees);
  }
  return largest;
}

// Makes the row at a place and returns whether its contact is deeper than the slop. A shallow contact may
// close up to the slop; a deep one has to open by its share of the excess.
bool Stabilisation::make_row(std::int32_t place, std::span<const ContactBody> bodies,
                             std::span<const PairContact> contacts, const ContactJoints& joints,
                             const ContactRows& of_solver, double time, double slop) {
  const ContactRow& from = of_solver.rows[place];
  const auto k = static_cast<std::size_t>(of_solver.islands.order()[place]);
  const bool joint = k >= contacts.size();
  double gap, end_gap;
  if (joint) {
    const JointRow& limit = joints.rows[k - contacts.size()];
    slop = kJointSlop;
    gap = limit.gap;
    end_gap = gap + time * limit.factor * joints.trees[limit.tree].v[limit.dof] + slop;
  } else {
    gap = contacts[k].gap;
    end_gap = gap + time * normal_speed(contacts[k], bodies) + slop;
  }
  const bool moves = from.A != kJointFriction;
  const double share = config_.share * sideways_factor(std::hypot(from.law.w1, from.law.w2));
  rows_[place] = {from.J_A.col(0),
                  from.J_B.col(0),
                  end_gap < 0 ? -share * end_gap : -end_gap,
                  moves ? from.law.W_nn : 0,
                  0,
                  from.A,
                  from.B};
  return moves && gap < -slop;
}

void Stabilisation::displace(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
                             const ContactJoints& joints, const ContactRows& of_solver, double time,
                             double slop, std::span<Vec6<double>> displacements) {
  const Islands& islands = of_solver.islands;
  std::fill(displacements.begin(), displacements.end(), Vec6<double>::Zero());
  y_.assign(bodies.size(), Spatial::Zero());
  y_trees_.resize(joints.trees.size());
  for (std::size_t t = 0; t < y_trees_.size(); ++t) y_trees_[t].setZero(joints.trees[t].v.size());
  rows_.resize(of_solver.rows.size());
  parts_.resize(static_cast<std::size_t>(islands.part_count()));
  units_.resize(static_cast<std::size_t>(islands.unit_count()));
  islands.for_each(threads_, [&](std::int32_t island, Team& team, int) {
    islands.for_parts(island, team, [&](std::int32_t part) {
      const Islands::Range places = islands.places_of_part(part);
      bool deep = false;
      for (std::int32_t place = places.begin; place < places.end; ++place) {
        islands.prefetch_ahead(contacts, place, places);
        deep |= make_row(place, bodies, contacts, joints, of_solver, time, slop);
      }
      parts_[part].deep = deep;
    });
    const Islands::Range parts = islands.parts(island);
    if (std::none_of(parts_.begin() + parts.begin, parts_.begin() + parts.end,
                     [](const Part& part) { return part.deep; }))
      return;
    const Islands::Range places = islands.places_of_island(island), units = islands.units(island);
    sweep_displacements(config_, places.end - places.begin, [&] {
      islands.for_units(island, team, [&](std::int32_t unit, Islands::Range of_unit) {
        units_[unit].change =
            sweep(rows_.data() + of_unit.begin, static_cast<std::size_t>(of_unit.end - of_unit.begin),
                  y_.data(), of_solver.trees, y_trees_);
      });
      double change = 0;
      for (std::int32_t unit = units.begin; unit < units.end; ++unit)
        change = std::max(change, units_[unit].change);
      return change;
    });
    islands.for_parts(island, team, [&](std::int32_t part) {
      const Islands::Range own = islands.body_places(part);
      for (std::int32_t p = own.begin; p < own.end; ++p) {
        const std::int32_t i = islands.body_order()[p];
        const BodyScale& scale = of_solver.scales[i];
        if (bodies[i].tree >= 0) continue;
        displacements[i] << scale.L * y_[p].head<3>(), scale.inverse_root_mass * y_[p].segment<3>(4);
      }
      of_solver.trees.for_each_in(
          own, [&](std::size_t t) { joints.trees[t].inertia.matrixU().solveInPlace(y_trees_[t]); });
    });
  });
}

}  // namespace abut::dynamics
