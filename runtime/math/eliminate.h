#pragma once

#include <cmath>
#include <cstddef>
#include <utility>

namespace abut {

// Solves M x = r by Gaussian elimination with partial pivoting. M: n x n, row-major, overwritten; x: holds r
// on entry and the solution on return. Returns false where no pivot candidate of a column exceeds `least` in
// magnitude. Allocates nothing and skips zeros: most matrices of contacts are sparse.
template <class S>
bool eliminate(S* M, S* x, std::size_t n, S least) {
  using std::abs;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (abs(M[i * n + k]) > abs(M[p * n + k])) p = i;
    if (!(abs(M[p * n + k]) > least)) return false;
    const S* const from = M + k * n;
    if (p != k) {
      for (std::size_t j = k; j < n; ++j) std::swap(M[k * n + j], M[p * n + j]);
      std::swap(x[k], x[p]);
    }
    const S inverse = 1 / from[k];
    for (std::size_t i = k + 1; i < n; ++i) {
      S* const to = M + i * n;
      if (to[k] == 0) continue;
      const S factor = to[k] * inverse;
      for (std::size_t j = k + 1; j < n; ++j) to[j] -= factor * from[j];
      x[i] -= factor * x[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) x[k] -= M[k * n + j] * x[j];
    x[k] /= M[k * n + k];
  }
  return true;
}

}  // namespace abut
