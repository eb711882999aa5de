#include "preprocess/remesh/relax.h"

#include <Eigen/Dense>
#include <cmath>
#include <complex>
#include <span>

#include "preprocess/remesh/rows.h"
#include "runtime/core/parallel.h"

namespace abut::preprocess {
namespace {

using Vec3 = Eigen::Vector3d;

constexpr double kCentreCosine = 0.3;  // between the normals of a quad and of the surface at its foot point
constexpr double kVertexCosine = 0.5;  // between the normals at a vertex's foot point and of one of its quads
constexpr double kCreaseCosine =
    0.57;                             // 55 degrees: least turn of a crease that holds vertices more strongly
constexpr double kSideCosine = 0.91;  // 25 degrees: largest difference between quads on one side of it
constexpr std::int64_t kChunk = 256;

// The targets of a quad's corners.
struct Wish {
  std::array<Vec3, 4> corners;  // of the square that fits it best, m
  Vec3 point, normal;           // of the surface's tangent plane
  double reach = 0;             // half its longer diagonal, m
  std::int32_t triangle = -1;   // of the surface, at the tangent point
};

class Relaxer {
 public:
  Relaxer(QuadMesh& mesh, const ReferenceSurface& surface, const RelaxParameters& parameters,
          const std::vector<char>& pinned)
      : mesh_(mesh),
        surface_(surface),
        parameters_(parameters),
        pinned_(pinned),
        quads_of_(corners_by_vertex(mesh)),
        wishes_(mesh.quads.size()),
        moved_(mesh.vertices.size()),
        feet_(mesh.vertices.size(), -1) {}

  // If `on_surface`, vertices end at closest points of the surface; else only their quads' planes keep them
  // near it.
  void round(bool on_surface) {
    parallel_for(
        static_cast<std::int64_t>(mesh_.quads.size()), parameters_.threads,
        [&](std::int64_t f, int) { wishes_[f] = wish(mesh_.quads[f], wishes_[f], on_surface); }, kChunk);
    parallel_for(
        static_cast<std::int64_t>(mesh_.vertices.size()), parameters_.threads,
        [&](std::int64_t v, int) { moved_[v] = move(static_cast<std::int32_t>(v), on_surface); }, kChunk);
    mesh_.vertices.swap(moved_);
    undo_flips();
  }

 private:
  // Computes the square in the quad's plane that is closest to its corners. With the corners as complex
  // numbers z_k it is a i^k, where a is the mean of z_k i^-k, scaled to the wanted size. The tangent plane is
  // that of the last round if `on_surface` is false and there is one.
  Wish wish(const Quad& q, const Wish& last, bool on_surface) const {
    Wish w;
    const Vec3 c = centre(mesh_, q), area = vector_area(mesh_, q);
    const Vec3 n = area.normalized();
    const Vec3 first = mesh_.vertices[q[0]] - c;
    const Vec3 x = (first - first.dot(n) * n).normalized(), y = n.cross(x);
    std::complex<double> a = 0;
    const std::complex<double> turn(0, 1);
    std::complex<double> back = 1;
    for (int k = 0; k < 4; ++k, back /= turn) {
      const Vec3 d = mesh_.vertices[q[k]] - c;
      a += back * std::complex<double>(d.dot(x), d.dot(y)) / 4.0;
      w.reach = std::max(w.reach, d.norm());
    }
    const double size = std::abs(a), wanted = parameters_.edge / std::sqrt(2.0);
    if (wanted > 0 && size > 0) a *= wanted / size;
    for (int k = 0; k < 4; ++k, a *= turn) w.corners[k] = c + a.real() * x + a.imag() * y;
    if (!on_surface && last.triangle >= 0) {
      w.point = last.point;
      w.normal = last.normal;
      w.triangle = last.triangle;
      return w;
    }
    const FootPoint foot = surface_.closest_facing(c, {&n, 1}, kCentreCosine, 2 * w.reach, last.triangle);
    w.triangle = foot.triangle;
    w.point = foot.triangle < 0 ? c : foot.position;
    w.normal = foot.triangle < 0 ? n : foot.normal;
    return w;
  }

