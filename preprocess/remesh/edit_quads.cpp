#include "preprocess/remesh/edit_quads.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "preprocess/remesh/editable_quads.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

constexpr int kRegular = 4;        // valence of a regular vertex
constexpr double kUnfolded = 0.1;  // least sine of a corner's angle, with the quad's orientation
constexpr int kPasses = 8;

int cost(int valence) { return (valence - kRegular) * (valence - kRegular); }

std::size_t remove_doublets(EditableQuads& quads) {
  std::size_t removed = 0;
  std::vector<std::int32_t> stack;
  for (std::int32_t v = 0; v < quads.vertex_slots(); ++v)
    if (quads.valence(v) == 2) stack.push_back(v);
  while (!stack.empty()) {
    const std::int32_t v = stack.back();
    stack.pop_back();
    if (quads.valence(v) != 2) continue;
    const Quad around = quads.quad(quads.quads_of(v)[0]);
    if (!quads.remove_doublet(v)) continue;
    ++removed;
    for (const std::int32_t w : around)
      if (w != v && quads.valence(w) == 2) stack.push_back(w);
  }
  return removed;
}

class Improver {
 public:
  Improver(EditableQuads& quads, double crease_degrees)
      : quads_(quads), crease_cosine_(std::cos(crease_degrees * std::numbers::pi / 180)) {}

  std::size_t pass() {
    std::size_t changes = 0;
    for (std::int32_t f = 0; f < quads_.quad_slots(); ++f) {
      for (int k = 0; k < 2 && quads_.alive(f); ++k) changes += try_collapse(f, k);
      for (int k = 0; k < 4 && quads_.alive(f); ++k) changes += try_turn(f, k);
    }
    return changes + remove_doublets(quads_);
  }

 private:
  Vec3 normal(std::int32_t f) const { return vector_area(quads_.mesh(), quads_.quad(f)).normalized(); }

  // Whether a quad with its corner `moved` at x is convex and oriented like n.
  bool sound(const Quad& q, std::int32_t moved, const Vec3& x, const Vec3& n) const {
    const auto at = [&](int k) { return q[k] == moved ? x : quads_.mesh().vertices[q[k]]; };
    for (int k = 0; k < 4; ++k) {
      const Vec3 u = at((k + 1) % 4) - at(k), v = at((k + 3) % 4) - at(k);
      if (!(u.cross(v).dot(n) > kUnfolded * u.norm() * v.norm())) return false;
    }
    return (at(2) - at(0)).cross(at(3) - at(1)).normalized().dot(n) > crease_cosine_;
  }

  // Least cosine between the normals of the quads around v: the sharpness of the crease on which it lies.
  double sharpness(std::int32_t v) const {
    double least = 1;
    const auto& around = quads_.quads_of(v);
    for (std::size_t i = 0; i < around.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) least = std::min(least, normal(around[i]).dot(normal(around[j])));
    return least;
  }

  bool try_collapse(std::int32_t f, int k) {
    const Quad q = quads_.quad(f);
    const std::int32_t keep = q[k], gone = q[k + 2], left = q[k + 1], right = q[(k + 3) % 4];
    const int joint = quads_.valence(keep) + quads_.valence(gone) - 2;
    const int before = cost(quads_.valence(keep)) + cost(quads_.valence(gone)) + cost(quads_.valence(left)) +
                       cost(quads_.valence(right));
    const int after = cost(joint) + cost(quads_.valence(left) - 1) + cost(quads_.valence(right) - 1);
    if (after >= before || joint < 3 || !quads_.can_collapse(f, k)) return false;
    const bool sharp_keep = sharpness(keep) < crease_cosine_, sharp_gone = sharpness(gone) < crease_cosine_;
    if (sharp_keep && sharp_gone) return false;
    const auto& p = quads_.mesh().vertices;
    const Vec3 x = sharp_keep ? p[keep] : sharp_gone ? p[gone] : Vec3((p[keep] + p[gone]) / 2);
    for (const std::int32_t v : {keep, gone})
      for (const std::int32_t g : quads_.quads_of(v))
        if (g != f && !sound(quads_.quad(g), v, x, normal(g))) return false;
    quads_.collapse(f, k, x);
    return true;
  }

  bool try_turn(std::int32_t f, int k) {
    const Quad q = quads_.quad(f);
    const std::int32_t a = q[k], b = q[(k + 1) % 4];
    for (const bool forward : {true, false}) {
      const auto turned = quads_.turned(f, k, forward);
      if (!turned) continue;
      const std::int32_t c = (*turned)[0][0], d = (*turned)[0][3];
      const int before = cost(quads_.valence(a)) + cost(quads_.valence(b)) + cost(quads_.valence(c)) +
                         cost(quads_.valence(d));
      const int after = cost(quads_.valence(a) - 1) + cost(quads_.valence(b) - 1) +
                        cost(quads_.valence(c) + 1) + cost(quads_.valence(d) + 1);
      if (after >= before) continue;
      const Vec3 n = normal(f), m = normal(quads_.quad_with_edge(b, a));
      if (!(n.dot(m) > crease_cosine_)) continue;
      const Vec3 mean = (n + m).normalized();
      if (!sound((*turned)[0], -1, mean, mean) || !sound((*turned)[1], -1, mean, mean)) continue;
      quads_.turn(f, k, *turned);
      return true;
    }
    return false;
  }

  EditableQuads& quads_;
  double crease_cosine_;
};

}  // namespace

std::size_t remove_doublets(QuadMesh& mesh) {
  EditableQuads quads(mesh);
  const std::size_t removed = remove_doublets(quads);
  if (removed > 0) mesh = quads.compact();
  return removed;
}

std::size_t improve_connectivity(QuadMesh& mesh, double crease_degrees) {
  EditableQuads quads(mesh);
  std::size_t changes = remove_doublets(quads);
  Improver improver(quads, crease_degrees);
  for (int pass = 0; pass < kPasses; ++pass) {
    const std::size_t now = improver.pass();
    changes += now;
    if (now == 0) break;
  }
  mesh = quads.compact();
  return changes;
}

}  // namespace abut::preprocess
