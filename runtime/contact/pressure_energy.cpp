#include "runtime/contact/pressure_energy.h"

#include <cmath>

#include "runtime/bvh/overlap.h"
#include "runtime/contact/pressure_field/equal_pressure.h"

namespace abut::contact {

namespace {

template <class S>
using FourValues = Eigen::Matrix<S, 1, 4>;

// Calls piece(corners) for tetrahedra whose union is the part of a tetrahedron where a linear function, given
// by its values at the corners, is not negative.
template <class S, class Piece>
void for_positive_part(const FourPoints<S>& corners, const FourValues<S>& values, Piece&& piece) {
  int in[4], out[4], n = 0, m = 0;
  for (int k = 0; k < 4; ++k) (values[k] >= S(0) ? in[n++] : out[m++]) = k;
  const auto cut = [&](int a, int b) -> Vec3<S> {
    return corners.col(a) + values[a] / (values[a] - values[b]) * (corners.col(b) - corners.col(a));
  };
  const auto add = [&](const Vec3<S>& a, const Vec3<S>& b, const Vec3<S>& c, const Vec3<S>& d) {
    FourPoints<S> part;
    part << a, b, c, d;
    piece(part);
  };
  const auto add_prism = [&](const std::array<Vec3<S>, 3>& p, const std::array<Vec3<S>, 3>& q) {
    add(p[0], p[1], p[2], q[0]);
    add(p[1], p[2], q[0], q[1]);
    add(p[2], q[0], q[1], q[2]);
  };
  const auto corner = [&](int k) -> Vec3<S> { return corners.col(k); };
  if (n == 4)
    piece(corners);
  else if (n == 3)
    add_prism({corner(in[0]), corner(in[1]), corner(in[2])},
              {cut(in[0], out[0]), cut(in[1], out[0]), cut(in[2], out[0])});
  else if (n == 2)
    add_prism({corner(in[0]), cut(in[0], out[0]), cut(in[0], out[1])},
              {corner(in[1]), cut(in[1], out[0]), cut(in[1], out[1])});
  else if (n == 1)
    add(corner(in[0]), cut(in[0], out[0]), cut(in[0], out[1]), cut(in[0], out[2]));
}

template <class S>
FourValues<S> values_at(const LinearPressure<S>& p, const FourPoints<S>& corners) {
  return (p.gradient.transpose() * corners).array() + p.offset;
}

// Integral of a linear pressure over a tetrahedron.
template <class S>
S integral(const LinearPressure<S>& p, const FourPoints<S>& corners) {
  Mat3<S> edges;
  for (int k = 0; k < 3; ++k) edges.col(k) = corners.col(k + 1) - corners.col(0);
  using std::abs;
  return abs(edges.determinant()) / 6 * values_at(p, corners).mean();
}

// Integral of the lower of two pressures over a tetrahedron.
template <class S>
S lesser_pressure(const FourPoints<S>& corners, const LinearPressure<S>& of_A,
                  const LinearPressure<S>& of_B) {
  S sum = 0;
  const FourValues<S> difference = values_at(of_A, corners) - values_at(of_B, corners);
  for_positive_part<S>(corners, difference, [&](const FourPoints<S>& part) { sum += integral(of_B, part); });
  for_positive_part<S>(corners, -difference, [&](const FourPoints<S>& part) { sum += integral(of_A, part); });
  // Where the pressures are equal everywhere, both parts are the whole tetrahedron.
  return (difference.array() == S(0)).all() ? sum / 2 : sum;
}

// The same over the part of a tetrahedron that is inside B's faces `face` to 3.
template <class S>
S lesser_pressure(const FourPoints<S>& corners, const LinearPressure<S>& of_A, const LinearPressure<S>& of_B,
                  const double* face_planes_B, int face) {
  S sum = 0;
  if (face < 4) {
    const Eigen::Map<const Eigen::Vector4d> plane(face_planes_B + 4 * face);
    const LinearPressure<S> height{plane.head<3>().cast<S>(), static_cast<S>(plane[3])};
    for_positive_part<S>(corners, values_at(height, corners), [&](const FourPoints<S>& part) {
      sum += lesser_pressure(part, of_A, of_B, face_planes_B, face + 1);
    });
    return sum;
  }
  return lesser_pressure(corners, of_A, of_B);
}

}  // namespace

template <class S>
S pressure_energy(const asset::VolumeView& A, const asset::VolumeView& B, const Pose<S>& X_AB,
                  const PressureFieldConfig& config) {
  const Pose<S> X_BA = X_AB.inverse();
  S energy = 0;
  const auto everything = [](std::int32_t, std::int32_t) {
    return bvh::FourBoxes::Lanes::Constant(1).eval();
  };
  const auto leaf = [&](std::int32_t first_A, std::int32_t count_A, std::int32_t first_B,
                        std::int32_t count_B) {
    for (std::int32_t a = first_A; a < first_A + count_A; ++a) {
      const PlacedTetrahedron<S> of_A = placed<S>(A, a, static_cast<S>(config.A.modulus), X_BA);
      for (std::int32_t b = first_B; b < first_B + count_B; ++b)
        energy += lesser_pressure<S>(of_A.corners, of_A.pressure,
                                     pressure_of<S>(B, b, static_cast<S>(config.B.modulus)),
                                     B.face_planes + 16 * std::ptrdiff_t(b), 0);
    }
  };
  bvh::visit_overlaps(A.tree, B.tree, X_BA.template cast<double>(), everything, leaf);
  return energy;
}

template <class S>
S pressure_energy(const asset::VolumeView& A, const body::HalfSpace<double>& B, const Pose<S>& X_AB,
                  const PressureFieldConfig& config) {
  const Pose<S> X_BA = X_AB.inverse();
  const bool rigid = config.B.modulus == kRigid;
  const LinearPressure<S> depth{-Vec3<S>::UnitZ(), 0};
  const S rise = rigid ? S(0) : static_cast<S>(config.B.modulus) / static_cast<S>(B.thickness);
  const LinearPressure<S> of_B{rise * depth.gradient, 0};
  S energy = 0;
  for (std::int32_t t = 0; t < A.tetrahedron_count; ++t) {
    const PlacedTetrahedron<S> of_A = placed<S>(A, t, static_cast<S>(config.A.modulus), X_BA);
    for_positive_part<S>(of_A.corners, values_at(depth, of_A.corners), [&](const FourPoints<S>& part) {
      energy += rigid ? integral(of_A.pressure, part) : lesser_pressure(part, of_A.pressure, of_B);
    });
  }
  return energy;
}

#define ABUT_INSTANTIATE(S)                                                                               \
  template S pressure_energy<S>(const asset::VolumeView&, const asset::VolumeView&, const Pose<S>&,       \
                                const PressureFieldConfig&);                                              \
  template S pressure_energy<S>(const asset::VolumeView&, const body::HalfSpace<double>&, const Pose<S>&, \
                                const PressureFieldConfig&);
ABUT_INSTANTIATE(double)
ABUT_INSTANTIATE(long double)
#undef ABUT_INSTANTIATE

}  // namespace abut::contact
