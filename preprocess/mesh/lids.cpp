#include "preprocess/mesh/lids.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "preprocess/mesh/box_tree.h"
#include "preprocess/mesh/intersect.h"
#include "preprocess/mesh/repair.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;
using Rim = std::vector<std::int32_t>;

constexpr double kCovers = 0.02;  // largest relative excess of a lid's area over its rim's polygon

Vec3 mean_point(const TriangleMesh& mesh, const Rim& rim) {
  Vec3 sum = Vec3::Zero();
  for (const std::int32_t v : rim) sum += mesh.vertices[v];
  return sum / static_cast<double>(rim.size());
}

double extent(const TriangleMesh& mesh, const Rim& rim) {
  Eigen::AlignedBox3d box;
  for (const std::int32_t v : rim) box.extend(mesh.vertices[v]);
  return box.diagonal().norm();
}

// Largest distance of the rim's vertices from their best-fitting plane, m.
double unevenness(const TriangleMesh& mesh, const Rim& rim) {
  const Vec3 mean = mean_point(mesh, rim);
  Eigen::Matrix3d scatter = Eigen::Matrix3d::Zero();
  for (const std::int32_t v : rim)
    scatter += (mesh.vertices[v] - mean) * (mesh.vertices[v] - mean).transpose();
  const Vec3 normal = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(scatter).eigenvectors().col(0);
  double most = 0;
  for (const std::int32_t v : rim) most = std::max(most, std::abs(normal.dot(mesh.vertices[v] - mean)));
  return most;
}

// Distance between two points of the rim, each the farthest from the other, m.
double width(const TriangleMesh& mesh, const Rim& rim) {
  double widest = 0;
  for (std::int32_t from = rim.front();;) {
    double most = widest;
    const Vec3 at = mesh.vertices[from];
    for (const std::int32_t v : rim)
      if (const double d = (mesh.vertices[v] - at).norm(); d > most) most = d, from = v;
    if (!(most > widest)) return widest;
    widest = most;
  }
}

Vec3 twice_area(const Corners& c) { return (c[1] - c[0]).cross(c[2] - c[0]); }

// A box tree of the mesh's faces, to find the faces that a lid intersects.
class Faces {
 public:
  explicit Faces(const TriangleMesh& mesh) : mesh_(mesh) {
    std::vector<BoxTree::Box> boxes;
    for (const Triangle& t : mesh.triangles) {
      const Corners c = corners_of(mesh, t);
      BoxTree::Box& box = boxes.emplace_back(c[0]);
      box.extend(c[1]).extend(c[2]);
      if (twice_area(c).squaredNorm() == 0) box.setEmpty();
    }
    tree_.build(boxes);
  }

  bool meet(const Triangle& t) const {
    const Corners corners = corners_of(mesh_, t);
    BoxTree::Box box(corners[0]);
    box.extend(corners[1]).extend(corners[2]);
    return tree_.any([&](const BoxTree::Box& other) { return box.intersects(other); },
                     [&](std::int32_t f) {
                       const Triangle& face = mesh_.triangles[f];
                       return meet_improperly(t, corners, face, corners_of(mesh_, face));
                     });
  }

 private:
  const TriangleMesh& mesh_;
  BoxTree tree_;
};

// Whether the triangles cover the rim's polygon exactly once: none is degenerate, and their total area is
// that of the polygon.
bool covers_once(const TriangleMesh& mesh, const std::vector<Triangle>& lid) {
  Vec3 sum = Vec3::Zero();
  double area = 0;
  for (const Triangle& t : lid) {
    const Vec3 a = twice_area(corners_of(mesh, t));
    if (a.squaredNorm() == 0) return false;
    sum += a;
    area += a.norm();
  }
  return !lid.empty() && area <= (1 + kCovers) * sum.norm();
}

}  // namespace

std::vector<Rim> find_rims(const TriangleMesh& mesh) {
  std::unordered_map<std::uint64_t, int> faces;  // number of faces with each directed edge
  const auto key = [](std::int32_t a, std::int32_t b) {
    return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
  };
  for (const Triangle& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) ++faces[key(t[k], t[(k + 1) % 3])];
  std::vector<std::int32_t> next(mesh.vertices.size(), -1);  // successor along the rim
  for (const Triangle& t : mesh.triangles)
    for (int k = 0; k < 3; ++k)
      if (!faces.contains(key(t[(k + 1) % 3], t[k]))) next[t[(k + 1) % 3]] = t[k];
  std::vector<Rim> rims;
  for (std::size_t v = 0; v < next.size(); ++v) {
    Rim rim;
    for (auto at = static_cast<std::int32_t>(v); next[at] >= 0;) {
      rim.push_back(at);
      at = std::exchange(next[at], -1);
    }
    if (rim.size() > 2) rims.push_back(std::move(rim));
  }
  return rims;
}

double outlined_volume(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return 0;
  const Vec3 origin = mesh.vertices[mesh.triangles[0][0]];
  const auto six_volumes = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    return (a - origin).dot((b - origin).cross(c - origin));
  };
  double sum = 0;
  for (const Triangle& t : mesh.triangles)
    sum += six_volumes(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]);
  for (const Rim& rim : find_rims(mesh)) {
    const Vec3 mean = mean_point(mesh, rim);
    for (std::size_t i = 0; i < rim.size(); ++i)
      sum += six_volumes(mean, mesh.vertices[rim[i]], mesh.vertices[rim[(i + 1) % rim.size()]]);
  }
  return sum / 6;
}

double widest_hole(const TriangleMesh& mesh) {
  double widest = 0;
  for (const Rim& rim : find_rims(mesh)) widest = std::max(widest, width(mesh, rim));
  return widest;
}

FlatLids add_flat_lids(TriangleMesh& mesh, double flatness) {
  std::vector<std::pair<double, Rim>> flat;
  for (Rim& rim : find_rims(mesh)) {
    const double size = extent(mesh, rim);
    if (unevenness(mesh, rim) <= flatness * size) flat.emplace_back(size, std::move(rim));
  }
  std::stable_sort(flat.begin(), flat.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  FlatLids done;
  for (const auto& [size, rim] : flat) {
    const std::vector<Triangle> lid = triangulate_rim(mesh, rim);
    if (!covers_once(mesh, lid)) continue;
    const Faces faces(mesh);
    if (std::any_of(lid.begin(), lid.end(), [&](const Triangle& t) { return faces.meet(t); })) continue;
    mesh.triangles.insert(mesh.triangles.end(), lid.begin(), lid.end());
    ++done.count;
    done.edges += rim.size();
  }
  return done;
}

}  // namespace abut::preprocess
