#pragma once

#include "runtime/dynamics/tree/tree.h"
#include "runtime/math/tangent_basis.h"

// The kinematics of the joint types, one struct for each: `pose` from coordinates, the exponential
// (`integrate`) and the logarithm (`difference`) of configurations. To add a type, write its struct, and add
// its name to JointType (and kJointTypeCount) and a case to visit_joint.
namespace abut::dynamics::detail {

template <class S>
using QuaternionMap = Eigen::Map<const Eigen::Matrix<S, 4, 1>>;

// Quaternion exponential of a rotation vector w, rad.
template <class S>
Eigen::Quaternion<S> exp_quaternion(const Vec3<S>& w) {
  using std::cos, std::sin;
  const S t = w.norm();
  const S t2 = t * t / 4;  // for the series of sin(t/2)/t where the quotient loses digits
  const S a = t < S(1e-4) ? (1 - t2 / 6 * (1 - t2 / 20)) / 2 : sin(t / 2) / t;
  return Eigen::Quaternion<S>(cos(t / 2), a * w.x(), a * w.y(), a * w.z());
}

// Rotation vector of a unit quaternion, of length at most pi.
template <class S>
Vec3<S> log_quaternion(const Eigen::Quaternion<S>& q) {
  using std::atan2;
  const S sign = q.w() < 0 ? S(-1) : S(1);
  const S sine = q.vec().norm();
  const S c = sign * q.w();
  const S a = sine < S(1e-5) ? 2 / c * (1 - sine * sine / (3 * c * c)) : 2 * atan2(sine, c) / sine;
  return sign * a * q.vec();
}

// Solves exp((w; v)).p = p for v, by the inverse of the matrix in the `exp` of math/pose.h.
template <class S>
Vec3<S> log_translation(const Vec3<S>& w, const Vec3<S>& p) {
  using std::cos, std::sin;
  const S t2 = w.squaredNorm(), t = w.norm();
  // (1 - (t/2) cot(t/2)) / t^2
  const S b =
      t2 < S(1e-4) ? (S(1) / 12) * (1 + t2 / 60 * (1 + t2 / 42)) : (1 - t / 2 * cos(t / 2) / sin(t / 2)) / t2;
  const Vec3<S> wp = w.cross(p);
  return p - wp / 2 + b * w.cross(wp);
}

template <class S>
Eigen::Quaternion<S> read_quaternion(const S* q) {
  return Eigen::Quaternion<S>(q[0], q[1], q[2], q[3]);
}
template <class S>
void write_quaternion(const Eigen::Quaternion<S>& from, S* q) {
  const S length = from.norm();
  q[0] = from.w() / length;
  q[1] = from.x() / length;
  q[2] = from.y() / length;
  q[3] = from.z() / length;
}

struct FixedJoint {
  static constexpr JointKind kKind{"fixed", 0, 0, ""};
  static Vec6<double> subspace(const Vec3<double>&, int) { return Vec6<double>::Zero(); }
  template <class S>
  static Pose<S> pose(const Vec3<double>&, const S*) {
    return {};
  }
  template <class S>
  static void integrate(const Vec3<double>&, const S*, const S*, S*) {}
  template <class S>
  static void difference(const Vec3<double>&, const S*, const S*, S*) {}
};

// Base of joints of one degree of freedom, whose tangents are added to the coordinate.
struct ScalarJoint {
  template <class S>
  static void integrate(const Vec3<double>&, const S* q, const S* dv, S* out) {
    out[0] = q[0] + dv[0];
  }
  template <class S>
  static void difference(const Vec3<double>&, const S* q0, const S* q1, S* dv) {
    dv[0] = q1[0] - q0[0];
  }
};

struct RevoluteJoint : ScalarJoint {
  static constexpr JointKind kKind{"revolute", 1, 1, "angle, rad"};
  static Vec6<double> subspace(const Vec3<double>& axis, int) {
    return (Vec6<double>() << axis, Vec3<double>::Zero()).finished();
  }
  template <class S>
  static Pose<S> pose(const Vec3<double>& axis, const S* q) {
    using std::cos, std::sin;
    const Vec3<S>& n = axis.cast<S>();
    const S c = cos(q[0]), s = sin(q[0]);
    const Vec3<S> sn = s * n, cn = (1 - c) * n;
    Mat3<S> R;
    R << cn.x() * n.x() + c, cn.x() * n.y() - sn.z(), cn.x() * n.z() + sn.y(),  //
        cn.y() * n.x() + sn.z(), cn.y() * n.y() + c, cn.y() * n.z() - sn.x(),   //
        cn.z() * n.x() - sn.y(), cn.z() * n.y() + sn.x(), cn.z() * n.z() + c;
    return {R, Vec3<S>::Zero()};
  }
};

struct PrismaticJoint : ScalarJoint {
  static constexpr JointKind kKind{"prismatic", 1, 1, "shift, m"};
  static Vec6<double> subspace(const Vec3<double>& axis, int) {
    return (Vec6<double>() << Vec3<double>::Zero(), axis).finished();
  }
  template <class S>
  static Pose<S> pose(const Vec3<double>& axis, const S* q) {
    return {Mat3<S>::Identity(), axis.cast<S>() * q[0]};
  }
};

struct PlanarJoint {
  static constexpr JointKind kKind{"planar", 3, 3, "angle, shifts along the two tangents, rad, m"};
  static Vec6<double> subspace(const Vec3<double>& axis, int k) {
    if (k == 0) return RevoluteJoint::subspace(axis, 0);
    return PrismaticJoint::subspace(tangent_basis(axis).col(k - 1), 0);
  }
  template <class S>
  static Pose<S> pose(const Vec3<double>& axis, const S* q) {
    const auto T = tangent_basis<S>(axis.cast<S>());
    return {RevoluteJoint::pose(axis, q).R, T.col(0) * q[1] + T.col(1) * q[2]};
  }
  // Returns (a, b) rotated by an angle, rad.
  template <class S>
  static Eigen::Matrix<S, 2, 1> turned(S angle, S a, S b) {
    using std::cos, std::sin;
    const S c = cos(angle), s = sin(angle);
    return {c * a - s * b, s * a + c * b};
  }
  // Returns sin(t)/t and (1 - cos t)/t.
  template <class S>
  static Eigen::Matrix<S, 2, 1> arc(S t) {
    using std::abs, std::sin;
    if (abs(t) < S(1e-4)) return {1 - t * t / 6 * (1 - t * t / 20), t / 2 * (1 - t * t / 12)};
    const S h = sin(t / 2);
    return {sin(t) / t, 2 * h * h / t};
  }
  template <class S>
  static void integrate(const Vec3<double>&, const S* q, const S* dv, S* out) {
    const auto a = arc(dv[0]);
    const auto p = turned(q[0], S(a[0] * dv[1] - a[1] * dv[2]), S(a[1] * dv[1] + a[0] * dv[2]));
    out[0] = q[0] + dv[0];
    out[1] = q[1] + p[0];
    out[2] = q[2] + p[1];
  }
  template <class S>
  static void difference(const Vec3<double>&, const S* q0, const S* q1, S* dv) {
    const S t = q1[0] - q0[0];
    const auto a = arc(t);
    const auto p = turned(S(-q0[0]), S(q1[1] - q0[1]), S(q1[2] - q0[2]));
    const S scale = 1 / a.squaredNorm();
    dv[0] = t;
    dv[1] = scale * (a[0] * p[0] + a[1] * p[1]);
    dv[2] = scale * (a[0] * p[1] - a[1] * p[0]);
  }
};

struct SphericalJoint {
  static constexpr JointKind kKind{"spherical", 4, 3, "unit quaternion (w, x, y, z)"};
  static Vec6<double> subspace(const Vec3<double>&, int k) { return Vec6<double>::Unit(k); }
  template <class S>
  static Pose<S> pose(const Vec3<double>&, const S* q) {
    return {rotation_from_quaternion(q[0], q[1], q[2], q[3]), Vec3<S>::Zero()};
  }
  template <class S>
  static void integrate(const Vec3<double>&, const S* q, const S* dv, S* out) {
    write_quaternion<S>(read_quaternion(q) * exp_quaternion(Vec3<S>(dv[0], dv[1], dv[2])), out);
  }
  template <class S>
  static void difference(const Vec3<double>&, const S* q0, const S* q1, S* dv) {
    Vec3<S>::Map(dv) =
        log_quaternion<S>((read_quaternion(q0).conjugate() * read_quaternion(q1)).normalized());
  }
};

struct FreeJoint {
  static constexpr JointKind kKind{"free", 7, 6, "unit quaternion (w, x, y, z), position, m"};
  static Vec6<double> subspace(const Vec3<double>&, int k) { return Vec6<double>::Unit(k); }
  template <class S>
  static Pose<S> pose(const Vec3<double>&, const S* q) {
    return {rotation_from_quaternion(q[0], q[1], q[2], q[3]), Vec3<S>(q[4], q[5], q[6])};
  }
  template <class S>
  static void integrate(const Vec3<double>& axis, const S* q, const S* dv, S* out) {
    const Vec6<S> xi = Eigen::Map<const Vec6<S>>(dv);
    const Vec3<S> p = pose(axis, q) * abut::exp(xi).p;
    SphericalJoint::integrate(axis, q, dv, out);
    Vec3<S>::Map(out + 4) = p;
  }
  template <class S>
  static void difference(const Vec3<double>& axis, const S* q0, const S* q1, S* dv) {
    const Pose<S> X_01 = pose(axis, q0).inverse() * pose(axis, q1);
    SphericalJoint::difference(axis, q0, q1, dv);
    Vec3<S>::Map(dv + 3) = log_translation<S>(Vec3<S>(dv[0], dv[1], dv[2]), X_01.p);
  }
};

// Calls visit(Row{}) with the struct `Row` of a joint type and returns its result.
template <class Visit>
auto visit_joint(JointType type, Visit&& visit) {
  switch (type) {
    case JointType::kRevolute:
      return visit(RevoluteJoint{});
    case JointType::kPrismatic:
      return visit(PrismaticJoint{});
    case JointType::kPlanar:
      return visit(PlanarJoint{});
    case JointType::kSpherical:
      return visit(SphericalJoint{});
    case JointType::kFree:
      return visit(FreeJoint{});
    case JointType::kFixed:
      break;
  }
  return visit(FixedJoint{});
}

}  // namespace abut::dynamics::detail
