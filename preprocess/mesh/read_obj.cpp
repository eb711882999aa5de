#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "preprocess/mesh/formats.h"
#include "preprocess/mesh/obj_lines.h"
#include "preprocess/mesh/seams.h"
#include "preprocess/mesh/weld.h"
#include "runtime/core/counted.h"
#include "runtime/core/disjoint_sets.h"

namespace abut::preprocess {
namespace {

class ObjParser {
 public:
  ObjParser(std::string_view content, const std::string& name) : lines_(content), name_(name) {}

  TriangleMesh parse() {
    for (std::string_view line; lines_.next(line);) {
      line_ = lines_.number();
      parse_line(line);
    }
    check_forward_references();
    polygons_.cut_rest(mesh_);
    return std::move(mesh_);
  }

  std::size_t lines() const { return lines_.read(); }

  // For each vertex a number for its texture coordinates and normal: vertices at one position that differ in
  // it form a seam.
  const std::vector<std::size_t>& looks() const { return looks_; }

  // Number of texture coordinates and normals at the file's end that no face has used; 0 if none is used at
  // all.
  std::size_t waiting_attributes() const {
    std::size_t waiting = 0;
    for (int kind = 0; kind < 2; ++kind) {
      if (attributes_used_[kind] > 0) waiting += attributes_[kind].size() - attributes_used_[kind];
    }
    return waiting;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw InvalidInput(fmt::format("{}: line {}: {}", name_, line_, what));
  }

  void parse_line(std::string_view line) {
    const char* end = line.data() + line.size();
    const char* at = skip_blanks(line.data(), end);
    if (end - at > 2 && *at == 'v' && (at[1] == 't' || at[1] == 'n') && is_blank(at[2])) {
      attributes_[at[1] == 'n'].push_back(hash({at + 3, end}));
      return;
    }
    if (end - at < 1 || (at + 1 != end && !is_blank(at[1])))
      return;  // other relevant keywords have one letter
    if (*at == 'v') parse_vertex(at + 1, end);
    if (*at == 'f') parse_face(at + 1, end);
  }

  void parse_vertex(const char* at, const char* end) {
    Eigen::Vector3d v;
    for (int k = 0; k < 3; ++k) {
      const NumberStatus status = read_coordinate(at, end, v[k]);
      if (status != NumberStatus::kOk)
        refuse(fmt::format("vertex {} {}", mesh_.vertices.size() + 1, describe(status)));
    }
    mesh_.vertices.push_back(v);
  }

  void parse_face(const char* at, const char* end) {
    corners_.clear();
    for (at = skip_blanks(at, end); at != end && *at != '#'; at = skip_blanks(at, end)) {
      corners_.push_back(parse_corner(at, end));
    }
    if (corners_.size() < 3) {
      refuse(fmt::format("face with {} corners: the file seems truncated or damaged", corners_.size()));
    }
    ++faces_;
    if (corners_.size() > kMaxFaceCorners)
      refuse(fmt::format("face {} {}", faces_, too_many_corners(corners_.size())));
    polygons_.add(corners_, mesh_);
  }

  // Parses "v", "v/vt", "v//vn" or "v/vt/vn"; the attributes of v are those of its first corner.
  std::int32_t parse_corner(const char*& at, const char* end) {
    const std::int64_t vertex = parse_index(at, end);
    std::size_t looks = 0;
    for (int k = 0; k < 2 && at != end && *at == '/'; ++k) {
      ++at;
      if (k == 0 && at != end && *at == '/') continue;
      looks = 31 * looks + attribute(k, parse_index(at, end));
    }
    if (at != end && !is_blank(*at)) refuse("face corner is not of the form v, v/vt, v//vn or v/vt/vn");
    const std::int32_t index = resolve(vertex);
    if (looks_.size() < mesh_.vertices.size()) looks_.resize(mesh_.vertices.size(), 0);
    if (static_cast<std::size_t>(index) < looks_.size() && looks_[index] == 0) looks_[index] = looks;
    return index;
  }

  static std::size_t hash(std::string_view text) { return std::hash<std::string_view>{}(text); }

  std::size_t attribute(int kind, std::int64_t index) {
    const auto count = static_cast<std::int64_t>(attributes_[kind].size());
    const std::int64_t zero_based = index > 0 ? index - 1 : count + index;
    if (zero_based < 0 || zero_based >= count) return 0;
    attributes_used_[kind] = std::max(attributes_used_[kind], static_cast<std::size_t>(zero_based) + 1);
    return attributes_[kind][zero_based];
  }

  std::int64_t parse_index(const char*& at, const char* end) {
    std::int64_t index = 0;
    const auto [rest, error] = std::from_chars(at, end, index);
    if (error != std::errc{})
      refuse("face corner without a whole number: the file seems truncated or damaged");
    at = rest;
    return index;
  }

