#include "datasets/household/box.h"

#include <map>

namespace abut::datasets::household {

Surface box(const Eigen::Vector3d& size, const std::array<int, 3>& cells) {
  Surface surface;
  std::map<std::array<int, 3>, std::int32_t> index;  // of a grid point on the surface
  const auto vertex = [&](const std::array<int, 3>& at) {
    const auto [entry, is_new] = index.try_emplace(at, static_cast<std::int32_t>(surface.vertices.size()));
    if (is_new) {
      Eigen::Vector3d p;
      for (int i = 0; i < 3; ++i) p[i] = size[i] * at[i] / cells[i];
      surface.vertices.push_back(p);
    }
    return entry->second;
  };
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const int side : {0, cells[axis]}) {
      for (int i = 0; i < cells[u]; ++i) {
        for (int j = 0; j < cells[v]; ++j) {
          std::array<std::array<int, 3>, 4> corner;
          for (int k = 0; k < 4; ++k) {
            corner[k][axis] = side;
            corner[k][u] = i + (k == 1 || k == 2 ? 1 : 0);
            corner[k][v] = j + (k >= 2 ? 1 : 0);
          }
          std::array<std::int32_t, 4> q;
          for (int k = 0; k < 4; ++k) q[k] = vertex(corner[k]);
          if (side == 0) std::swap(q[1], q[3]);
          // The diagonal alternates, so that no direction is preferred.
          const int d = (i + j) % 2;
          surface.triangles.push_back({q[d], q[d + 1], q[d + 2]});
          surface.triangles.push_back({q[d], q[d + 2], q[(d + 3) % 4]});
        }
      }
    }
  }
  return surface;
}

}  // namespace abut::datasets::household
