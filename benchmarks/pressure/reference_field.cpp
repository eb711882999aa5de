#include "benchmarks/pressure/reference_field.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>

#include "runtime/math/adjoint.h"

namespace abut::reference_field {
namespace {

using Polygon = std::vector<Vec3<double>>;

// Separating axes of two boxes; B's has the pose X_AB.
bool overlap(const Body::Node& a, const Body::Node& b, const Pose<double>& X_AB,
             const Mat3<double>& abs_R_AB) {
  const Mat3<double>& R = X_AB.R;
  const Vec3<double> t = X_AB * b.center - a.center;
  for (int i = 0; i < 3; ++i)
    if (std::abs(t[i]) > a.half[i] + abs_R_AB.row(i).dot(b.half)) return false;
  for (int j = 0; j < 3; ++j)
    if (std::abs(t.dot(R.col(j))) > b.half[j] + abs_R_AB.col(j).dot(a.half)) return false;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double reach_a = a.half[i1] * abs_R_AB(i2, j) + a.half[i2] * abs_R_AB(i1, j);
      const double reach_b = b.half[j1] * abs_R_AB(i, j2) + b.half[j2] * abs_R_AB(i, j1);
      if (std::abs(t[i2] * R(i1, j) - t[i1] * R(i2, j)) > reach_a + reach_b) return false;
    }
  return true;
}

// The part of the polygon where n . x + d <= 0.
Polygon clip(const Polygon& polygon, const Vec3<double>& n, double d) {
  Polygon result;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3<double>&p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const double h = n.dot(p) + d, g = n.dot(q) + d;
    if (h <= 0) result.push_back(p);
    if ((h <= 0) != (g <= 0)) result.push_back(p + h / (h - g) * (q - p));
  }
  return result;
}

// Where the plane n . x + d = 0 cuts the tetrahedron.
Polygon slice(const std::array<Vec3<double>, 4>& corners, const Vec3<double>& n, double d) {
  std::array<double, 4> heights;
  for (std::size_t k = 0; k < 4; ++k) heights[k] = n.dot(corners[k]) + d;
  std::vector<std::size_t> above, below;
  for (std::size_t k = 0; k < 4; ++k) (heights[k] > 0 ? above : below).push_back(k);
  Polygon result;
  const auto cross = [&](std::size_t a, std::size_t b) {
    result.push_back(corners[a] + heights[a] / (heights[a] - heights[b]) * (corners[b] - corners[a]));
  };
  if (above.size() == 1)
    for (const std::size_t b : below) cross(above[0], b);
  if (above.size() == 3)
    for (const std::size_t a : above) cross(a, below[0]);
  if (above.size() == 2) {
    cross(above[0], below[0]);
    cross(above[0], below[1]);
    cross(above[1], below[1]);
    cross(above[1], below[0]);
  }
  return result;
}

void add(const Polygon& polygon, const Vec3<double>& n, const Body::Tetrahedron& of_A,
         const Vec3<double>& gradient_B, Surface& surface) {
  const auto first = static_cast<std::int32_t>(surface.vertices.size());
  const auto count = static_cast<std::int32_t>(polygon.size());
  Vec3<double> center = Vec3<double>::Zero();
  double total = 0;
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
    const double area = (polygon[i] - polygon[0]).cross(polygon[i + 1] - polygon[0]).norm() / 2;
    center += area * (polygon[0] + polygon[i] + polygon[i + 1]) / 3;
    total += area;
  }
  if (!(total > 0)) return;
  center /= total;
  for (const Vec3<double>& p : polygon) {
    surface.vertices.push_back(p);
    surface.pressures.push_back(of_A.gradient.dot(p) + of_A.offset);
  }
  surface.vertices.push_back(center);
  surface.pressures.push_back(of_A.gradient.dot(center) + of_A.offset);
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t j = (i + 1) % count;
    surface.triangles.push_back({first + count, first + i, first + j});
    const Vec3<double>&p = polygon[static_cast<std::size_t>(i)], &q = polygon[static_cast<std::size_t>(j)];
    surface.areas.push_back((p - center).cross(q - center).norm() / 2);
    surface.centroids.push_back((center + p + q) / 3);
    surface.normals.push_back(n);
    surface.gradients_A.push_back(of_A.gradient);
    surface.gradients_B.push_back(gradient_B);
  }
}

}  // namespace

Body::Body(const asset::VolumeView& volume) {
  for (std::int32_t t = 0; t < volume.tetrahedron_count; ++t) {
    Tetrahedron tetrahedron;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::int32_t v = volume.tetrahedra[4 * t + static_cast<std::int32_t>(k)];
      tetrahedron.corners[k] = Vec3<double>::Map(volume.vertices + 3 * v);
      tetrahedron.extents[k] = volume.extent[v];
    }
    tetrahedron.gradient = Vec3<double>::Map(volume.gradients + 3 * t);
    tetrahedron.offset = tetrahedron.extents[0] - tetrahedron.gradient.dot(tetrahedron.corners[0]);
    tetrahedra_.push_back(tetrahedron);
  }
  std::vector<std::int32_t> order(tetrahedra_.size());
  std::iota(order.begin(), order.end(), 0);
  build(order, 0, order.size());
}

