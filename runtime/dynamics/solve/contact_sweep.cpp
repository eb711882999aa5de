#include "runtime/dynamics/solve/contact_sweep.h"

#include <algorithm>

#include "runtime/core/simd.h"
#include "runtime/core/team.h"

namespace abut::dynamics {

namespace {

using simd::Four;

constexpr std::size_t kAhead = 3;  // rows ahead whose bodies are prefetched

// The two packets of a spatial vector or of a row of J.
struct Halves {
  Four angular, linear;

  ABUT_INLINE explicit Halves(const double* from) {
    simd::load(from, angular);
    simd::load(from + 4, linear);
  }
};

// products[k] += J(:, k) * y, lane by lane.
ABUT_INLINE void multiply(const SpatialRows& J, const Spatial& y, Four* products) {
  const Halves v(y.data());
  for (int k = 0; k < 3; ++k) {
    const Halves row(J.data() + 8 * k);
    products[k] += row.angular * v.angular + row.linear * v.linear;
  }
}

// y += J r.
ABUT_INLINE void add(const SpatialRows& J, const double* r, Spatial& y) {
  Halves v(y.data());
  for (int k = 0; k < 3; ++k) {
    const Halves row(J.data() + 8 * k);
    v.angular += row.angular * r[k];
    v.linear += row.linear * r[k];
  }
  simd::store(v.angular, y.data());
  simd::store(v.linear, y.data() + 4);
}

// With kTrees, rows may have sides on trees or belong to joints.
template <bool kTrees>
ABUT_INLINE void velocity_of(const ContactRow& row, const BodyChange* bodies, const TreeRows& trees,
                             double* u) {
  Four products[3] = {};
  if (row.A >= 0) multiply(row.J_A, bodies[row.A].y, products);
  if (row.B >= 0) multiply(row.J_B, bodies[row.B].y, products);
  for (int k = 0; k < 3; ++k) u[k] = row.bias[k] + (products[k][0] + products[k][1] + products[k][2]);
  if constexpr (!kTrees) return;
  if (on_tree(row.A)) trees.add_velocity(row.A, u);
  if (on_tree(row.B)) trees.add_velocity(row.B, u);
}

template <bool kTrees>
ABUT_INLINE void apply_to(const ContactRow& row, const double* r, BodyChange* bodies, TreeRows& trees) {
  if (row.A >= 0) add(row.J_A, r, bodies[row.A].y);
  if (row.B >= 0) add(row.J_B, r, bodies[row.B].y);
  if constexpr (!kTrees) return;
  if (on_tree(row.A)) trees.add_impulse(row.A, r);
  if (on_tree(row.B)) trees.add_impulse(row.B, r);
}

ABUT_INLINE double within(double bound, double r) { return std::clamp(r, -bound, bound); }

// W r.
ABUT_INLINE void own_velocity(const CoulombContact<double>& law, const double* r, double* u) {
  u[0] = law.W_nn * (r[0] + law.w1 * r[1] + law.w2 * r[2]);
  u[1] = law.w1 * u[0] + (law.sigma + law.half) * r[1];
  u[2] = law.w2 * u[0] + (law.sigma - law.half) * r[2];
}

template <bool kTrees>
ABUT_INLINE SweepChange sweep_rows(ContactRow* rows, std::size_t count, double ratio, BodyChange* bodies,
                                   TreeRows& trees) {
  const bool keep = ratio <= 1;
  SweepChange change;
  for (std::size_t i = 0; i < count; ++i) {
    ContactRow& row = rows[i];
    if (i + kAhead < count) {
      prefetch(bodies, rows[i + kAhead].A, sizeof(BodyChange::y));
      prefetch(bodies, rows[i + kAhead].B, sizeof(BodyChange::y));
    }
    if (row.law.W_nn == 0) continue;
    double b[3], own[3], guess[3], r[3], dr[3], du[3];
    for (int k = 0; k < 3; ++k) {
      const double last = row.r[k] - row.r_last[k], way = keep ? ratio * row.r_way[k] : 0;
      guess[k] = row.r[k] + way;
      row.r_way[k] = way + last;
    }
    velocity_of<kTrees>(row, bodies, trees, b);
    own_velocity(row.law, guess, own);
    for (int k = 0; k < 3; ++k) b[k] -= own[k];
    if (kTrees && row.A == kJointFriction) {
      r[0] = within(row.law.mu, -b[0] * row.law.per_n);
      r[1] = r[2] = 0;
    } else {
      row.law.impulse(b, row.q, r);
    }
    for (int k = 0; k < 3; ++k) {
      dr[k] = r[k] - guess[k];
      row.r_last[k] = guess[k];
      row.r[k] = r[k];
    }
    apply_to<kTrees>(row, dr, bodies, trees);
    own_velocity(row.law, dr, du);
    const double square = du[0] * du[0] + du[1] * du[1] + du[2] * du[2];
    if (square > change.largest) change.largest = square;
    change.total += dr[0] * du[0] + dr[1] * du[1] + dr[2] * du[2];
  }
  return change;
}

template <bool kTrees>
ABUT_INLINE void apply_rows(const ContactRow* rows, std::size_t count, BodyChange* bodies, TreeRows& trees) {
  for (std::size_t i = 0; i < count; ++i) apply_to<kTrees>(rows[i], rows[i].r.data(), bodies, trees);
}

template <bool kTrees>
ABUT_INLINE double violation_of_rows(const ContactRow* rows, std::size_t count, const BodyChange* bodies,
                                     const TreeRows& trees) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i].law.W_nn == 0) continue;
    double u[3];
    velocity_of<kTrees>(rows[i], bodies, trees, u);
    const CoulombContact<double>& law = rows[i].law;
    double square;
    if (kTrees && rows[i].A == kJointFriction) {
      const double off = law.W_nn * (rows[i].r[0] - within(law.mu, rows[i].r[0] - u[0] * law.per_n));
      square = off * off;
    } else {
      square = law.violation(rows[i].r.data(), u);
    }
    keep_largest(largest, square);
  }
  return largest;
}

