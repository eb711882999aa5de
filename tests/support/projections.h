#pragma once

#include <vector>

#include "runtime/core/random.h"
#include "runtime/math/pose.h"

// Least-distance problems for tests and benchmarks: the point nearest to z0 with a_k'z >= d_k.
namespace abut::test {

struct Projection {
  Vec6<double> z0;
  std::vector<Vec6<double>> a;  // unit
  std::vector<double> d;
};

// m constraints that one random point satisfies and z0 mostly does not.
inline Projection random_projection(Random& random, std::size_t m) {
  const auto vector = [&] {
    Vec6<double> v;
    for (int i = 0; i < 6; ++i) v[i] = random.normal();
    return v;
  };
  Projection p;
  p.z0 = vector();
  const Vec6<double> inside = p.z0 + vector();
  for (std::size_t k = 0; k < m; ++k) {
    p.a.push_back(vector().normalized());
    p.d.push_back(p.a.back().dot(inside) - 0.1 * random.below(3));
  }
  return p;
}

}  // namespace abut::test
