#include "python/source/coordinates.h"

#include <algorithm>
#include <cmath>

#include "runtime/core/error.h"

namespace abut::python {
namespace {

using dynamics::JointKind;
using dynamics::JointType;
using dynamics::VecX;
using Quaternion = Eigen::Quaterniond;

bool has_scalar(JointType type) {  // whether the first coordinate is its own tangent
  return type == JointType::kRevolute || type == JointType::kPrismatic || type == JointType::kPlanar;
}
bool has_quaternion(JointType type) { return type == JointType::kSpherical || type == JointType::kFree; }

// The unit quaternion of one of any length, of whose entries the squares may vanish or overflow.
Quaternion unit(const double* q) {
  Quaternion result(q[0], q[1], q[2], q[3]);
  result.coeffs() /= result.coeffs().stableNorm();
  return result;
}

// g_w = (dq/dw)' g with dq = q (0; w) / 2.
Vec3<double> quaternion_by_turn(const double* q, const double* g) {
  const Vec3<double> v(q[1], q[2], q[3]), g_v(g[1], g[2], g[3]);
  return (q[0] * g_v - g[0] * v + g_v.cross(v)) / 2;
}

// g_q = (dw/dq)' g with w = 2 vec(q* dq) / |q|^2.
void turn_by_quaternion(const double* q, const Vec3<double>& g, double* result) {
  const Quaternion u = unit(q);
  const double scale = 2 / Eigen::Vector4d::Map(q).stableNorm();
  result[0] = -scale * u.vec().dot(g);
  Vec3<double>::Map(result + 1) = scale * (u.w() * g + u.vec().cross(g));
}

// (a, b) rotated by an angle.
void turn(double angle, const double* from, double* to) {
  const double c = std::cos(angle), s = std::sin(angle), a = from[0], b = from[1];
  to[0] = c * a - s * b;
  to[1] = s * a + c * b;
}

}  // namespace

Coordinates::Coordinates(const dynamics::System& system) : tree_(system) {
  for (int i = 0; i < tree_.tree().link_count(); ++i) {
    const dynamics::Joint& joint = tree_.tree().link(i).joint;
    if (joint.mimic) continue;
    blocks_.push_back({joint.type, tree_.tree().first_q(i), nq_, nv_});
    nq_ += dynamics::joint_kind(joint.type).nq;
    nv_ += dynamics::joint_kind(joint.type).nv;
  }
}

void Coordinates::pack(const dynamics::State& state, double* z) const {
  VecX<double> q, v;
  tree_.system().require_valid(state);
  tree_.coordinates(state, q, v);
  for (const Block& block : blocks_)
    std::copy_n(q.data() + block.tree_q, dynamics::joint_kind(block.type).nq, z + block.q);
  VecX<double>::Map(z + nq_, nv_) = v(tree_.mimics().independent_velocities());
}

VecX<double> Coordinates::configuration(const double* z) const {
  VecX<double> q = VecX<double>::Map(z, nq_);
  if (!q.allFinite() || !VecX<double>::Map(z + nq_, nv_).allFinite())
    throw InvalidInput("state: it has a number that is NaN or infinite");
  for (const Block& block : blocks_) {
    if (!has_quaternion(block.type)) continue;
    const double length = q.segment<4>(block.q).stableNorm();
    if (!(length > 0)) throw InvalidInput("state: it has a quaternion of length zero");
    q.segment<4>(block.q) /= length;
  }
  return tree_.mimics().coordinates(q);
}

dynamics::State Coordinates::unpack(const double* z) const {
  const VecX<double> q = configuration(z), v = VecX<double>::Map(z + nq_, nv_);
  dynamics::State state = tree_.system().initial_state();
  dynamics::TreeScratch scratch(tree_.tree());
  tree_.place(q, tree_.mimics().velocities(v), scratch, state);
  return state;
}

void Coordinates::by_tangent(const double* z, const double* by_z, double* by_x) const {
  std::copy_n(by_z + nq_, nv_, by_x + nv_);
  for (const Block& block : blocks_) {
    const double *q = z + block.q, *g = by_z + block.q;
    double* const to = by_x + block.v;
    if (has_quaternion(block.type)) Vec3<double>::Map(to) = quaternion_by_turn(q, g);
    if (block.type == JointType::kFree)
      Vec3<double>::Map(to + 3) = unit(q).conjugate() * Vec3<double>(g[4], g[5], g[6]);
    if (has_scalar(block.type)) to[0] = g[0];
    if (block.type == JointType::kPlanar) turn(-q[0], g + 1, to + 1);
  }
}

void Coordinates::by_vector(const double* z, const double* by_x, double* by_z) const {
  std::copy_n(by_x + nv_, nv_, by_z + nq_);
  for (const Block& block : blocks_) {
    const double *q = z + block.q, *g = by_x + block.v;
    double* const to = by_z + block.q;
    if (has_quaternion(block.type)) turn_by_quaternion(q, Vec3<double>(g[0], g[1], g[2]), to);
    if (block.type == JointType::kFree) Vec3<double>::Map(to + 4) = unit(q) * Vec3<double>(g[3], g[4], g[5]);
    if (has_scalar(block.type)) to[0] = g[0];
    if (block.type == JointType::kPlanar) turn(q[0], g + 1, to + 1);
  }
}

}  // namespace abut::python
