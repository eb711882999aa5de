#include "preprocess/mesh/change_check.h"

#include <algorithm>

#include "preprocess/mesh/intersect.h"

namespace abut::preprocess {
namespace {

constexpr double kSharpest = -0.94;   // cosine between neighbours' normals at a dihedral angle of 20 degrees
constexpr double kNoNormal = 1e-3;    // shape quality below which a normal is meaningless
constexpr double kDegenerate = 1e-7;  // shape quality that every new triangle must exceed

BoxTree::Box box_of(const Corners& c) {
  BoxTree::Box box(c[0]);
  box.extend(c[1]);
  box.extend(c[2]);
  return box;
}

bool shapes_hold(const EditableMesh& mesh, const Change& change, const ShapeLimits& limits) {
  const double after = least_quality_after(mesh, change);
  if (!(after > kDegenerate)) return false;
  return after >= limits.quality || after >= least_quality_before(mesh, change);
}

bool normals_hold(const EditableMesh& mesh, const Change& change, const ShapeLimits& limits) {
  for (std::size_t i = 0; i < change.added.size(); ++i) {
    const Corners before = mesh.corners(change.faces[i]);
    if (shape_quality(before) < kNoNormal) continue;
    if (unit_normal(before).dot(unit_normal(mesh.corners(change.added[i], change))) < limits.normal_cosine)
      return false;
  }
  return true;
}

// Least cosine between the normals of adjacent faces, over the edges of the triangles that change.
double sharpest_before(const EditableMesh& mesh, const Change& change) {
  double sharpest = 1;
  for (const std::int32_t f : change.faces) {
    const Triangle& t = mesh.face(f);
    const Eigen::Vector3d n = unit_normal(mesh.corners(f));
    for (int k = 0; k < 3; ++k) {
      const std::int32_t g = mesh.face_with_edge(t[(k + 1) % 3], t[k]);
      sharpest = std::min(sharpest, n.dot(unit_normal(mesh.corners(g))));
    }
  }
  return sharpest;
}

double sharpest_after(const EditableMesh& mesh, const Change& change) {
  std::vector<Eigen::Vector3d> normals;
  for (const Triangle& t : change.added) normals.push_back(unit_normal(mesh.corners(t, change)));
  const auto added_with_edge = [&](std::int32_t a, std::int32_t b) {
    for (std::size_t i = 0; i < change.added.size(); ++i) {
      const Triangle& t = change.added[i];
      for (int k = 0; k < 3; ++k) {
        if (t[k] == a && t[(k + 1) % 3] == b) return static_cast<int>(i);
      }
    }
    return -1;
  };
  double sharpest = 1;
  for (std::size_t i = 0; i < change.added.size(); ++i) {
    const Triangle& t = change.added[i];
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = t[k], b = t[(k + 1) % 3];
      const int j = added_with_edge(b, a);
      // Behind an edge on the patch's rim lies an unchanged face.
      const Eigen::Vector3d other = j >= 0 ? normals[static_cast<std::size_t>(j)]
                                           : unit_normal(mesh.corners(mesh.face_with_edge(b, a)));
      sharpest = std::min(sharpest, normals[i].dot(other));
    }
  }
  return sharpest;
}

bool folds(const EditableMesh& mesh, const Change& change) {
  const double after = sharpest_after(mesh, change);
  return after < kSharpest && after < sharpest_before(mesh, change);
}

}  // namespace

double least_quality_before(const EditableMesh& mesh, const Change& change) {
  double least = 1;
  for (const std::int32_t f : change.faces) least = std::min(least, shape_quality(mesh.corners(f)));
  return least;
}

double least_quality_after(const EditableMesh& mesh, const Change& change) {
  double least = 1;
  for (const Triangle& t : change.added) least = std::min(least, shape_quality(mesh.corners(t, change)));
  return least;
}

ChangeCheck::ChangeCheck(const EditableMesh& mesh, const TriangleMesh& original, double spacing)
    : deviation_(original, spacing) {
  rebuild(mesh);
}

void ChangeCheck::rebuild(const EditableMesh& mesh) {
  std::vector<BoxTree::Box> boxes(static_cast<std::size_t>(mesh.face_slots()));
  for (std::int32_t f = 0; f < mesh.face_slots(); ++f) {
    if (mesh.alive(f)) boxes[f] = box_of(mesh.corners(f));
  }
  tree_.build(boxes);
  faces_when_built_ = mesh.live_faces();
}

Refusal ChangeCheck::check(const EditableMesh& mesh, const Change& change, const ShapeLimits& limits) {
  if (!shapes_hold(mesh, change, limits)) return Refusal::kShape;
  if (!normals_hold(mesh, change, limits) || folds(mesh, change)) return Refusal::kFold;
  if (!deviation_.allows(mesh, change)) return Refusal::kDistance;
  if (crosses(mesh, change)) return Refusal::kCrossing;
  return Refusal::kNone;
}

bool ChangeCheck::crosses(const EditableMesh& mesh, const Change& change) const {
  std::vector<Corners> corners;
  for (const Triangle& t : change.added) corners.push_back(mesh.corners(t, change));
  for (std::size_t i = 0; i < corners.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (meet_improperly(change.added[i], corners[i], change.added[j], corners[j])) return true;
    }
  }
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const BoxTree::Box box = box_of(corners[i]);
    const bool hit =
        tree_.any([&](const BoxTree::Box& other) { return box.intersects(other); },
                  [&](std::int32_t f) {
                    if (std::find(change.faces.begin(), change.faces.end(), f) != change.faces.end())
                      return false;
                    return meet_improperly(change.added[i], corners[i], mesh.face(f), mesh.corners(f));
                  });
    if (hit) return true;
  }
  return false;
}

void ChangeCheck::commit(const EditableMesh& mesh, const Change& change) {
  deviation_.commit(change);
  for (const std::int32_t f : change.faces)
    tree_.set(f, mesh.alive(f) ? box_of(mesh.corners(f)) : BoxTree::Box());
  if (2 * mesh.live_faces() < faces_when_built_) rebuild(mesh);
}

}  // namespace abut::preprocess
