#include "preprocess/pressure/extent.h"

#include <Eigen/Geometry>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "runtime/core/disjoint_sets.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;
using SparseMatrix = Eigen::SparseMatrix<double>;

// Number of unknowns up to which the sparse Cholesky factor is small; in three dimensions its cost grows with
// the square of their number, and conjugate gradients are faster beyond.
constexpr Eigen::Index kDirectLimit = 20000;
constexpr double kRounding = 1e-9;
// Least extent of a vertex inside, so that no tetrahedron at the surface has zero pressure.
constexpr double kLeastExtent = 1e-3;

// Gradients of the four hat functions, 1/m.
std::array<Vector3d, 4> hat_gradients(const TetrahedralMesh& mesh, const Tetrahedron& t) {
  const auto& x = mesh.vertices;
  const double volume = six_volumes(x[t[0]], x[t[1]], x[t[2]], x[t[3]]);
  std::array<Vector3d, 4> result;
  for (int k = 0; k < 4; ++k) {
    const Vector3d &a = x[t[kFaces[k][0]]], &b = x[t[kFaces[k][1]]], &c = x[t[kFaces[k][2]]];
    result[k] = (b - a).cross(c - a) / volume;
  }
  return result;
}

double volume_of(const TetrahedralMesh& mesh, const Tetrahedron& t) {
  const auto& x = mesh.vertices;
  return six_volumes(x[t[0]], x[t[1]], x[t[2]], x[t[3]]) / 6;
}

// The stiffness matrix of all vertices: a sum of couplings w_ij (e_i - e_j)^2, stored as off-diagonal entries
// -w_ij.
class Laplacian {
 public:
  explicit Laplacian(const TetrahedralMesh& mesh) : size_(static_cast<Eigen::Index>(mesh.vertices.size())) {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(mesh.tetrahedra.size() * 12);
    for (const Tetrahedron& t : mesh.tetrahedra) {
      const auto g = hat_gradients(mesh, t);
      const double volume = volume_of(mesh, t);
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          if (i != j) entries.emplace_back(t[i], t[j], volume * g[i].dot(g[j]));
    }
    couplings_ = SparseMatrix(size_, size_);
    couplings_.setFromTriplets(entries.begin(), entries.end());
  }

  // Drops the couplings of the wrong sign at the marked vertices: there the matrix becomes an M-matrix, and
  // the value an average of the neighbours' with positive weights.
  void repair(const std::vector<char>& marked) {
    couplings_.prune([&](Eigen::Index i, Eigen::Index j, double value) {
      return value < 0 || (!marked[static_cast<std::size_t>(i)] && !marked[static_cast<std::size_t>(j)]);
    });
  }

  std::vector<double> solve(const std::vector<std::optional<double>>& given) const {
    std::vector<Eigen::Index> place(given.size(), -1);
    Eigen::Index unknowns = 0;
    for (std::size_t v = 0; v < given.size(); ++v)
      if (!given[v]) place[v] = unknowns++;
    Eigen::VectorXd right = Eigen::VectorXd::Zero(unknowns);
    Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(unknowns);
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index j = 0; j < size_; ++j)
      for (SparseMatrix::InnerIterator it(couplings_, j); it; ++it) {
        const Eigen::Index row = place[static_cast<std::size_t>(it.row())];
        if (row < 0) continue;
        diagonal[row] -= it.value();
        if (const auto& value = given[static_cast<std::size_t>(j)])
          right[row] -= it.value() * *value;
        else
          entries.emplace_back(row, place[static_cast<std::size_t>(j)], it.value());
      }
    for (Eigen::Index i = 0; i < unknowns; ++i) entries.emplace_back(i, i, diagonal[i]);
    SparseMatrix matrix(unknowns, unknowns);
    matrix.setFromTriplets(entries.begin(), entries.end());
    const Eigen::VectorXd solution = unknowns > 0 ? solve(matrix, right) : right;
    std::vector<double> result(given.size());
    for (std::size_t v = 0; v < given.size(); ++v) result[v] = given[v] ? *given[v] : solution[place[v]];
    return result;
  }

 private:
  static Eigen::VectorXd solve(const SparseMatrix& matrix, const Eigen::VectorXd& right) {
    if (matrix.rows() <= kDirectLimit) {
      const Eigen::SimplicialLDLT<SparseMatrix> solver(matrix);
      if (solver.info() != Eigen::Success || !(solver.vectorD().minCoeff() > 0))
        throw InvalidInput("the extent field is not determined: a part of the mesh has no surface");
      return solver.solve(right);
    }
    Eigen::ConjugateGradient<SparseMatrix, Eigen::Lower | Eigen::Upper, Eigen::IncompleteCholesky<double>>
        solver(matrix);
    solver.setTolerance(1e-12);
    Eigen::VectorXd result = solver.solve(right);
    if (solver.error() > 1e-8) throw InvalidInput("the extent field does not converge");
    return result;
  }

  Eigen::Index size_;
  SparseMatrix couplings_;
};

