#include "runtime/dynamics/solve/stabilisation.h"

#include <algorithm>

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

ABUT_CLONES void Stabilisation::sweep(Row* rows, std::size_t count, Spatial* y) {
  for (std::size_t i = 0; i < count; ++i) {
    Row& row = rows[i];
    if (i + kAhead < count) {
      prefetch(y, rows[i + kAhead].A);
      prefetch(y, rows[i + kAhead].B);
    }
    if (row.inverse_mass == 0) continue;
    Four products = {};
    if (row.A != kFixed) multiply(row.N_A, y[row.A], products);
    if (row.B != kFixed) multiply(row.N_B, y[row.B], products);
    const double opened = simd::sum(products);
    if (row.impulse == 0 && opened >= row.goal) continue;
    const double impulse = row.impulse + (row.goal - opened) / row.inverse_mass;
    const double change = (impulse > 0 ? impulse : 0) - row.impulse;
    row.impulse += change;
    if (row.A != kFixed) add(row.N_A, change, y[row.A]);
    if (row.B != kFixed) add(row.N_B, change, y[row.B]);
  }
}

void Stabilisation::displace(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
                             const ContactRows& of_solver, double time, double slop,
                             std::span<Vec6<double>> displacements) {
  const Islands& islands = of_solver.islands;
  std::fill(displacements.begin(), displacements.end(), Vec6<double>::Zero());
  y_.assign(bodies.size(), Spatial::Zero());
  rows_.resize(contacts.size());
  parts_.resize(static_cast<std::size_t>(islands.part_count()));
  const auto make_row = [&](std::int32_t place) {
    const ContactRow& from = of_solver.rows[place];
    const PairContact& contact = contacts[islands.order()[place]];
    // A shallow contact may close up to the slop, a deep one has to open by its share.
    const double gap = contact.gap + time * normal_speed(contact, bodies) + slop;
    rows_[place] = {from.J_A.col(0), from.J_B.col(0), gap < 0 ? -config_.share * gap : -gap, from.law.W_nn, 0,
                    from.A,          from.B};
    return contact.gap < -slop;
  };
  islands.for_each(threads_, [&](std::int32_t island, Team& team, int) {
    islands.for_parts(island, team, [&](std::int32_t part) {
      const Islands::Range places = islands.places_of_part(part);
      bool deep = false;
      for (std::int32_t place = places.begin; place < places.end; ++place) {
        islands.prefetch_ahead(contacts, place, places);
        deep |= make_row(place);
      }
      parts_[part].deep = deep;
    });
    const Islands::Range parts = islands.parts(island);
    if (std::none_of(parts_.begin() + parts.begin, parts_.begin() + parts.end,
                     [](const Part& part) { return part.deep; }))
      return;
    for (int k = 0; k < config_.sweeps; ++k)
      islands.for_units(island, team, [&](std::int32_t, Islands::Range places) {
        sweep(rows_.data() + places.begin, static_cast<std::size_t>(places.end - places.begin), y_.data());
      });
    islands.for_parts(island, team, [&](std::int32_t part) {
      const Islands::Range own = islands.body_places(part);
      for (std::int32_t p = own.begin; p < own.end; ++p) {
        const std::int32_t i = islands.body_order()[p];
        const BodyScale& scale = of_solver.scales[i];
        displacements[i] << scale.L * y_[p].head<3>(), scale.inverse_root_mass * y_[p].segment<3>(4);
      }
    });
  });
}

}  // namespace abut::dynamics
