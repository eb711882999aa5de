#include <algorithm>
#include <cmath>

#include "runtime/dynamics/step/impulse_slopes.h"

// Derivatives of the displacements of Stabilisation: its sweeps are repeated and differentiated one after the
// other.
namespace abut::dynamics {
namespace {

// Relative to the slop: distance of a depth from it at which there is a kink.
constexpr double kAtDepth = 1e-6;

// A contact or limit in the sweeps, as Stabilisation::Row, with slopes.
struct Opening {
  struct Side {
    std::size_t part;
    VecX<double> N, way;    // (n): opening = N'd for a displacement d; d by a unit impulse
    MatX<double> dN, dway;  // (n, N)
  };
  std::vector<Side> sides;
  double goal = 0, inverse_mass = 0, impulse = 0;
  MatX<double> dgoal, dinverse_mass, dimpulse;  // (1, N)
};

// Adds a body's share of the opening, with its slopes. Where both bodies of a contact are of one part, they
// share one side.
void add_side(std::size_t part, const VecX<double>& N, const MatX<double>& dN, Opening& opening) {
  for (Opening::Side& side : opening.sides) {
    if (side.part != part) continue;
    side.N += N;
    side.dN += dN;
    return;
  }
  opening.sides.push_back({part, N, {}, dN, {}});
}

// Fills the ways of the sides, and dinverse_mass.
void complete(std::span<const MovingPart> parts, Opening& opening) {
  for (Opening::Side& side : opening.sides) {
    const MovingPart& part = parts[side.part];
    side.way = part.llt.solve(side.N);
    side.dway = part.llt.solve(MatX<double>(side.dN - part.inertia_slopes(side.way)));
    opening.dinverse_mass += side.way.transpose() * side.dN + side.N.transpose() * side.dway;
  }
}

// Sweeps over the rows once; returns the largest change of a displacement, m.
double sweep(std::span<Opening> rows, std::span<ImpulseSlopes::Displacement> displacements) {
  double largest = 0;
  for (Opening& row : rows) {
    if (row.inverse_mass == 0) continue;
    double opened = 0;
    for (const auto& side : row.sides) opened += side.N.dot(displacements[side.part].value);
    if (row.impulse == 0 && opened >= row.goal) continue;
    const double change = std::max(-row.impulse, (row.goal - opened) / row.inverse_mass);
    MatX<double> slopes = -row.dimpulse;
    if (row.impulse + change > 0) {
      slopes = row.dgoal - change * row.dinverse_mass;
      for (const auto& side : row.sides)
        slopes -= displacements[side.part].value.transpose() * side.dN +
                  side.N.transpose() * displacements[side.part].slopes;
      slopes /= row.inverse_mass;
    }
    row.impulse += change;
    largest = std::max(largest, std::abs(change) * row.inverse_mass);
    row.dimpulse += slopes;
    for (const auto& side : row.sides) {
      displacements[side.part].value += change * side.way;
      displacements[side.part].slopes += side.way * slopes + change * side.dway;
    }
  }
  return largest;
}

}  // namespace

std::vector<ImpulseSlopes::Displacement> ImpulseSlopes::displace(const StabilisationConfig& config,
                                                                 double slop) {
  std::vector<Displacement> displacements(parts_.size());
  for (std::size_t p = 0; p < parts_.size(); ++p)
    displacements[p] = {VecX<double>::Zero(parts_[p].size()), MatX<double>::Zero(parts_[p].size(), inputs_)};
  const auto opening_of = [&](const Row& row) {
    Opening opening;
    const bool joint = static_cast<std::size_t>(row.index) >= problem_.contacts.size();
    const double time = problem_.dt / 2, within = joint ? kJointSlop : slop;
    const Vec3<double> u = velocity(row, &MovingPart::y);
    const MatX<double> du = velocity_slopes(row, &MovingPart::y, &MovingPart::dy);
    const double gap = row.gap + time * row.n.dot(u) + within;
    opening.dgoal = -(row.dgap + time * (row.n.transpose() * du + u.transpose() * row.dn));
    opening.inverse_mass = row.friction_of_joint ? 0 : row.inverse_mass;
    const Vec3<double> moved = coupling(row, row) * row.n;
    const double factor =
        joint || row.inverse_mass == 0 ? 1 : sideways_factor(row.n.cross(moved).norm() / row.inverse_mass);
    if (gap < 0) opening.dgoal *= config.share * factor;
    if (gap < 0 && factor < 1) add_kink(StepKink::Kind::kDepth, row);
    opening.goal = gap < 0 ? -config.share * factor * gap : -gap;
    opening.dinverse_mass = opening.dimpulse = MatX<double>::Zero(1, inputs_);
    for (const Side& side : row.sides)
      add_side(static_cast<std::size_t>(side.part - parts_.data()), side.B.transpose() * row.n,
               side.B.transpose() * row.dn + impulse_slopes(side, row.n), opening);
    complete(parts_, opening);
    return opening;
  };
  const Islands& islands = *problem_.islands;
  std::vector<Opening> openings(islands.order().size());
  for (std::int32_t island = 0; island < islands.size(); ++island) {
    bool deep = false;
    for (const std::int32_t k : islands.contacts(island)) {
      const Row& row = rows_[static_cast<std::size_t>(k)];
      const bool joint = static_cast<std::size_t>(k) >= problem_.contacts.size();
      const double allowed = joint ? kJointSlop : slop, beyond = row.gap + allowed;
      if (row.friction_of_joint) continue;
      deep |= beyond < 0;
      if (std::abs(beyond) < kAtDepth * allowed) add_kink(StepKink::Kind::kDepth, row);
    }
    if (!deep || config.sweeps == 0) continue;
    const Islands::Range places = islands.places_of_island(island);
    for (std::int32_t place = places.begin; place < places.end; ++place)
      openings[static_cast<std::size_t>(place)] =
          opening_of(rows_[static_cast<std::size_t>(islands.order()[static_cast<std::size_t>(place)])]);
    Team alone;
    sweep_displacements(config, places.end - places.begin, [&] {
      double change = 0;
      islands.for_units(island, alone, [&](std::int32_t, Islands::Range unit) {
        const double of_unit =
            sweep(std::span(openings).subspan(static_cast<std::size_t>(unit.begin),
                                              static_cast<std::size_t>(unit.end - unit.begin)),
                  displacements);
        change = std::max(change, of_unit);
      });
      return change;
    });
    for (std::int32_t place = places.begin; place < places.end; ++place)
      if (openings[static_cast<std::size_t>(place)].impulse > 0)
        name_shape(rows_[static_cast<std::size_t>(islands.order()[static_cast<std::size_t>(place)])]);
  }
  return displacements;
}

}  // namespace abut::dynamics
