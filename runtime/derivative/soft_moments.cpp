#include "runtime/derivative/soft_moments.h"

#include "runtime/core/simd.h"

namespace abut::derivative {

namespace {

using simd::Four, simd::FourBits, simd::FourUnaligned;

// Everything a clone needs must stand in it: a function that it calls would be compiled for the portable set.
ABUT_CLONES
void heights_of_fours(const asset::ConvexView& hull, const std::int32_t* vertices, std::size_t count,
                      const double* frame, double* depth, double* u, double* v, double* range) {
  const double ox = hull.x[vertices[0]], oy = hull.y[vertices[0]], oz = hull.z[vertices[0]];
  Four least = {}, sum = {};
  for (std::size_t i = 0; i < count; i += 4) {
    std::int32_t at[4];
    for (std::size_t k = 0; k < 4; ++k) at[k] = vertices[i + k < count ? i + k : 0];
    const Four x = Four{hull.x[at[0]], hull.x[at[1]], hull.x[at[2]], hull.x[at[3]]} - ox;
    const Four y = Four{hull.y[at[0]], hull.y[at[1]], hull.y[at[2]], hull.y[at[3]]} - oy;
    const Four z = Four{hull.z[at[0]], hull.z[at[1]], hull.z[at[2]], hull.z[at[3]]} - oz;
    const Four d = -(x * frame[0] + y * frame[1] + z * frame[2]);
    least = d < least ? d : least;
    sum += d;
    reinterpret_cast<FourUnaligned*>(depth + i)->value = d;
    reinterpret_cast<FourUnaligned*>(u + i)->value = x * frame[3] + y * frame[4] + z * frame[5];
    reinterpret_cast<FourUnaligned*>(v + i)->value = x * frame[6] + y * frame[7] + z * frame[8];
  }
  range[0] = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
  range[1] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// exp by 2^k e^r, |r| <= ln 2 / 2, Taylor's polynomial of degree 12 (error 2e-16).
ABUT_CLONES
void moments_of_fours(const double* depth, const double* u, const double* v, std::size_t count, double least,
                      double inverse_temperature, double* sums) {
  constexpr double kMagic = 0x1.8p52;  // adding it rounds to an integer, which then stands in the low bits
  const double slope = -1.4426950408889634074 * inverse_temperature;
  Four weight = {}, first_u = {}, first_v = {}, uu = {}, uv = {}, vv = {};
  for (std::size_t i = 0; i < count; i += 4) {
    Four y =
        (reinterpret_cast<const FourUnaligned*>(depth + i)->value - least) * slope;  // log2 of the weight
    const Four lowest = Four{} - 1000;
    const FourBits kept = y > lowest;
    y = y > lowest ? y : lowest;
    const Four shifted = y + kMagic;
    const Four r = (y - (shifted - kMagic)) * 0.69314718055994530942;
    const Four r2 = r * r, r4 = r2 * r2;
    const Four p0 = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
    const Four p4 = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
    const Four p8 = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800)) +
                    r4 * (1.0 / 479001600);
    const Four e_r = p0 + r4 * (p4 + r4 * p8);
    const FourBits exponent = reinterpret_cast<FourBits>(shifted) << 52;  // k, in the exponent's place
    FourBits bits = reinterpret_cast<FourBits>(e_r) + exponent;
    bits &= kept;
    for (std::size_t k = count - i; k < 4; ++k) bits[k] = 0;  // beyond the last vertex
    const Four a = reinterpret_cast<Four>(bits);
    const Four x = reinterpret_cast<const FourUnaligned*>(u + i)->value;
    const Four z = reinterpret_cast<const FourUnaligned*>(v + i)->value;
    const Four ax = a * x, az = a * z;
    weight += a;
    first_u += ax;
    first_v += az;
    uu += ax * x;
    uv += ax * z;
    vv += az * z;
  }
  const Four* const lanes[6] = {&weight, &first_u, &first_v, &uu, &uv, &vv};
  for (int k = 0; k < 6; ++k) sums[k] = ((*lanes[k])[0] + (*lanes[k])[1]) + ((*lanes[k])[2] + (*lanes[k])[3]);
}

}  // namespace

template <>
HeightRange<double> measure_heights(const asset::ConvexView& hull, std::span<const std::int32_t> vertices,
                                    const Vec3<double>& n, const Mat32<double>& T, Heights<double>& heights) {
  const double frame[9] = {n[0], n[1], n[2], T(0, 0), T(1, 0), T(2, 0), T(0, 1), T(1, 1), T(2, 1)};
  double range[2];
  heights_of_fours(hull, vertices.data(), vertices.size(), frame, heights.depth.data(), heights.u.data(),
                   heights.v.data(), range);
  return {range[0], range[1]};
}

template <>
SoftMoments<double> soft_moments(const Heights<double>& heights, std::size_t count, double least,
                                 double temperature) {
  double sums[6];
  moments_of_fours(heights.depth.data(), heights.u.data(), heights.v.data(), count, least, 1 / temperature,
                   sums);
  return {sums[0], {sums[1], sums[2]}, sums[3], sums[4], sums[5]};
}

}  // namespace abut::derivative
