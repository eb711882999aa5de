#pragma once

namespace abut::test {

// Largest difference of two matrices beside the largest entry of the second, in extended precision.
template <class Found, class Expected>
double gap(const Found& found, const Expected& expected) {
  using S = typename Expected::Scalar;
  const S size = expected.cwiseAbs().maxCoeff();
  return double((found.template cast<S>() - expected).cwiseAbs().maxCoeff() / (size > 0 ? size : 1));
}

}  // namespace abut::test
