#include "preprocess/tetrahedralize/tetrahedralize.h"

#include <signal.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <new>
#include <string>
#include <utility>

#define TETLIBRARY
#include <fmt/format.h>
#include <tetgen.h>

#include "preprocess/mesh/repair.h"
#include "preprocess/process/packing.h"
#include "preprocess/process/runner.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

// Interior points are passed together with the surface's, as isolated vertices of the complex: inserting them
// after the surface has been recovered (switch i) crashes if TetGen added points of its own.
void set_input(tetgenio& in, const TriangleMesh& surface, std::span<const Eigen::Vector3d> inside) {
  in.numberofpoints = static_cast<int>(surface.vertices.size() + inside.size());
  in.pointlist = new REAL[3 * (surface.vertices.size() + inside.size())];
  REAL* at = in.pointlist;
  for (const auto& points : {std::span<const Eigen::Vector3d>(surface.vertices), inside})
    for (const Eigen::Vector3d& p : points) at = std::copy_n(p.data(), 3, at);
  in.numberoffacets = static_cast<int>(surface.triangles.size());
  in.facetlist = new tetgenio::facet[surface.triangles.size()];
  for (std::size_t i = 0; i < surface.triangles.size(); ++i) {
    tetgenio::facet& facet = in.facetlist[i];
    tetgenio::init(&facet);
    facet.numberofpolygons = 1;
    facet.polygonlist = new tetgenio::polygon[1];
    tetgenio::init(&facet.polygonlist[0]);
    facet.polygonlist[0].numberofvertices = 3;
    facet.polygonlist[0].vertexlist = new int[3];
    std::copy(surface.triangles[i].begin(), surface.triangles[i].end(), facet.polygonlist[0].vertexlist);
  }
}

std::string reason_of(int code) {
  switch (code) {
    case 1:
      return "out of memory";
    case 3:
      return "the surface crosses itself";
    case 4:
      return "a feature is too small";
    case 5:
      return "two facets are too close";
    default:
      return fmt::format("internal error {}", code);
  }
}

// Runs in the child process. Nothing is freed, since the library's cleanup may crash.
TetrahedralMesh call_tetgen(std::string switches, const TriangleMesh& surface,
                            std::span<const Eigen::Vector3d> inside) {
  static auto* const in = new tetgenio;
  static auto* const out = new tetgenio;
  set_input(*in, surface, inside);
  try {
    ::tetrahedralize(switches.data(), in, out);
  } catch (int code) {
    if (code == 1) throw std::bad_alloc();
    throw InvalidInput("TetGen failed: " + reason_of(code));
  }
  TetrahedralMesh mesh;
  for (int i = 0; i < out->numberofpoints; ++i)
    mesh.vertices.push_back(Eigen::Map<const Eigen::Vector3d>(out->pointlist + 3 * i));
  for (int i = 0; i < out->numberoftetrahedra; ++i) {
    Tetrahedron t;
    std::copy_n(out->tetrahedronlist + i * out->numberofcorners, 4, t.begin());
    mesh.tetrahedra.push_back(t);
  }
  return mesh;
}

// --- transfer from the child to the parent ---

std::string pack(const TetrahedralMesh& mesh) {
  Packer packer;
  packer.put(mesh.vertices);
  packer.put(mesh.tetrahedra);
  return std::move(packer.bytes);
}

TetrahedralMesh unpack(const std::string& bytes) {
  TetrahedralMesh mesh;
  Unpacker unpacker(bytes);
  unpacker.take(mesh.vertices);
  unpacker.take(mesh.tetrahedra);
  return mesh;
}

TetrahedralMesh run_in_child(const Mesher& mesher, const TriangleMesh& surface,
                             std::span<const Eigen::Vector3d> inside, const TetrahedralizeLimits& limits) {
  const Work work = [&](std::size_t, const StageCallback& stage) {
    stage("TetGen");
    return pack(mesher(surface, inside));
  };
  RunObserver silent;
  const RunResult run = run_jobs(1, work, {1, limits.timeout_seconds, limits.memory_bytes}, silent);
  if (run.signal != 0) ::raise(run.signal);
  const JobResult& job = run.jobs.front();
  const std::string failure =
      fmt::format("no tetrahedra of a surface of {} triangles: {}", surface.triangles.size(), job.reason);
  if (job.outcome == Outcome::kOutOfMemory && job.memory_limit != limits.memory_bytes)
    throw std::bad_alloc();  // the limit was not TetGen's own
  if (job.outcome == Outcome::kTimedOut || job.outcome == Outcome::kOutOfMemory) throw LimitReached(failure);
  if (job.killed) throw IoError(failure);  // does not depend on the surface
  if (job.outcome != Outcome::kDone) throw InvalidInput(failure);
  return unpack(job.payload);
}

// --- selection of the tetrahedra inside ---

using FaceKey = std::array<std::int32_t, 3>;

// The three vertices starting with the smallest, in the same cyclic order: a face and its mirror image
// differ.
FaceKey oriented(std::int32_t a, std::int32_t b, std::int32_t c) {
  FaceKey key{a, b, c};
  std::rotate(key.begin(), std::min_element(key.begin(), key.end()), key.end());
  return key;
}

struct FaceSide {
  FaceKey key;
  std::int32_t tetrahedron;
  bool operator<(const FaceSide& other) const { return key < other.key; }
};

