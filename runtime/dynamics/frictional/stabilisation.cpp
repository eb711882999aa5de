#include "runtime/dynamics/frictional/stabilisation.h"

#include <algorithm>

namespace abut::dynamics {

bool Stabilisation::displace(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
                             double time, double slop, std::span<Vec6<double>> displacements) {
  std::fill(displacements.begin(), displacements.end(), Vec6<double>::Zero());
  bool deep = false;
  for (const PairContact& contact : contacts) deep = deep || contact.gap < -slop;
  if (!deep) return false;

  rows_.resize(contacts.size());
  const auto arm = [&](std::int32_t body, const PairContact& c) -> Vec3<double> {
    if (body == kFixed) return Vec3<double>::Zero();
    return (c.p_WC - bodies[static_cast<std::size_t>(body)].p_WBcm).cross(c.n_W);
  };
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const PairContact& c = contacts[i];
    Row& row = rows_[i];
    row = {arm(c.A, c), arm(c.B, c), Vec3<double>::Zero(), Vec3<double>::Zero(), 0, 0, 0};
    double u = 0;
    if (c.A != kFixed) {
      const ContactBody& A = bodies[static_cast<std::size_t>(c.A)];
      row.w_A = A.inverse_inertia_W * row.r_A;
      row.inverse_mass += A.inverse_mass + row.r_A.dot(row.w_A);
      u -= row.r_A.dot(A.V_WB_W.head<3>()) + c.n_W.dot(A.V_WB_W.tail<3>());
    }
    if (c.B != kFixed) {
      const ContactBody& B = bodies[static_cast<std::size_t>(c.B)];
      row.w_B = B.inverse_inertia_W * row.r_B;
      row.inverse_mass += B.inverse_mass + row.r_B.dot(row.w_B);
      u += row.r_B.dot(B.V_WB_W.head<3>()) + c.n_W.dot(B.V_WB_W.tail<3>());
    }
    // A shallow contact may close up to the slop, a deep one has to open by its share.
    const double gap = c.gap + time * u + slop;
    row.goal = gap < 0 ? -config_.share * gap : -gap;
  }
  for (int sweep = 0; sweep < config_.sweeps; ++sweep) {
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const PairContact& c = contacts[i];
      Row& row = rows_[i];
      double opened = 0;
      if (c.A != kFixed) {
        const Vec6<double>& d = displacements[static_cast<std::size_t>(c.A)];
        opened -= row.r_A.dot(d.head<3>()) + c.n_W.dot(d.tail<3>());
      }
      if (c.B != kFixed) {
        const Vec6<double>& d = displacements[static_cast<std::size_t>(c.B)];
        opened += row.r_B.dot(d.head<3>()) + c.n_W.dot(d.tail<3>());
      }
      if (row.impulse == 0 && opened >= row.goal) continue;  // most contacts
      const double impulse = std::max(0.0, row.impulse + (row.goal - opened) / row.inverse_mass);
      const double change = impulse - row.impulse;
      row.impulse = impulse;
      if (c.A != kFixed) {
        Vec6<double>& d = displacements[static_cast<std::size_t>(c.A)];
        d.head<3>() -= change * row.w_A;
        d.tail<3>() -= change * bodies[static_cast<std::size_t>(c.A)].inverse_mass * c.n_W;
      }
      if (c.B != kFixed) {
        Vec6<double>& d = displacements[static_cast<std::size_t>(c.B)];
        d.head<3>() += change * row.w_B;
        d.tail<3>() += change * bodies[static_cast<std::size_t>(c.B)].inverse_mass * c.n_W;
      }
    }
  }
  return true;
}

}  // namespace abut::dynamics