// Each function is compiled for several instruction sets, with and without trees.
ABUT_CLONES SweepChange sweep_free(ContactRow* rows, std::size_t count, double ratio, BodyChange* bodies,
                                   TreeRows& trees) {
  return sweep_rows<false>(rows, count, ratio, bodies, trees);
}
ABUT_CLONES SweepChange sweep_all(ContactRow* rows, std::size_t count, double ratio, BodyChange* bodies,
                                  TreeRows& trees) {
  return sweep_rows<true>(rows, count, ratio, bodies, trees);
}
ABUT_CLONES void apply_free(const ContactRow* rows, std::size_t count, BodyChange* bodies, TreeRows& trees) {
  apply_rows<false>(rows, count, bodies, trees);
}
ABUT_CLONES void apply_all(const ContactRow* rows, std::size_t count, BodyChange* bodies, TreeRows& trees) {
  apply_rows<true>(rows, count, bodies, trees);
}
ABUT_CLONES double violation_free(const ContactRow* rows, std::size_t count, const BodyChange* bodies,
                                  const TreeRows& trees) {
  return violation_of_rows<false>(rows, count, bodies, trees);
}
ABUT_CLONES double violation_all(const ContactRow* rows, std::size_t count, const BodyChange* bodies,
                                 const TreeRows& trees) {
  return violation_of_rows<true>(rows, count, bodies, trees);
}

}  // namespace

void extrapolate(double ratio, BodyChange& body) {
  const bool keep = ratio <= 1;
  const Spatial last = body.y - body.y_last;
  if (keep) body.y += ratio * body.y_way;
  body.y_way = keep ? ratio * body.y_way + last : last;
  body.y_last = body.y;
}

void extrapolate(double ratio, TreeRows::Change& tree) {
  const bool keep = ratio <= 1;
  for (Eigen::Index k = 0; k < tree.y.size(); ++k) {
    const double last = tree.y[k] - tree.y_last[k], way = keep ? ratio * tree.y_way[k] : 0;
    tree.y[k] += way;
    tree.y_way[k] = way + last;
    tree.y_last[k] = tree.y[k];
  }
}

SweepChange sweep(std::span<ContactRow> rows, double ratio, std::span<BodyChange> bodies, TreeRows& trees) {
  return (trees.empty() ? sweep_free : sweep_all)(rows.data(), rows.size(), ratio, bodies.data(), trees);
}

void apply_impulses(std::span<const ContactRow> rows, std::span<BodyChange> bodies, TreeRows& trees) {
  (trees.empty() ? apply_free : apply_all)(rows.data(), rows.size(), bodies.data(), trees);
}

double largest_violation(std::span<const ContactRow> rows, std::span<const BodyChange> bodies,
                         const TreeRows& trees) {
  return (trees.empty() ? violation_free : violation_all)(rows.data(), rows.size(), bodies.data(), trees);
}

}  // namespace abut::dynamics
