#include "preprocess/mesh/equalize.h"

namespace abut::preprocess {
namespace {

constexpr double kCoplanar =
    0.9;  // least cosine between normals (26 degrees) for which an edge may be flipped
constexpr ShapeLimits kKeep{1.0, 0.9};  // no worse than before, normals within 26 degrees

// Applies the change if it improves its worst triangle and the check allows it.
bool improve(EditableMesh& mesh, ChangeCheck& check, const Change& change) {
  if (!(least_quality_after(mesh, change) > 1.001 * least_quality_before(mesh, change))) return false;
  if (check.check(mesh, change, kKeep) != Refusal::kNone) return false;
  mesh.apply(change);
  check.commit(mesh, change);
  return true;
}

int flip_edges(EditableMesh& mesh, ChangeCheck& check) {
  int flipped = 0;
  Change change;
  for (std::int32_t f = 0; f < mesh.face_slots(); ++f) {
    if (!mesh.alive(f)) continue;
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = mesh.face(f)[k], b = mesh.face(f)[(k + 1) % 3];
      const std::int32_t g = mesh.face_with_edge(b, a);
      if (g < f || unit_normal(mesh.corners(f)).dot(unit_normal(mesh.corners(g))) < kCoplanar) continue;
      if (!mesh.make_flip(a, b, change) || !improve(mesh, check, change)) continue;
      ++flipped;
      break;
    }
  }
  return flipped;
}

int slide_vertices(EditableMesh& mesh, ChangeCheck& check, const std::vector<Quadric>& quadrics,
                   const Eigen::Vector3d& centre) {
  int moved = 0;
  Change change;
  std::vector<std::int32_t> ring;
  for (std::int32_t v = 0; v < mesh.vertex_slots(); ++v) {
    if (mesh.faces_of(v).empty()) continue;
    mesh.neighbours(v, ring);
    Eigen::Vector3d middle = Eigen::Vector3d::Zero();
    for (const std::int32_t w : ring) middle += mesh.position(w) - centre;
    middle /= static_cast<double>(ring.size());
    const Eigen::Vector3d x = centre + quadrics[v].place(middle);
    // The whole way, or else half of it.
    for (const double step : {1.0, 0.5}) {
      mesh.make_move(v, mesh.position(v) + step * (x - mesh.position(v)), change);
      if (improve(mesh, check, change)) {
        ++moved;
        break;
      }
    }
  }
  return moved;
}

}  // namespace

void equalize(EditableMesh& mesh, ChangeCheck& check, const std::vector<Quadric>& quadrics,
              const Eigen::Vector3d& centre, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const int changed = flip_edges(mesh, check) + slide_vertices(mesh, check, quadrics, centre);
    if (changed == 0) return;
  }
}

}  // namespace abut::preprocess
