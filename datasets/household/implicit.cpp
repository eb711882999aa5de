#include "datasets/household/implicit.h"

#include <algorithm>
#include <cmath>

namespace abut::datasets::household {
namespace {

// The field at the nodes of the grid and, per node, the vertex on each of the seven edges that start there
// and end at node + d, d in {0,1}^3 not zero: the edges of the six tetrahedra.
class Lattice {
 public:
  Lattice(const Field& field, const Grid& grid) : grid_(grid) {
    for (int i = 0; i < 3; ++i)
      nodes_[i] = static_cast<int>(std::ceil((grid.upper[i] - grid.lower[i]) / grid.spacing)) + 1;
    values_.resize(static_cast<std::size_t>(nodes_[0]) * nodes_[1] * nodes_[2]);
    for (int z = 0; z < nodes_[2]; z += kBlock)
      for (int y = 0; y < nodes_[1]; y += kBlock)
        for (int x = 0; x < nodes_[0]; x += kBlock) fill_block(x, y, z, field);
    edges_.assign(values_.size() * 8, -1);
  }

  Extraction march() {
    Extraction result;
    for (int z = 0; z + 1 < nodes_[2]; ++z)
      for (int y = 0; y + 1 < nodes_[1]; ++y)
        for (int x = 0; x + 1 < nodes_[0]; ++x) march_cube(x, y, z, result.surface);
    result.volume = 0;
    // The share of a node's cell that lies inside, computed as if the surface were a plane through it.
    for (const double value : values_) result.volume += std::clamp(0.5 - value / grid_.spacing, 0.0, 1.0);
    result.volume *= std::pow(grid_.spacing, 3);
    return result;
  }

 private:
  static constexpr int kBlock = 6;

  // Fills a block of nodes. If the field's value at the first corner shows that the whole block lies on one
  // side (a distance changes no faster than the position), all nodes get that value.
  void fill_block(int x0, int y0, int z0, const Field& field) {
    const double first = field(position(node(x0, y0, z0)));
    const bool far = std::abs(first) > 1.2 * std::sqrt(3.0) * kBlock * grid_.spacing;
    for (int z = z0; z < std::min(z0 + kBlock, nodes_[2]); ++z)
      for (int y = y0; y < std::min(y0 + kBlock, nodes_[1]); ++y)
        for (int x = x0; x < std::min(x0 + kBlock, nodes_[0]); ++x) {
          const std::size_t n = node(x, y, z);
          values_[n] = far ? first : field(position(n));
        }
  }

  std::size_t node(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * nodes_[1] + y) * nodes_[0] + x;
  }

  Eigen::Vector3d position(std::size_t n) const {
    const auto x = n % nodes_[0], y = n / nodes_[0] % nodes_[1], z = n / nodes_[0] / nodes_[1];
    return grid_.lower + grid_.spacing * Eigen::Vector3d(static_cast<double>(x), static_cast<double>(y),
                                                         static_cast<double>(z));
  }

  // The vertex on the edge between two corners of a cube; `low` is the corner whose bits are a subset of
  // `high`'s.
  std::int32_t vertex(const std::array<std::size_t, 8>& corners, int low, int high, Surface& surface) {
    if (low > high) std::swap(low, high);
    std::int32_t& index = edges_[corners[low] * 8 + static_cast<std::size_t>(low ^ high)];
    if (index < 0) {
      const double a = values_[corners[low]], b = values_[corners[high]];
      // Kept away from the ends, so that no triangle starts out collapsed.
      const double t = std::clamp(a / (a - b), 0.05, 0.95);
      index = static_cast<std::int32_t>(surface.vertices.size());
      surface.vertices.emplace_back((1 - t) * position(corners[low]) + t * position(corners[high]));
    }
    return index;
  }

  void march_cube(int x, int y, int z, Surface& surface) {
    std::array<std::size_t, 8> corners;
    int inside = 0;
    for (int c = 0; c < 8; ++c) {
      corners[c] = node(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
      inside += values_[corners[c]] < 0 ? 1 : 0;
    }
    if (inside == 0 || inside == 8) return;
    // Paths 0 -> one axis -> two axes -> 7; the order of the axes gives the orientation.
    static constexpr int kPaths[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                         {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    for (const auto& path : kPaths) march_tetrahedron(corners, path, surface);
  }

  // The tetrahedron's corners must be positively oriented; the triangles face positive values.
  void march_tetrahedron(const std::array<std::size_t, 8>& corners, const int (&path)[4], Surface& surface) {
    std::array<int, 4> in{}, out{};
    int n_in = 0, n_out = 0;
    bool even = true;  // whether (in..., out...) is an even permutation of the path
    for (int i = 0; i < 4; ++i) {
      if (values_[corners[path[i]]] < 0) {
        if (n_out % 2 == 1) even = !even;
        in[n_in++] = path[i];
      } else {
        out[n_out++] = path[i];
      }
    }
    const auto v = [&](int a, int b) { return vertex(corners, a, b, surface); };
    const auto emit = [&](std::int32_t a, std::int32_t b, std::int32_t c) {
      surface.triangles.push_back(even ? Triangle{a, b, c} : Triangle{a, c, b});
    };
    if (n_in == 1) {
      emit(v(in[0], out[0]), v(in[0], out[1]), v(in[0], out[2]));
    } else if (n_in == 3) {
      emit(v(in[0], out[0]), v(in[1], out[0]), v(in[2], out[0]));
    } else if (n_in == 2) {
      const std::int32_t a = v(in[0], out[0]), b = v(in[0], out[1]), c = v(in[1], out[1]),
                         d = v(in[1], out[0]);
      emit(a, b, c);
      emit(a, c, d);
    }
  }

  Grid grid_;
  std::array<int, 3> nodes_{};
  std::vector<double> values_;
  std::vector<std::int32_t> edges_;
};

}  // namespace

Eigen::Vector3d gradient(const Field& field, const Eigen::Vector3d& p, double step) {
  Eigen::Vector3d g;
  for (int i = 0; i < 3; ++i) {
    Eigen::Vector3d forward = p, backward = p;
    forward[i] += step;
    backward[i] -= step;
    g[i] = (field(forward) - field(backward)) / (2 * step);
  }
  return g;
}

Eigen::Vector3d project(const Field& field, Eigen::Vector3d p, double reach, int steps) {
  for (int step_index = 0; step_index < steps; ++step_index) {
    const double value = field(p);
    const Eigen::Vector3d g = gradient(field, p, 1e-3 * reach);
    const double squared = g.squaredNorm();
    if (squared < 1e-6) return p;  // at a kink: no direction to move in
    Eigen::Vector3d step = -value / squared * g;
    const double length = step.norm();
    if (length > reach) step *= reach / length;
    p += step;
    if (length < 1e-5 * reach) return p;  // the next step would be smaller by that factor again
  }
  return p;
}

Extraction extract(const Field& field, const Grid& grid) {
  Extraction result = Lattice(field, grid).march();
  for (Eigen::Vector3d& p : result.surface.vertices) p = project(field, p, 0.25 * grid.spacing, 3);
  return result;
}

}  // namespace abut::datasets::household
