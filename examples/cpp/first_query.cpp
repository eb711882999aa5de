// Distance, witness points and their derivative of two objects side by side.
//   first_query A.h5 B.h5
#include <cstdio>
#include <exception>

#include <abut/asset/reader.h>
#include <abut/derivative/estimator.h>

using namespace abut;

int main(int argc, char** argv) try {
  if (argc != 3) throw InvalidInput("usage: first_query A.h5 B.h5");
  const body::Body A{body::Geometry(asset::load(argv[1]))}, B{body::Geometry(asset::load(argv[2]))};
  body::Pair pair{&A, &B, {}};
  pair.X_AB.p = {0.2, 0, 0};  // B's origin in A's frame, m

  const auto [witness, derivative] = derivative::witness_derivative(pair);
  std::printf("%s and %s: %s\n", A.geometry.name().c_str(), B.geometry.name().c_str(),
              to_string(witness.status).data());
  std::printf("  distance       %.6f m\n", witness.distance);
  std::printf("  point on A     (%.6f, %.6f, %.6f) m\n", witness.p1.x(), witness.p1.y(), witness.p1.z());
  std::printf("  point on B     (%.6f, %.6f, %.6f) m\n", witness.p2.x(), witness.p2.y(), witness.p2.z());
  std::printf("  d distance / d shift of B along its axes  (%.4f, %.4f, %.4f)\n", derivative.dd_dxi_B[3],
              derivative.dd_dxi_B[4], derivative.dd_dxi_B[5]);

  // A shift of 1 um along the normal changes the distance by as much.
  pair.X_AB.p += 1e-6 * witness.n;
  const double moved = derivative::witness_derivative(pair).witness.distance;
  std::printf("  B moved by 1 um along the normal: the distance grows by %.4f um\n",
              1e6 * (moved - witness.distance));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "first_query: %s\n", error.what());
  return 1;
}
