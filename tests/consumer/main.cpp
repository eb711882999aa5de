// What a user of the installed library writes: two hulls, their distance and its derivative.
#include <abut/runtime/asset/writer.h>
#include <abut/runtime/derivative/estimator.h>
#include <abut/runtime/witness/separation.h>

#include <cmath>
#include <cstdio>

namespace {

// The cube [-1, 1]^3 with its twelve face triangles and the adjacency that they make.
abut::asset::ConvexPiece cube() {
  abut::asset::ConvexPiece piece;
  for (int axis = 0; axis < 3; ++axis)
    for (int v = 0; v < 8; ++v) piece.vertices.push_back((v >> axis & 1) != 0 ? 1 : -1);
  piece.triangles = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  bool joined[8][8] = {};
  for (std::size_t t = 0; t < piece.triangles.size(); t += 3)
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = piece.triangles[t + k], b = piece.triangles[t + (k + 1) % 3];
      joined[a][b] = joined[b][a] = true;
    }
  piece.adjacency_offsets.push_back(0);
  for (const auto& row : joined) {
    for (int b = 0; b < 8; ++b)
      if (row[b]) piece.adjacency.push_back(b);
    piece.adjacency_offsets.push_back(static_cast<int>(piece.adjacency.size()));
  }
  // One cell a cube face: the support vertex of +x, -x, +y, -y, +z, -z.
  piece.support_lookup = {1, 0, 2, 0, 4, 0};
  return piece;
}

}  // namespace

int main() {
  abut::asset::Asset asset;
  asset.name = "cube";
  asset.convex.push_back(cube());
  const abut::asset::AssetView view = abut::asset::view(asset);

  abut::asset::PosedPair pair{&view, &view, {}};
  pair.X_AB.p = {3, 0.25, 0};
  const abut::derivative::PairDerivative result = abut::derivative::witness_derivative(pair);
  std::printf("distance %.17g m, d distance / d x %.17g\n", result.witness.distance,
              result.derivative.dd_dxi_B[3]);
  const bool right =
      std::abs(result.witness.distance - 1) < 1e-12 && std::abs(result.derivative.dd_dxi_B[3] - 1) < 1e-12;
  return right ? 0 : 1;
}
