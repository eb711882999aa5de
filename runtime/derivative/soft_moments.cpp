#include "runtime/derivative/soft_moments.h"

#include "runtime/core/simd.h"

namespace abut::derivative {

namespace {

using simd::Four, simd::FourBits, simd::FourUnaligned;

ABUT_CLONES
void heights_of_fours(const asset::ConvexView& hull, const std::int32_t* vertices, std::size_t count,
                      const double* frame, double* depth, double* u, double* v, double* range) {
  const double *const xs = hull.x, *const ys = hull.y, *const zs = hull.z;
  const double ox = xs[vertices[0]], oy = ys[vertices[0]], oz = zs[vertices[0]];
  const Four nx = Four{} + frame[0], ny = Four{} + frame[1], nz = Four{} + frame[2];
  const Four ux = Four{} + frame[3], uy = Four{} + frame[4], uz = Four{} + frame[5];
  const Four vx = Four{} + frame[6], vy = Four{} + frame[7], vz = Four{} + frame[8];
  // The last vertices, padded with the first one. Unrolled by hand, since a loop here compiles to masked
  // vector loads.
  const std::size_t whole = count / 4 * 4;
  std::int32_t tail[4] = {vertices[0], vertices[0], vertices[0], vertices[0]};
  if (whole < count) tail[0] = vertices[whole];
  if (whole + 1 < count) tail[1] = vertices[whole + 1];
  if (whole + 2 < count) tail[2] = vertices[whole + 2];
  Four least = {}, sum = {};
  for (std::size_t i = 0; i < count; i += 4) {
    const std::int32_t* const at = i + 4 <= count ? vertices + i : tail;
    const Four x = Four{xs[at[0]], xs[at[1]], xs[at[2]], xs[at[3]]} - ox;
    const Four y = Four{ys[at[0]], ys[at[1]], ys[at[2]], ys[at[3]]} - oy;
    const Four z = Four{zs[at[0]], zs[at[1]], zs[at[2]], zs[at[3]]} - oz;
    const Four d = -(x * nx + y * ny + z * nz);
    least = d < least ? d : least;
    sum += d;
    reinterpret_cast<FourUnaligned*>(depth + i)->value = d;
    reinterpret_cast<FourUnaligned*>(u + i)->value = x * ux + y * uy + z * uz;
    reinterpret_cast<FourUnaligned*>(v + i)->value = x * vx + y * vy + z * vz;
  }
  range[0] = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
  range[1] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

ABUT_CLONES
void moments_of_fours(const double* depth, const double* u, const double* v, std::size_t count, double least,
                      double inverse_temperature, double* sums) {
  const double slope = -1.4426950408889634074 * inverse_temperature;
  const double end = static_cast<double>(count);
  Four place = {0, 1, 2, 3};
  Four weight = {}, first_u = {}, first_v = {}, uu = {}, uv = {}, vv = {};
  for (std::size_t i = 0; i < count; i += 4) {
    // log2 of the weight
    Four y = (reinterpret_cast<const FourUnaligned*>(depth + i)->value - least) * slope;
    const Four lowest = Four{} - 1000;
    const FourBits kept = (y > lowest) & (place < end);  // zero beyond the last vertex
    place += 4;
    y = y > lowest ? y : lowest;
    const Four k_rounded = y + simd::kRound;
    Four a;
    simd::scaled_exponential(k_rounded, (y - (k_rounded - simd::kRound)) * 0.69314718055994530942, kept, a);
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
