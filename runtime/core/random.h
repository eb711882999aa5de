#pragma once

#include <cmath>
#include <cstdint>

namespace abut {

// Counter-based random numbers: a value depends only on (seed, stream, counter), never on the thread or on
// other generators, so that parallel results are bit-identical for any number of threads. The mixing function
// is the finalizer of SplitMix64, applied once per key word.
class Random {
 public:
  // A stream is usually the index of a pair or of an object.
  constexpr explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : key_(mix(mix(seed) ^ (stream + 0x9e3779b97f4a7c15ULL))) {}

  // Returns 64 uniform random bits and advances the counter by one.
  constexpr std::uint64_t bits() { return mix(key_ + 0x9e3779b97f4a7c15ULL * ++counter_); }

  // Uniform in [0, 1).
  constexpr double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  // Uniform in [lo, hi).
  constexpr double uniform(double lo, double hi) { return lo + (hi - lo) * uniform(); }

  // Uniform in {0, ..., n - 1}, n > 0.
  constexpr std::uint64_t below(std::uint64_t n) { return bits() % n; }

  // Standard normal (Box and Muller).
  double normal() {
    const double u = 1.0 - uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586476925 * uniform());
  }

 private:
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace abut