  std::int32_t resolve(std::int64_t index) {
    const auto count = static_cast<std::int64_t>(mesh_.vertices.size());
    const std::int64_t zero_based = index > 0 ? index - 1 : count + index;
    if (index == 0 || zero_based < 0 || zero_based >= std::numeric_limits<std::int32_t>::max()) {
      refuse(fmt::format("face corner {} is out of range: the file has {} so far", index,
                         counted(static_cast<std::size_t>(count), "vertex", "vertices")));
    }
    if (zero_based >= count && zero_based > forward_index_) {
      forward_index_ = zero_based;
      forward_line_ = line_;
    }
    return static_cast<std::int32_t>(zero_based);
  }

  // A face may precede its vertices; whether they exist is known only at the end.
  void check_forward_references() {
    const auto count = static_cast<std::int64_t>(mesh_.vertices.size());
    if (forward_index_ < count) return;
    line_ = forward_line_;
    refuse(fmt::format("face corner {} is out of range: the file has {}", forward_index_ + 1,
                       counted(static_cast<std::size_t>(count), "vertex", "vertices")));
  }

  ObjLines lines_;
  const std::string& name_;
  TriangleMesh mesh_;
  std::vector<std::int32_t> corners_;
  Polygons polygons_;
  std::size_t faces_ = 0;
  std::vector<std::size_t> attributes_[2];   // hashes of the "vt" and "vn" lines
  std::size_t attributes_used_[2] = {0, 0};  // one beyond the last that a face uses
  std::vector<std::size_t> looks_;
  std::size_t line_ = 0;
  std::int64_t forward_index_ = -1;
  std::size_t forward_line_ = 0;
};

// Number of vertices that repeat another in position, texture coordinates and normal.
std::size_t count_duplicates(const TriangleMesh& mesh, const std::vector<std::size_t>& looks) {
  const WeldedSoup soup = weld(mesh);
  if (soup.seam_vertices == 0) return 0;
  std::vector<std::pair<std::int32_t, std::size_t>> kinds;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (soup.vertex_of[v] >= 0) kinds.emplace_back(soup.vertex_of[v], v < looks.size() ? looks[v] : 0);
  }
  std::sort(kinds.begin(), kinds.end());
  return kinds.size() - static_cast<std::size_t>(std::unique(kinds.begin(), kinds.end()) - kinds.begin());
}

// For a surface with open edges: whether its last face touches their rim, and whether the gap there is one
// that only truncation explains. A model of a few faces is made by hand, and its openings are flat polygons:
// a single missing triangle, or a small gap that bends around a corner, means missing faces.
struct OpenRim {
  std::size_t edges = 0;
  std::size_t rims = 0;  // groups of connected open edges
  bool at_last_face = false;
  bool of_cut_model = false;
  std::vector<Eigen::Vector3d> vertices;  // on open edges, m
  double longest_edge = 0;                // of the surface, m
};

// Number of groups of edges connected through vertices.
std::size_t count_rims(const std::vector<std::array<std::int32_t, 2>>& edges, std::size_t vertices) {
  DisjointSets joined(vertices);
  for (const auto& [a, b] : edges) joined.join(a, b);
  std::vector<std::int32_t> firsts;
  firsts.reserve(edges.size());
  for (const auto& edge : edges) firsts.push_back(joined.least(edge[0]));
  std::sort(firsts.begin(), firsts.end());
  return static_cast<std::size_t>(std::unique(firsts.begin(), firsts.end()) - firsts.begin());
}

OpenRim find_rim(const TriangleMesh& mesh) {
  constexpr long kFewFaces = 100;
  constexpr double kPlanar = 1e-6;  // over the diagonal
  const WeldedSoup soup = weld(mesh);
  const auto open = open_edges(soup.mesh);
  OpenRim rim;
  if (open.empty()) return rim;
  // Seams whose two sides were rounded differently, or of which one has more vertices, are no openings.
  TriangleMesh closed = soup.mesh;
  const double gap = kRimTolerance * closed.diagonal();
  const std::size_t merged = weld_rims(closed, gap), split = split_rims(closed, gap);
  if (merged + split > 0 && count_open_edges(closed) == 0) return rim;
  rim.edges = open.size();
  rim.rims = count_rims(open, soup.mesh.vertices.size());
  for (const auto& [a, b] : open)
    rim.vertices.insert(rim.vertices.end(), {soup.mesh.vertices[a], soup.mesh.vertices[b]});
  for (const Triangle& t : soup.mesh.triangles)
    for (int k = 0; k < 3; ++k)
      rim.longest_edge =
          std::max(rim.longest_edge, (soup.mesh.vertices[t[k]] - soup.mesh.vertices[t[(k + 1) % 3]]).norm());
  const Triangle& last = soup.mesh.triangles.back();
  const auto of_last = [&](std::int32_t v) { return std::find(last.begin(), last.end(), v) != last.end(); };
  rim.at_last_face =
      std::any_of(open.begin(), open.end(), [&](const auto& e) { return of_last(e[0]) || of_last(e[1]); });
  // Number of faces missing compared with a sphere, by Euler's formula.
  const auto faces = static_cast<long>(soup.mesh.triangles.size()),
             missing = 2 * static_cast<long>(soup.mesh.vertices.size()) - 4 - faces;
  if (!rim.at_last_face || faces > kFewFaces || missing < 1 || 3 * missing > faces) return rim;
  const Eigen::Vector3d& origin = soup.mesh.vertices[open[0][0]];
  Eigen::Matrix3Xd spread(3, 2 * open.size());
  for (std::size_t i = 0; i < 2 * open.size(); ++i)
    spread.col(static_cast<Eigen::Index>(i)) = soup.mesh.vertices[open[i / 2][i % 2]] - origin;
  const Eigen::Vector3d extents = Eigen::JacobiSVD<Eigen::Matrix3Xd>(spread).singularValues();
  rim.of_cut_model = open.size() == 3 || extents[2] > kPlanar * soup.mesh.diagonal();
  return rim;
}

// Number of unused vertices at the end of a file above which they tell of missing faces. Fewer may be strays
// of a whole file: a pivot, the centre of a removed face.
constexpr std::size_t kFewStrays = 2;

// Unused vertices of a file.
struct UnusedVertices {
  std::size_t all = 0;
  std::size_t last = 0;    // at the end of the file
  std::size_t strays = 0;  // few at the end of the file, none of which the faces at a rim could reach
};

UnusedVertices find_unused(const TriangleMesh& mesh, const OpenRim& rim) {
  constexpr double kReach = 2;  // in edges: how far missing faces reach from the rim that they leave
  std::vector<char> used(mesh.vertices.size(), 0);
  for (const Triangle& t : mesh.triangles) used[t[0]] = used[t[1]] = used[t[2]] = 1;
  UnusedVertices unused;
  unused.all = static_cast<std::size_t>(std::count(used.begin(), used.end(), 0));
  unused.last = static_cast<std::size_t>(std::find(used.rbegin(), used.rend(), 1) - used.rbegin());
  if (unused.last > kFewStrays) return unused;
  const auto beside_rim = [&](const Eigen::Vector3d& v) {
    return std::any_of(rim.vertices.begin(), rim.vertices.end(),
                       [&](const Eigen::Vector3d& r) { return (r - v).norm() <= kReach * rim.longest_edge; });
  };
  if (std::none_of(mesh.vertices.end() - static_cast<std::ptrdiff_t>(unused.last), mesh.vertices.end(),
                   beside_rim))
    unused.strays = unused.last;
  return unused;
}

// Throws if the file seems truncated. An OBJ file does not declare its length: one that ends among its faces
// still parses, but leaves the surface open, and vertices or texture coordinates at the end that no face
// uses, or a last line that stops in the middle of a corner's number. Truncation without any of these signs
// differs from a hole only by its place, the last face, where rims of open surfaces may lie too; nor are one
// or two unused vertices behind whole lines a sure sign: that only raises a warning.
void refuse_if_cut_off(const TriangleMesh& mesh, const ObjParser& parser, bool unfinished_line,
                       const std::string& name, Report& report) {
  const OpenRim rim = find_rim(mesh);
  const UnusedVertices unused = find_unused(mesh, rim);
  const std::size_t few = unfinished_line ? 0 : kFewStrays;
  const bool waits = unused.last > few || (parser.waiting_attributes() > few && rim.at_last_face);
  if (rim.edges > 0 && (waits || rim.of_cut_model || (unfinished_line && rim.at_last_face))) {
    const std::string left =
        waits ? fmt::format(" and {} and {} texture coordinates or normals that wait for a face",
                            counted(unused.last, "vertex", "vertices"), parser.waiting_attributes())
              : "";
    throw InvalidInput(fmt::format(
        "{}: line {}: the file ends here with an open surface ({}){}: it seems truncated; if it is whole, {}",
        name, parser.lines(), counted(rim.edges, "open edge"), left,
        waits ? "delete those that no face uses"
              : "close the surface there, or save it as PLY or STL, which say how many faces they have"));
  }
  // If all vertices are used, truncation can only have removed the last few faces and left one small rim. A
  // surface with several or large openings was made that way.
  constexpr std::size_t kMaxCutEdges = 32;
  if (rim.at_last_face && (unused.all > unused.strays || (rim.rims == 1 && rim.edges <= kMaxCutEdges))) {
    report.warnings.push_back(
        fmt::format("{}: line {}: the file may be cut off: the surface is open ({}) where its last "
                    "face lies",
                    name, parser.lines(), counted(rim.edges, "open edge")));
  }
}

}  // namespace

TriangleMesh parse_obj(std::string_view content, const std::string& name, Report& report) {
  ObjParser parser(content, name);
  TriangleMesh mesh = parser.parse();
  if (mesh.triangles.empty()) {
    throw InvalidInput(fmt::format(
        "{}: line {}: the file ends without a face ({} vertices): it seems truncated, or holds no "
        "surface",
        name, parser.lines(), mesh.vertices.size()));
  }
  refuse_if_cut_off(mesh, parser, content.back() != '\n' && content.back() != '\r', name, report);
  warn_of_duplicates(count_duplicates(mesh, parser.looks()), report);
  return mesh;
}

}  // namespace abut::preprocess