// For each vertex the first vertex of its part (connected through tetrahedra).
std::vector<std::int32_t> firsts_of_parts(const TetrahedralMesh& mesh) {
  DisjointSets joined(mesh.vertices.size());
  for (const Tetrahedron& t : mesh.tetrahedra)
    for (int k = 1; k < 4; ++k) joined.join(t[0], t[k]);
  std::vector<std::int32_t> firsts(mesh.vertices.size());
  for (std::size_t v = 0; v < firsts.size(); ++v) firsts[v] = joined.least(static_cast<std::int32_t>(v));
  return firsts;
}

// Prescribes 1 at the deepest vertex of each part without a vertex in the core: with zero values only its
// field would vanish.
void stand_for_cores(const TetrahedralMesh& mesh, const std::vector<double>& depths,
                     std::vector<std::optional<double>>& given, Report& report) {
  struct Part {
    std::int32_t deepest;
    bool has_core = false;
  };
  const std::vector<std::int32_t> firsts = firsts_of_parts(mesh);
  std::map<std::int32_t, Part> parts;
  for (std::size_t v = 0; v < depths.size(); ++v) {
    const auto vertex = static_cast<std::int32_t>(v);
    Part& part = parts.try_emplace(firsts[v], Part{vertex}).first->second;
    if (depths[v] > depths[part.deepest]) part.deepest = vertex;
    part.has_core = part.has_core || given[v].value_or(0) > 0;
  }
  std::size_t without = 0;
  for (const auto& [first, part] : parts) {
    if (part.has_core) continue;
    if (depths[part.deepest] <= 0)
      throw InvalidInput(parts.size() == 1
                             ? "the extent field needs a vertex inside the surface"
                             : fmt::format("the extent field needs a vertex inside each of {} parts of the "
                                           "surface; one has none",
                                           parts.size()));
    given[part.deepest] = 1;
    ++without;
  }
  if (without == 0) return;
  report.warnings.push_back(
      parts.size() == 1
          ? "no vertex lies in the core: the deepest one stands for it"
          : fmt::format("no vertex lies in the core of {} of {} parts: the deepest one stands for it",
                        without, parts.size()));
}

// Prescribed values: 0 on the surface and up to 1 in the core, none in between. A vertex slightly outside the
// core's boundary gets its share of the way, which is the field's value there to first order: otherwise the
// core would end at the next vertex inward.
std::vector<std::optional<double>> boundary_values(const TetrahedralMesh& mesh, const LocalInradius& inradius,
                                                   double core_fraction, Report& report) {
  std::vector<std::optional<double>> given(mesh.vertices.size());
  std::vector<double> depths(mesh.vertices.size(), 0);  // m
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (mesh.on_surface(static_cast<std::int32_t>(v))) {
      given[v] = 0;
      continue;
    }
    const double share = inradius.share_of_way(mesh.vertices[v], core_fraction);
    if (share >= kLeastCoreExtent) given[v] = std::min(1.0, share);
    depths[v] = inradius.depth(mesh.vertices[v]);
  }
  stand_for_cores(mesh, depths, given, report);
  return given;
}

std::vector<double> distance_field(const TetrahedralMesh& mesh, const LocalInradius& inradius) {
  std::vector<double> result(mesh.vertices.size(), 0);
  double largest = 0;
  for (std::size_t v = static_cast<std::size_t>(mesh.surface_vertices); v < result.size(); ++v)
    largest = std::max(largest, result[v] = inradius.depth(mesh.vertices[v]));
  if (!(largest > 0)) throw InvalidInput("the extent field needs a vertex inside the surface");
  // Not only the largest depth of the vertices: a coarse mesh may have none near the middle, and would be too
  // stiff.
  for (const Ball& ball : inradius.balls()) largest = std::max(largest, ball.radius);
  for (double& value : result) value /= largest;
  return result;
}

}  // namespace

