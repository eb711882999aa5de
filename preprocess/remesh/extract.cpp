#include "preprocess/remesh/extract.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/distance/triangle_point.h"

namespace abut::preprocess {
namespace {

using H = HalfedgeMesh;
using Vec3 = Eigen::Vector3d;

constexpr int kRounds = 20;  // limit of passes over the faces

// Badness of a triangle by twice its area in the lattice: flipped is worse than flat, flat worse than too
// large.
double badness(int area) { return area > 0 ? 0.01 * (area - 1) : area == 0 ? 1 : 4.0 - area; }

class Extractor {
 public:
  explicit Extractor(LatticeMesh& lattice) : l_(lattice), mesh_(lattice.mesh()) {}

  void run() {
    pass();
    // What remains lies between creases closer than the lattice's spacing.
    l_.release_holds();
    pass();
  }

  ExtractCounts counts() const {
    ExtractCounts out;
    for (std::int32_t h = 0; h < mesh_.halfedge_slots(); ++h) {
      if (!mesh_.alive(h)) continue;
      if (h % 3 == 0) {
        out.folded += l_.area(h / 3) < 0;
        out.flat += l_.area(h / 3) == 0;
      }
      out.unmerged += h < mesh_.twin(h) && l_.offset(h).isZero();
    }
    return out;
  }

 private:
  void pass() {
    collapse_zero_steps();
    for (int round = 0; round < kRounds; ++round) {
      bool changed = untangle();
      changed |= split_long_steps();
      changed |= shorten_diagonals();
      changed |= collapse_zero_steps();
      if (!changed) break;
    }
  }

  bool collapse_zero_steps() {
    bool any = false;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::int32_t h = 0; h < mesh_.halfedge_slots(); ++h) {
        if (!mesh_.alive(h) || !l_.offset(h).isZero()) continue;
        const std::int32_t t = mesh_.twin(h);
        // Merge the less strongly held end into the other.
        const bool onward = l_.hold(mesh_.origin(h)) <= l_.hold(mesh_.target(h));
        const std::int32_t e = onward ? h : t;
        if (!l_.can_collapse(e)) continue;
        l_.collapse(e);
        changed = any = true;
      }
    }
    return any;
  }

  double collapse_gain(std::int32_t h) const {
    const std::int32_t f = h / 3, g = mesh_.twin(h) / 3;
    double gain = 0;
    Offset step = l_.offset(h);
    std::int32_t e = h;
    do {
      const std::int32_t face = e / 3;
      gain += badness(l_.area(face));
      if (face != f && face != g)
        gain -= badness(LatticeMesh::cross(l_.offset(e) - step, l_.offset(H::next(e))));
      step = turned(step, l_.turn(e));
      e = mesh_.around(e);
    } while (e != h);
    return gain;
  }

  double flip_gain(std::int32_t h) {
    const std::int32_t t = mesh_.twin(h);
    const Offset across = l_.flipped_offset(h);  // d -> c
    const int f = LatticeMesh::cross(across, l_.offset(H::previous(h)));
    const int g = LatticeMesh::cross(-across, l_.offset(H::previous(t)));
    return badness(l_.area(h / 3)) + badness(l_.area(t / 3)) - badness(f) - badness(g);
  }

  // Applies the change at one of the face's edges that improves most; returns false if none improves
  // anything.
  bool mend(std::int32_t f) {
    double best = 1e-9;
    std::int32_t flip = -1, collapse = -1;
    for (std::int32_t h = 3 * f; h < 3 * f + 3; ++h) {
      if (l_.can_flip(h)) {
        if (const double gain = flip_gain(h); gain > best) best = gain, flip = h;
      }
    }
    for (std::int32_t h = 3 * f; h < 3 * f + 3; ++h) {
      for (const std::int32_t e : {h, mesh_.twin(h)}) {
        if (!l_.can_collapse(e)) continue;
        // Flips do not change the lattice, so a collapse must be clearly better.
        if (const double gain = collapse_gain(e) - 0.5; gain > best) best = gain, collapse = e, flip = -1;
      }
    }
    if (collapse >= 0) {
      l_.collapse(collapse);
    } else if (flip >= 0) {
      l_.flip(flip);
    } else {
      return false;
    }
    return true;
  }

  bool untangle() {
    bool any = false;
    for (std::int32_t f = 0; f < mesh_.face_slots(); ++f) {
      while (mesh_.alive(3 * f) && l_.area(f) <= 0 && mend(f)) any = true;
    }
    return any;
  }

  bool split_long_steps() {
    bool any = false;
    for (std::int32_t h = 0; h < mesh_.halfedge_slots(); ++h) {
      if (!mesh_.alive(h) || h > mesh_.twin(h)) continue;
      const Offset d = l_.offset(h);
      const int n = std::gcd(d.x(), d.y());
      if (n < 2 || l_.area(h / 3) <= 0 || l_.area(mesh_.twin(h) / 3) <= 0) continue;
      l_.split(h, d / n * (n / 2));
      any = true;
    }
    return any;
  }

