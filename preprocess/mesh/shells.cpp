#include "preprocess/mesh/shells.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace abut::preprocess {
namespace {

// Solid angle of a triangle seen from p over 4 pi [Van Oosterom and Strackee 1983].
double winding(const Eigen::Vector3d& p, const TriangleMesh& mesh, const Triangle& t) {
  const Eigen::Vector3d a = mesh.vertices[t[0]] - p, b = mesh.vertices[t[1]] - p, c = mesh.vertices[t[2]] - p;
  const double na = a.norm(), nb = b.norm(), nc = c.norm();
  return std::atan2(a.dot(b.cross(c)), na * nb * nc + a.dot(b) * nc + b.dot(c) * na + c.dot(a) * nb) /
         (2 * std::numbers::pi);
}

std::int32_t first_vertex(const TriangleMesh& mesh, const Components& parts, std::int32_t part) {
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    if (parts.of_face[f] == part) return mesh.triangles[f][0];
  }
  return -1;
}

}  // namespace

std::vector<Eigen::AlignedBox3d> part_boxes(const TriangleMesh& mesh, const Components& parts) {
  std::vector<Eigen::AlignedBox3d> boxes(parts.count);
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    for (const std::int32_t v : mesh.triangles[f]) boxes[parts.of_face[f]].extend(mesh.vertices[v]);
  }
  return boxes;
}

double winding_number(const Eigen::Vector3d& p, const TriangleMesh& mesh) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles) sum += winding(p, mesh, t);
  return sum;
}

std::vector<double> part_volumes(const TriangleMesh& mesh, const Components& parts) {
  std::vector<double> volumes(parts.count, 0.0);
  // Use a vertex of each part as origin, which reduces cancellation.
  std::vector<std::int32_t> first(parts.count, -1);
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    const Triangle& t = mesh.triangles[f];
    const std::int32_t part = parts.of_face[f];
    if (first[part] < 0) first[part] = t[0];
    const Eigen::Vector3d& origin = mesh.vertices[first[part]];
    volumes[part] += (mesh.vertices[t[0]] - origin)
                         .dot((mesh.vertices[t[1]] - origin).cross(mesh.vertices[t[2]] - origin)) /
                     6;
  }
  return volumes;
}

bool lies_within(const TriangleMesh& mesh, const Components& parts, std::int32_t inner, std::int32_t outer) {
  const Eigen::Vector3d& p = mesh.vertices[first_vertex(mesh, parts, inner)];
  double sum = 0;
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    if (parts.of_face[f] == outer) sum += winding(p, mesh, mesh.triangles[f]);
  }
  return std::abs(sum) > 0.5;
}

std::vector<char> outermost_solids(const TriangleMesh& mesh, const Components& parts) {
  const std::vector<double> volumes = part_volumes(mesh, parts);
  const std::vector<Eigen::AlignedBox3d> boxes = part_boxes(mesh, parts);
  std::vector<char> outermost(volumes.size());
  for (std::int32_t p = 0; p < parts.count; ++p) {
    bool is_outermost = volumes[p] >= 0;
    for (std::int32_t q = 0; q < parts.count && is_outermost; ++q)
      is_outermost =
          !(volumes[q] > volumes[p] && boxes[q].contains(boxes[p]) && lies_within(mesh, parts, p, q));
    outermost[p] = is_outermost ? 1 : 0;
  }
  return outermost;
}

Turned turn_outward(TriangleMesh& mesh) {
  const Components parts = find_components(mesh);
  const std::vector<double> volumes = part_volumes(mesh, parts);
  const std::vector<Eigen::AlignedBox3d> boxes = part_boxes(mesh, parts);
  std::vector<char> turn(parts.count);
  Turned done;
  for (std::int32_t p = 0; p < parts.count; ++p) {
    std::int32_t outermost = p;
    for (std::int32_t q = 0; q < parts.count; ++q) {
      if (std::abs(volumes[q]) > std::abs(volumes[outermost]) && boxes[q].contains(boxes[p]) &&
          lies_within(mesh, parts, p, q))
        outermost = q;
    }
    turn[p] = volumes[outermost] < 0 ? 1 : 0;
    done.shells += outermost == p && turn[p];
    done.cavities += (volumes[p] < 0) != (volumes[outermost] < 0);
  }
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    if (turn[parts.of_face[f]]) std::swap(mesh.triangles[f][1], mesh.triangles[f][2]);
  }
  return done;
}

}  // namespace abut::preprocess