// Orients all tetrahedra and drops those outside, with the vertices that only they used. A tetrahedron behind
// a triangle of the surface is inside, and so is every one reachable from it without crossing the surface.
class Carver {
 public:
  Carver(TetrahedralMesh& mesh, const TriangleMesh& surface) : mesh_(mesh), surface_(surface) {}

  void carve() {
    for (Tetrahedron& t : mesh_.tetrahedra)
      if (six_volumes(mesh_.vertices[t[0]], mesh_.vertices[t[1]], mesh_.vertices[t[2]],
                      mesh_.vertices[t[3]]) < 0)
        std::swap(t[2], t[3]);
    collect_sides();
    flood();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < inside_.size(); ++i)
      if (inside_[i]) mesh_.tetrahedra[kept++] = mesh_.tetrahedra[i];
    mesh_.tetrahedra.resize(kept);
    drop_unused_vertices();
  }

 private:
  // Collects the faces of the tetrahedra, oriented as seen from outside of each.
  void collect_sides() {
    for (std::size_t i = 0; i < mesh_.tetrahedra.size(); ++i) {
      const Tetrahedron& t = mesh_.tetrahedra[i];
      for (const auto& f : kFaces)
        sides_.push_back({oriented(t[f[0]], t[f[2]], t[f[1]]), static_cast<std::int32_t>(i)});
    }
    std::sort(sides_.begin(), sides_.end());
  }

  std::int32_t behind(const FaceKey& key) const {
    const auto it = std::lower_bound(sides_.begin(), sides_.end(), FaceSide{key, 0});
    return it != sides_.end() && it->key == key ? it->tetrahedron : -1;
  }

  void flood() {
    inside_.assign(mesh_.tetrahedra.size(), 0);
    std::vector<FaceKey> walls;
    std::vector<std::int32_t> stack;
    for (std::size_t i = 0; i < surface_.triangles.size(); ++i) {
      const Triangle& f = surface_.triangles[i];
      const std::int32_t t = behind(oriented(f[0], f[1], f[2]));
      if (t < 0) throw InvalidInput(fmt::format("TetGen lost surface triangle {}", i));
      walls.push_back(oriented(f[0], f[1], f[2]));
      walls.push_back(oriented(f[0], f[2], f[1]));
      visit(t, stack);
    }
    std::sort(walls.begin(), walls.end());
    while (!stack.empty()) {
      const Tetrahedron& t = mesh_.tetrahedra[stack.back()];
      stack.pop_back();
      for (const auto& f : kFaces) {
        const FaceKey across = oriented(t[f[0]], t[f[1]], t[f[2]]);
        const std::int32_t next = behind(across);
        if (next >= 0 && !inside_[next] && !std::binary_search(walls.begin(), walls.end(), across))
          visit(next, stack);
      }
    }
  }

  void visit(std::int32_t t, std::vector<std::int32_t>& stack) {
    if (inside_[t]) return;
    inside_[t] = 1;
    stack.push_back(t);
  }

  void drop_unused_vertices() {
    std::vector<std::int32_t> place(mesh_.vertices.size(), -1);
    for (const Tetrahedron& t : mesh_.tetrahedra)
      for (const std::int32_t v : t) place[v] = 0;
    std::int32_t count = 0;
    for (std::size_t v = 0; v < place.size(); ++v) {
      if (place[v] < 0 && static_cast<std::int32_t>(v) >= mesh_.surface_vertices) continue;
      mesh_.vertices[count] = mesh_.vertices[v];
      place[v] = count++;
    }
    mesh_.vertices.resize(count);
    for (Tetrahedron& t : mesh_.tetrahedra)
      for (std::int32_t& v : t) v = place[v];
  }

  TetrahedralMesh& mesh_;
  const TriangleMesh& surface_;
  std::vector<FaceSide> sides_;
  std::vector<char> inside_;
};

}  // namespace

TetrahedralMesh tetrahedralize_with(const Mesher& mesher, const TriangleMesh& surface,
                                    std::span<const Eigen::Vector3d> inside,
                                    const TetrahedralizeLimits& limits) {
  if (surface.triangles.empty()) throw InvalidInput("no tetrahedra of a surface without triangles");
  const std::string fault = find_fault(surface);
  if (!fault.empty()) throw InvalidInput("no tetrahedra of this surface: " + fault);
  TetrahedralMesh mesh = run_in_child(mesher, surface, inside, limits);
  mesh.surface_vertices = static_cast<std::int32_t>(surface.vertices.size());
  Carver(mesh, surface).carve();
  return mesh;
}

TetrahedralMesh tetrahedralize(const TriangleMesh& surface, std::span<const Eigen::Vector3d> inside,
                               const TetrahedralizeLimits& limits) {
  // Switches: p: keep the facets, Y: do not split them, J: do not drop unused points, Q: print nothing.
  // TetGen merges almost coplanar facets, which may lose their common edge; if so, run again without merging
  // (M).
  const auto with = [](const char* switches) -> Mesher {
    return [=](const TriangleMesh& s, std::span<const Eigen::Vector3d> p) {
      return call_tetgen(switches, s, p);
    };
  };
  try {
    return tetrahedralize_with(with("pYJQ"), surface, inside, limits);
  } catch (const LimitReached&) {
    throw;
  } catch (const InvalidInput&) {
    return tetrahedralize_with(with("pYMJQ"), surface, inside, limits);
  }
}

}  // namespace abut::preprocess