  // Performs Delaunay flips in the lattice, among triangles with area.
  bool shorten_diagonals() {
    bool any = false;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::int32_t h = 0; h < mesh_.halfedge_slots(); ++h) {
        if (!mesh_.alive(h) || h > mesh_.twin(h)) continue;
        const std::int32_t t = mesh_.twin(h);
        const std::int64_t A = l_.area(h / 3), B = l_.area(t / 3);
        if (A <= 0 || B <= 0) continue;
        // Cotangents of the angles at the opposite corners.
        const std::int64_t a = -l_.offset(H::next(h)).dot(l_.offset(H::previous(h)));
        const std::int64_t b = -l_.offset(H::next(t)).dot(l_.offset(H::previous(t)));
        if (a * B + b * A >= 0 || !l_.can_flip(h)) continue;
        l_.flip(h);
        changed = any = true;
      }
    }
    return any;
  }

  LatticeMesh& l_;
  const HalfedgeMesh& mesh_;
};

// The face's longest side in the lattice that is not a crease: a diagonal, if the face is half a square.
std::int32_t diagonal(const LatticeMesh& l, std::int32_t f) {
  std::int32_t longest = -1;
  int length = 0;
  for (std::int32_t h = 3 * f; h < 3 * f + 3; ++h) {
    if (l.crease(h)) continue;
    if (const int squared = l.offset(h).squaredNorm(); squared > length) length = squared, longest = h;
  }
  return longest;
}

PolygonMesh dissolve(const LatticeMesh& l, const std::vector<std::int32_t>& number) {
  const HalfedgeMesh& mesh = l.mesh();
  PolygonMesh out;
  for (std::int32_t f = 0; f < mesh.face_slots(); ++f) {
    if (!mesh.alive(3 * f)) continue;
    const std::int32_t h = diagonal(l, f), t = h < 0 ? -1 : mesh.twin(h);
    const bool paired = h >= 0 && l.area(f) == 1 && l.area(t / 3) == 1 && diagonal(l, t / 3) == t;
    if (paired && t < h) continue;
    const auto corner = [&](std::int32_t e) { out.corners.push_back(number[mesh.origin(e)]); };
    if (paired) {
      for (const std::int32_t e : {H::next(h), H::previous(h), H::next(t), H::previous(t)}) corner(e);
    } else {
      for (std::int32_t e = 3 * f; e < 3 * f + 3; ++e) corner(e);
    }
    out.offsets.push_back(static_cast<std::int32_t>(out.corners.size()));
  }
  return out;
}

Vec3 closest_on_segment(const Vec3& a, const Vec3& b, const Vec3& p) {
  const double length2 = (b - a).squaredNorm();
  return a + (length2 > 0 ? std::clamp((p - a).dot(b - a) / length2, 0.0, 1.0) : 0.0) * (b - a);
}

// Places each vertex of the lattice mesh on the surface near its lattice point: on the creases or faces
// around the vertices that were merged into it.
void place(const CreasedSurface& s, const LatticeMesh& l, const std::vector<std::int32_t>& number,
           std::vector<Vec3>& vertices) {
  std::vector<double> distances(vertices.size(), std::numeric_limits<double>::infinity());
  for (std::int32_t v = 0; v < s.mesh.vertex_slots(); ++v) {
    if (s.mesh.leaving(v) < 0) continue;
    const std::int32_t root = l.root(v), i = number[root];
    if (l.hold(root) == Hold::kPoint) {
      if (v == root) vertices[i] = s.at(v), distances[i] = 0;
      continue;
    }
    const Vec3 wanted = l.point(root);
    const bool on_crease = l.hold(root) == Hold::kLine;
    const std::int32_t start = s.mesh.leaving(v);
    std::int32_t h = start;
    do {
      if (!on_crease || s.crease[h]) {
        const auto [a, b, c] = s.mesh.triangle(h / 3);
        const Vec3 &p = s.at(s.mesh.origin(h)), &q = s.at(s.mesh.target(h));
        const Vec3 near =
            on_crease ? closest_on_segment(p, q, wanted)
                      : distance::closest_on_triangle<double>(s.at(a), s.at(b), s.at(c), wanted).closest;
        if (const double d = (near - wanted).squaredNorm(); d < distances[i])
          distances[i] = d, vertices[i] = near;
      }
      h = s.mesh.around(h);
    } while (h != start);
  }
}

}  // namespace

PolygonMesh extract(const CreasedSurface& surface, const Lattice& lattice, const std::vector<Hold>& holds,
                    const std::vector<Vec3>& points, ExtractCounts& counts) {
  LatticeMesh l(surface.mesh, lattice, surface.crease, holds, points);
  Extractor extractor(l);
  extractor.run();
  counts = extractor.counts();
  std::vector<std::int32_t> number(static_cast<std::size_t>(l.mesh().vertex_slots()), -1);
  std::vector<Vec3> vertices;
  for (std::int32_t v = 0; v < l.mesh().vertex_slots(); ++v) {
    if (l.mesh().leaving(v) < 0) continue;
    number[v] = static_cast<std::int32_t>(vertices.size());
    vertices.push_back(l.point(v));
  }
  PolygonMesh out = dissolve(l, number);
  place(surface, l, number, vertices);
  out.vertices = std::move(vertices);
  return out;
}

}  // namespace abut::preprocess
