#include "runtime/dynamics/solve/even_pressure.h"

#include <Eigen/Dense>
#include <algorithm>

namespace abut::dynamics {

void even_out(std::span<PairContact> contacts) {
  const Vec3<double>& n = contacts[0].n_W;
  double area = 0, total = 0;
  Vec3<double> center = Vec3<double>::Zero();
  for (const PairContact& c : contacts) {
    area += c.area;
    total += n.dot(c.J_B_W);
    center += c.area * c.p_WC;
  }
  if (!(total > 0)) return;
  center /= area;
  Vec3<double> moment = Vec3<double>::Zero();
  Mat3<double> second = Mat3<double>::Zero();  // second moments of the areas, m^4
  for (const PairContact& c : contacts) {
    const Vec3<double> r = c.p_WC - center - n * n.dot(c.p_WC - center);
    moment += n.dot(c.J_B_W) * r;
    second += c.area * r * r.transpose();
  }
  second += second.trace() * n * n.transpose();  // makes it invertible: the areas have no moments along n
  const Vec3<double> slope = second.ldlt().solve(moment);
  for (PairContact& c : contacts) {
    const double last = n.dot(c.J_B_W);
    const double next = c.area * std::max(0.0, total / area + slope.dot(c.p_WC - center));
    const Vec3<double> friction = c.J_B_W - last * n;
    c.J_B_W = next * n + (last > 0 ? next / last : 0) * friction;
  }
}

}  // namespace abut::dynamics
