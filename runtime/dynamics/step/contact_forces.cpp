#include "runtime/dynamics/step/contact_forces.h"

#include <algorithm>
#include <tuple>

namespace abut::dynamics {
namespace {

// Sorts the entries by pair and adds those of one pair, which each fixed body of the search for pairs may
// have.
void merge(std::vector<ContactForce>& forces) {
  const auto before = [](const ContactForce& one, const ContactForce& other) {
    return std::tie(one.A, one.B) < std::tie(other.A, other.B);
  };
  std::sort(forces.begin(), forces.end(), before);
  std::size_t count = 0;
  for (const ContactForce& force : forces) {
    if (count == 0 || before(forces[count - 1], force)) {
      forces[count++] = force;
      continue;
    }
    ContactForce& sum = forces[count - 1];
    sum.contacts += force.contacts;
    for (std::size_t on = 0; on < 2; ++on) sum.F_W[on] += force.F_W[on];
  }
  forces.resize(count);
}

}  // namespace

void fill_contact_forces(std::span<const PairContact> contacts, std::span<const ContactBody> bodies,
                         double dt, std::vector<ContactForce>& forces) {
  forces.clear();
  for (const PairContact& c : contacts) {
    if (c.J_B_W.isZero(0)) continue;
    if (forces.empty() || forces.back().A != c.A || forces.back().B != c.B)
      forces.push_back({.A = c.A, .B = c.B});
    ContactForce& force = forces.back();
    ++force.contacts;
    for (const std::size_t on : {0, 1}) {
      const std::int32_t body = on == 0 ? c.A : c.B;
      Vec3<double> p = c.p_WC;  // from the point that moments are about
      if (body != kFixed) p -= bodies[static_cast<std::size_t>(body)].p_WBcm;
      const Vec3<double> push = (on == 0 ? -1 : 1) * c.J_B_W / dt;
      force.F_W[on].head<3>() += p.cross(push);
      force.F_W[on].tail<3>() += push;
    }
  }
  merge(forces);
}

void fill_contact_forces(std::span<const PairForce> pairs, std::vector<ContactForce>& forces) {
  forces.clear();
  for (const PairForce& pair : pairs)
    if (pair.contacts > 0 && !pair.F_W[1].isZero(0))
      forces.push_back({pair.A, pair.B, pair.contacts, pair.F_W});
  merge(forces);
}

}  // namespace abut::dynamics