  Vec3 move(std::int32_t v, bool on_surface) {
    const Vec3& old = mesh_.vertices[v];
    const auto corners = quads_of_[v];
    if (corners.empty() || (!pinned_.empty() && pinned_[v] != 0)) return old;
    std::array<Vec3, kMaxNormals> normals;
    std::size_t count = 0;
    for (const std::int32_t corner : corners)
      if (count < kMaxNormals) normals[count++] = wishes_[corner / 4].normal;
    const double share = 1.0 / static_cast<double>(corners.size());
    const double weight =
        share * (follows_crease({normals.data(), count}) ? parameters_.hold : parameters_.flatness);
    Eigen::Matrix3d A = Eigen::Matrix3d::Identity();
    Vec3 b = Vec3::Zero();
    double reach = 0;
    for (const std::int32_t corner : corners) {
      const Wish& w = wishes_[corner / 4];
      b += share * (w.corners[corner % 4] - old);
      A += weight * w.normal * w.normal.transpose();
      b += weight * w.normal * w.normal.dot(w.point - old);
      reach = std::max(reach, w.reach);
    }
    Vec3 target = old + parameters_.step * A.ldlt().solve(b);
    if (!on_surface) return target;
    const FootPoint foot =
        surface_.closest_facing(target, {normals.data(), count}, kVertexCosine, reach, feet_[v]);
    feet_[v] = foot.triangle;
    return foot.triangle < 0 ? old : foot.position;
  }

  // Whether the quads around a vertex, given by the surface's normals, lie on both sides of a crease that
  // runs along their edges, two or more on each side, or are the three at a corner.
  static bool follows_crease(std::span<const Vec3> normals) {
    double least = kCreaseCosine;
    const Vec3 *one = nullptr, *other = nullptr;
    for (const Vec3& a : normals)
      for (const Vec3& b : normals)
        if (const double cosine = a.dot(b); cosine < least) least = cosine, one = &a, other = &b;
    if (one == nullptr) return false;
    std::size_t on_one = 0, between = 0;
    for (const Vec3& n : normals) {
      const double a = n.dot(*one), b = n.dot(*other);
      on_one += a > b;
      if (std::max(a, b) >= kSideCosine) continue;
      if (std::max(a, b) > kCreaseCosine) return false;
      ++between;
    }
    if (normals.size() == 3) return true;
    return between == 0 && on_one >= 2 && normals.size() - on_one >= 2;
  }

  // Restores the vertices of quads that the round turned against the surface.
  void undo_flips() {
    std::vector<char> undo(mesh_.vertices.size(), 0);
    for (std::size_t f = 0; f < mesh_.quads.size(); ++f) {
      const Quad& q = mesh_.quads[f];
      if (vector_area(mesh_, q).dot(wishes_[f].normal) > 0) continue;
      for (const std::int32_t v : q) undo[v] = 1;
    }
    for (std::size_t v = 0; v < undo.size(); ++v)
      if (undo[v] != 0) mesh_.vertices[v] = moved_[v];
  }

  static constexpr std::size_t kMaxNormals = 12;

  QuadMesh& mesh_;
  const ReferenceSurface& surface_;
  const RelaxParameters& parameters_;
  const std::vector<char>& pinned_;
  Rows quads_of_;
  std::vector<Wish> wishes_;
  std::vector<Vec3> moved_;
  std::vector<std::int32_t> feet_;  // of each vertex: the triangle on which it lies, from the last round
};

}  // namespace

void relax(QuadMesh& mesh, const ReferenceSurface& surface, const RelaxParameters& parameters,
           const std::vector<char>& pinned) {
  Relaxer relaxer(mesh, surface, parameters, pinned);
  for (int i = 0; i < parameters.rounds; ++i)
    relaxer.round((parameters.rounds - i) % parameters.away == 1 % parameters.away);
}

}  // namespace abut::preprocess
