#include "runtime/dynamics/frictional/contact_sweep.h"

#include "runtime/core/simd.h"

namespace abut::dynamics {

namespace {

using simd::Four;

ABUT_INLINE void load(const double* from, Four& to) { simd::load(from, to); }

ABUT_INLINE void store(const Four& from, double* to) {
  reinterpret_cast<simd::FourUnaligned*>(to)->value = from;
}

// products[k] += J(:, k) * y, lane by lane.
ABUT_INLINE void multiply(const SpatialRows& J, const Spatial& y, Four* products) {
  Four angular, linear, a, l;
  load(y.data(), angular);
  load(y.data() + 4, linear);
  for (int k = 0; k < 3; ++k) {
    load(J.data() + 8 * k, a);
    load(J.data() + 8 * k + 4, l);
    products[k] += a * angular + l * linear;
  }
}

// y += J r.
ABUT_INLINE void add(const SpatialRows& J, const double* r, Spatial& y) {
  Four angular, linear, a, l;
  load(y.data(), angular);
  load(y.data() + 4, linear);
  for (int k = 0; k < 3; ++k) {
    load(J.data() + 8 * k, a);
    load(J.data() + 8 * k + 4, l);
    angular += a * r[k];
    linear += l * r[k];
  }
  store(angular, y.data());
  store(linear, y.data() + 4);
}

ABUT_INLINE void velocity_of(const ContactRow& row, const Spatial* y, double* u) {
  Four products[3] = {};
  if (row.A != kFixed) multiply(row.J_A, y[row.A], products);
  if (row.B != kFixed) multiply(row.J_B, y[row.B], products);
  for (int k = 0; k < 3; ++k) u[k] = row.bias[k] + (products[k][0] + products[k][1] + products[k][2]);
}

ABUT_INLINE void apply_to(const ContactRow& row, const double* r, Spatial* y) {
  if (row.A != kFixed) add(row.J_A, r, y[row.A]);
  if (row.B != kFixed) add(row.J_B, r, y[row.B]);
}

// W r.
ABUT_INLINE void own_velocity(const CoulombContact<double>& law, const double* r, double* u) {
  u[0] = law.W_nn * (r[0] + law.w1 * r[1] + law.w2 * r[2]);
  u[1] = law.w1 * u[0] + (law.sigma + law.half) * r[1];
  u[2] = law.w2 * u[0] + (law.sigma - law.half) * r[2];
}

ABUT_CLONES SweepChange sweep_rows(ContactRow* rows, std::size_t count, Spatial* y) {
  SweepChange change;
  for (std::size_t i = 0; i < count; ++i) {
    ContactRow& row = rows[i];
    if (row.law.W_nn == 0) continue;
    double b[3], own[3], r[3], dr[3], du[3];
    velocity_of(row, y, b);
    own_velocity(row.law, row.r.data(), own);
    for (int k = 0; k < 3; ++k) b[k] -= own[k];
    row.law.impulse(b, row.q, r);
    for (int k = 0; k < 3; ++k) {
      dr[k] = r[k] - row.r[k];
      row.r_last[k] = row.r[k];
      row.r[k] = r[k];
    }
    apply_to(row, dr, y);
    own_velocity(row.law, dr, du);
    const double square = du[0] * du[0] + du[1] * du[1] + du[2] * du[2];
    if (square > change.largest) change.largest = square;
    change.total += dr[0] * du[0] + dr[1] * du[1] + dr[2] * du[2];
  }
  return change;
}

ABUT_CLONES void apply_rows(const ContactRow* rows, std::size_t count, Spatial* y) {
  for (std::size_t i = 0; i < count; ++i) apply_to(rows[i], rows[i].r.data(), y);
}

ABUT_CLONES double violation_of_rows(const ContactRow* rows, std::size_t count, const Spatial* y) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i].law.W_nn == 0) continue;
    double u[3];
    velocity_of(rows[i], y, u);
    const double square = rows[i].law.violation(rows[i].r.data(), u);
    if (square > largest) largest = square;
  }
  return largest;
}

}  // namespace

SweepChange sweep(std::span<ContactRow> rows, std::span<Spatial> y) {
  return sweep_rows(rows.data(), rows.size(), y.data());
}

void apply_impulses(std::span<const ContactRow> rows, std::span<Spatial> y) {
  apply_rows(rows.data(), rows.size(), y.data());
}

double largest_violation(std::span<const ContactRow> rows, std::span<const Spatial> y) {
  return violation_of_rows(rows.data(), rows.size(), y.data());
}

}  // namespace abut::dynamics