std::vector<double> solve_laplace(const TetrahedralMesh& mesh,
                                  const std::vector<std::optional<double>>& given, Report& report) {
  double lo = 1e300, hi = -1e300;
  for (const auto& value : given)
    if (value) {
      lo = std::min(lo, *value);
      hi = std::max(hi, *value);
    }
  if (lo > hi) throw InvalidInput("Laplace's equation needs a value at one vertex at least");
  const double slack = kRounding * (hi - lo);
  Laplacian laplacian(mesh);
  std::vector<double> field = laplacian.solve(given);
  std::vector<char> marked(field.size(), 0);
  std::size_t repaired = 0;
  const auto outside = [&](double value) { return value < lo - slack || value > hi + slack; };
  for (bool again = true; again;) {
    again = false;
    for (std::size_t v = 0; v < field.size(); ++v)
      if (outside(field[v]) && !marked[v]) {
        marked[v] = 1;
        ++repaired;
        again = true;
      }
    if (!again) break;
    laplacian.repair(marked);
    field = laplacian.solve(given);
  }
  // Makes a constant solution exactly constant.
  for (double& value : field) value = value < lo + slack ? lo : value > hi - slack ? hi : value;
  report.measures["extent_max_principle_repairs"] += static_cast<double>(repaired);
  return field;
}

ExtentField with_gradients(const TetrahedralMesh& mesh, std::vector<double> extent) {
  ExtentField field;
  for (const Tetrahedron& t : mesh.tetrahedra)
    field.gradients.push_back(asset::gradient_in(mesh.vertices, t, extent));
  field.extent = std::move(extent);
  return field;
}

ExtentField extent_field(const TetrahedralMesh& mesh, const LocalInradius& inradius,
                         const ExtentParameters& parameters, Report& report) {
  if (!(parameters.core_fraction > 0 && parameters.core_fraction < 1))
    throw InvalidInput(
        fmt::format("core_fraction is {}: it must be between 0 and 1", parameters.core_fraction));
  if (parameters.field == FieldKind::kDistance) return with_gradients(mesh, distance_field(mesh, inradius));
  std::vector<double> extent =
      solve_laplace(mesh, boundary_values(mesh, inradius, parameters.core_fraction, report), report);
  for (std::size_t v = static_cast<std::size_t>(mesh.surface_vertices); v < extent.size(); ++v) {
    const Vector3d& p = mesh.vertices[v];
    if (extent[v] ==
        0)  // all neighbours are on the surface, or the repair of the maximum principle dropped its couplings
      extent[v] = std::min(1.0, inradius.share_of_way(p, parameters.core_fraction));
    extent[v] = std::max(extent[v], kLeastExtent);
  }
  return with_gradients(mesh, std::move(extent));
}

double missed_core(const TetrahedralMesh& mesh, const ExtentField& field, const LocalInradius& inradius,
                   double core_fraction) {
  constexpr std::size_t kAsked = 1000;  // least number of sampled tetrahedra, if there are more
  double core = 0, missed = 0;          // m^3
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); i += 1 + mesh.tetrahedra.size() / (2 * kAsked)) {
    const Tetrahedron& t = mesh.tetrahedra[i];
    Vector3d middle = Vector3d::Zero();
    double extent = 0;
    for (const std::int32_t v : t) middle += mesh.vertices[v] / 4, extent += field.extent[v] / 4;
    if (inradius.share_of_way(middle, core_fraction) < 1) continue;
    core += volume_of(mesh, t);
    if (extent < kMissedExtent) missed += volume_of(mesh, t);
  }
  return core > 0 ? missed / core : 0;
}

double dirichlet_energy(const TetrahedralMesh& mesh, const ExtentField& field) {
  double sum = 0;
  for (std::size_t i = 0; i < mesh.tetrahedra.size(); ++i)
    sum += volume_of(mesh, mesh.tetrahedra[i]) * field.gradients[i].squaredNorm();
  return sum;
}

}  // namespace abut::preprocess