std::int32_t Body::build(std::vector<std::int32_t>& order, std::size_t first, std::size_t last) {
  Vec3<double> low = Vec3<double>::Constant(1e300), high = -low;
  for (std::size_t i = first; i < last; ++i)
    for (const Vec3<double>& p : tetrahedra_[static_cast<std::size_t>(order[i])].corners) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
  const auto index = static_cast<std::int32_t>(nodes_.size());
  nodes_.push_back({(low + high) / 2, (high - low) / 2, -1, -1, -1});
  if (last - first == 1) {
    nodes_.back().tetrahedron = order[first];
    return index;
  }
  int axis = 0;
  (high - low).maxCoeff(&axis);
  const auto middle = (first + last) / 2;
  const auto center = [&](std::int32_t t) {
    double sum = 0;
    for (const Vec3<double>& p : tetrahedra_[static_cast<std::size_t>(t)].corners) sum += p[axis];
    return sum;
  };
  const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(first), at(middle), at(last),
                   [&](std::int32_t a, std::int32_t b) { return center(a) < center(b); });
  const std::int32_t left = build(order, first, middle), right = build(order, middle, last);
  nodes_[static_cast<std::size_t>(index)].left = left;
  nodes_[static_cast<std::size_t>(index)].right = right;
  return index;
}

std::vector<std::pair<std::int32_t, std::int32_t>> candidate_pairs(const Body& A, const Body& B,
                                                                   const Pose<double>& X_AB) {
  std::vector<std::pair<std::int32_t, std::int32_t>> result, stack{{0, 0}};
  const Mat3<double> abs_R_AB = X_AB.R.cwiseAbs();
  while (!stack.empty()) {
    const auto [a, b] = stack.back();
    stack.pop_back();
    const Body::Node &node_A = A.nodes()[static_cast<std::size_t>(a)],
                     &node_B = B.nodes()[static_cast<std::size_t>(b)];
    if (!overlap(node_A, node_B, X_AB, abs_R_AB)) continue;
    if (node_A.tetrahedron >= 0 && node_B.tetrahedron >= 0) {
      result.emplace_back(node_A.tetrahedron, node_B.tetrahedron);
    } else if (node_B.tetrahedron >= 0) {
      stack.insert(stack.end(), {{node_A.left, b}, {node_A.right, b}});
    } else if (node_A.tetrahedron >= 0) {
      stack.insert(stack.end(), {{a, node_B.left}, {a, node_B.right}});
    } else {
      stack.insert(stack.end(), {{node_A.left, node_B.left},
                                 {node_A.left, node_B.right},
                                 {node_A.right, node_B.left},
                                 {node_A.right, node_B.right}});
    }
  }
  return result;
}

std::unique_ptr<Surface> surface(const Body& A, const Body& B, const Pose<double>& X_AB,
                                 const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs) {
  auto result = std::make_unique<Surface>();
  for (const auto& [a, b] : pairs) {
    const Body::Tetrahedron &of_A = A.tetrahedra()[static_cast<std::size_t>(a)],
                            &of_B = B.tetrahedra()[static_cast<std::size_t>(b)];
    const Vec3<double> gradient_B = X_AB.R * of_B.gradient;
    const double offset_B = of_B.offset - gradient_B.dot(X_AB.p);
    const Vec3<double> g = of_A.gradient - gradient_B;
    const double length = g.norm();
    if (!(length > 0)) continue;
    const Vec3<double> n = g / length;
    Polygon polygon = slice(of_A.corners, n, (of_A.offset - offset_B) / length);
    std::array<Vec3<double>, 4> corners;
    for (std::size_t k = 0; k < 4; ++k) corners[k] = X_AB * of_B.corners[k];
    for (std::size_t k = 0; k < 4 && polygon.size() >= 3; ++k) {
      const Vec3<double>&p = corners[(k + 1) % 4], &q = corners[(k + 2) % 4], &r = corners[(k + 3) % 4];
      Vec3<double> outward = (q - p).cross(r - p).normalized();
      if (outward.dot(corners[k] - p) > 0) outward = -outward;
      polygon = clip(polygon, outward, -outward.dot(p));
    }
    if (polygon.size() >= 3) add(polygon, n, of_A, gradient_B, *result);
  }
  return result;
}

Answer wrench(const Body& A, const Body& B, const Pose<double>& X_AB) {
  const auto pairs = candidate_pairs(A, B, X_AB);
  const std::unique_ptr<Surface> s = surface(A, B, X_AB, pairs);
  Answer answer;
  answer.candidates = pairs.size();
  Vec6<double> F_A = Vec6<double>::Zero();  // on B about Ao
  for (std::size_t i = 0; i < s->triangles.size(); ++i) {
    answer.area += s->areas[i];
    for (std::size_t k = 0; k < 3; ++k) {  // the middles of the sides: degree 2
      const auto a = static_cast<std::size_t>(s->triangles[i][k]),
                 b = static_cast<std::size_t>(s->triangles[i][(k + 1) % 3]);
      const Vec3<double> f = -s->areas[i] / 3 * (s->pressures[a] + s->pressures[b]) / 2 * s->normals[i];
      F_A.head<3>() += ((s->vertices[a] + s->vertices[b]) / 2).cross(f);
      F_A.tail<3>() += f;
    }
  }
  answer.F_BBo_B = shift_wrench<double>(X_AB.inverse(), F_A);
  return answer;
}

}  // namespace abut::reference_field
