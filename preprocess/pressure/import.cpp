#include "preprocess/pressure/import.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "preprocess/index/index.h"
#include "runtime/asset/container.h"
#include "runtime/core/error.h"

namespace abut::preprocess {
namespace {

constexpr int kTetrahedronType = 10;          // of VTK's cells
constexpr double kZeroOnTheSurface = 1e-9;    // of the largest pressure
constexpr double kLeastVolume = 1e-14;        // of the cube of the longest edge
constexpr std::int64_t kMostItems = 1 << 28;  // points or numbers of cells

// The words of a legacy VTK file, one after the other.
class Words {
 public:
  Words(std::string text, std::string file) : text_(std::move(text)), file_(std::move(file)) {}

  [[noreturn]] void refuse(const std::string& what) const { throw InvalidInput(file_ + ": " + what); }

  std::string line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string result = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    return result;
  }

  // Empty at the end.
  std::string_view next() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n", at_), text_.size());
    const std::string_view word(text_.data() + at_, end - at_);
    at_ = end;
    return word;
  }

  template <class Number>
  Number number(const char* what) {
    const std::string_view word = next();
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty()) refuse(fmt::format("it ends where {} should come; is it cut off?", what));
    if (error != std::errc() || end != word.data() + word.size())
      refuse(fmt::format("'{}' where {} should come", word, what));
    return value;
  }

  std::int64_t count(const char* what) {
    const auto n = number<std::int64_t>(what);
    if (n < 0 || n > kMostItems) refuse(fmt::format("{} {}", n, what));
    return n;
  }

 private:
  std::string text_;
  std::string file_;
  std::size_t at_ = 0;
};

// The sections of a file, in whatever order they come.
class Reader {
 public:
  explicit Reader(Words& words) : words_(words) {}

  void read() {
    if (!words_.line().starts_with("# vtk DataFile"))
      words_.refuse("not a legacy VTK file; save it as one, in ASCII");
    (void)words_.line();
    if (words_.next() != "ASCII") words_.refuse("not in ASCII; save it so");
    if (words_.next() != "DATASET" || words_.next() != "UNSTRUCTURED_GRID")
      words_.refuse("not an unstructured grid");
    for (std::string_view word = words_.next(); !word.empty(); word = words_.next()) section(word);
    if (vertices.empty() || cells_.empty()) words_.refuse("it has no points or no cells; is it cut off?");
    if (pressures.empty())
      words_.refuse("it has no scalar `pressure` per point (POINT_DATA, SCALARS pressure double 1)");
    to_tetrahedra();
  }

  std::vector<Eigen::Vector3d> vertices;
  std::vector<double> pressures;
  std::vector<Tetrahedron> tetrahedra;

 private:
  void section(std::string_view word) {
    if (word == "POINTS") {
      vertices.resize(static_cast<std::size_t>(words_.count("points")));
      (void)words_.next();
      for (Eigen::Vector3d& v : vertices)
        for (int k = 0; k < 3; ++k) v[k] = words_.number<double>("a coordinate");
    } else if (word == "CELLS") {
      cells();
    } else if (word == "CELL_TYPES") {
      types_.resize(static_cast<std::size_t>(words_.count("cell types")));
      for (int& type : types_) type = words_.number<int>("a cell type");
    } else if (word == "POINT_DATA") {
      of_points_ = words_.count("points with data") == static_cast<std::int64_t>(vertices.size());
    } else if (word == "CELL_DATA") {
      of_points_ = false;
    } else if (word == "SCALARS" && of_points_) {
      if (words_.next() != "pressure") return;  // its numbers are skipped as words
      (void)words_.next();
      std::string_view table = words_.next();
      if (table != "LOOKUP_TABLE") {
        if (table != "1") words_.refuse("the pressure has more than one component");
        table = words_.next();
      }
      if (table != "LOOKUP_TABLE") words_.refuse("no LOOKUP_TABLE after SCALARS pressure");
      (void)words_.next();
      scalars();
    } else if (word == "pressure" && of_points_ && pressures.empty()) {  // an array of a FIELD
      if (words_.count("components") != 1) words_.refuse("the pressure has more than one component");
      if (words_.count("values") != static_cast<std::int64_t>(vertices.size()))
        words_.refuse("there is not one pressure per point");
      (void)words_.next();
      scalars();
    }
  }

  void scalars() {
    pressures.resize(vertices.size());
    for (double& p : pressures) p = words_.number<double>("a pressure");
  }

  // "CELLS n size" and rows of counts and indices, or offsets and indices apart (since 5.0).
  void cells() {
    const std::int64_t rows = words_.count("cells"), size = words_.count("numbers of cells");
    const std::string_view word = words_.next();
    if (word != "OFFSETS") {
      std::int64_t corners = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), corners);
      if (error != std::errc()) words_.refuse("no cells after CELLS");
      for (std::int64_t i = 0; i < rows; ++i) {
        if (i > 0) corners = words_.number<std::int64_t>("a cell's number of corners");
        row(i, corners);
      }
      return;
    }
    (void)words_.next();
    for (std::int64_t i = 0; i < rows; ++i)
      if (words_.number<std::int64_t>("an offset") != 4 * i)
        words_.refuse(fmt::format("cell {} is no tetrahedron", i > 0 ? i - 1 : 0));
    if (words_.next() != "CONNECTIVITY") words_.refuse("no CONNECTIVITY after the offsets");
    (void)words_.next();
    for (std::int64_t i = 0; 4 * i < size; ++i) row(i, 4);
  }

  void row(std::int64_t i, std::int64_t corners) {
    if (corners != 4) words_.refuse(fmt::format("cell {} has {} corners, not 4", i, corners));
    for (int k = 0; k < 4; ++k) cells_.push_back(words_.number<std::int64_t>("an index"));
  }

  void to_tetrahedra() {
    const auto points = static_cast<std::int64_t>(vertices.size());
    tetrahedra.resize(cells_.size() / 4);
    for (std::size_t i = 0; i < types_.size(); ++i)
      if (types_[i] != kTetrahedronType) words_.refuse(fmt::format("cell {} is no tetrahedron", i));
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (cells_[i] < 0 || cells_[i] >= points)
        words_.refuse(fmt::format("cell {} has point {} of {}", i / 4, cells_[i], points));
      tetrahedra[i / 4][i % 4] = static_cast<std::int32_t>(cells_[i]);
    }
  }

  Words& words_;
  std::vector<std::int64_t> cells_;
  std::vector<int> types_;
  bool of_points_ = false;
};

void check_shapes(const TetrahedralMesh& mesh, const Words& words) {
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    if (!mesh.vertices[v].allFinite()) words.refuse(fmt::format("point {} is not finite", v));
  std::vector<char> used(mesh.vertices.size(), 0);
  for (const Tetrahedron& t : mesh.tetrahedra)
    for (const std::int32_t v : t) used[static_cast<std::size_t>(v)] = 1;
  if (const auto spare = std::find(used.begin(), used.end(), 0); spare != used.end())
    words.refuse(fmt::format("point {} is in no tetrahedron; remove it", spare - used.begin()));
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    Eigen::Vector3d p[4];
    for (std::size_t k = 0; k < 4; ++k) p[k] = mesh.vertices[mesh.tetrahedra[t][k]];
    double longest = 0;
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < a; ++b) longest = std::max(longest, (p[a] - p[b]).norm());
    const double volume = six_volumes(p[0], p[1], p[2], p[3]) / 6;
    if (!(std::abs(volume) > kLeastVolume * longest * longest * longest))
      words.refuse(fmt::format("tetrahedron {} has no volume; remove or mend it", t));
    if (volume < 0)
      words.refuse(
          fmt::format("tetrahedron {} has the volume {:.3g} m3; exchange two of its corners", t, volume));
  }
}

// The faces that only one tetrahedron has, from outside.
std::vector<Triangle> boundary_of(const TetrahedralMesh& mesh, const Words& words) {
  std::map<std::array<std::int32_t, 3>, std::pair<int, Triangle>> faces;
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t)
    for (const auto& f : kFaces) {
      const Tetrahedron& tet = mesh.tetrahedra[t];
      const Triangle outside = {tet[f[0]], tet[f[2]], tet[f[1]]};
      std::array<std::int32_t, 3> key = {outside[0], outside[1], outside[2]};
      std::sort(key.begin(), key.end());
      const auto [at, fresh] = faces.try_emplace(key, 1, outside);
      if (!fresh && ++at->second.first > 2)
        words.refuse(fmt::format("tetrahedron {} shares a face with two others", t));
    }
  std::vector<Triangle> result;
  for (const auto& [key, face] : faces)
    if (face.first == 1) result.push_back(face.second);
  return result;
}

// From pressures to extents.
double normalize(std::vector<double>& pressures, const std::vector<Triangle>& boundary, const Words& words) {
  double largest = 0;
  for (std::size_t v = 0; v < pressures.size(); ++v) {
    if (!std::isfinite(pressures[v]) || pressures[v] < 0)
      words.refuse(fmt::format("the pressure at point {} is {}; it must be 0 or more", v, pressures[v]));
    largest = std::max(largest, pressures[v]);
  }
  if (!(largest > 0)) words.refuse("the pressure is zero all over; give the inner points one");
  for (const Triangle& triangle : boundary)
    for (const std::int32_t v : triangle) {
      double& p = pressures[static_cast<std::size_t>(v)];
      if (p > kZeroOnTheSurface * largest)
        words.refuse(
            fmt::format("the pressure at point {}, on the surface, is {:.3g}; it must be 0 there", v, p));
      p = 0;
    }
  for (double& p : pressures) p /= largest;
  return largest;
}

}  // namespace

ImportedVolume read_volume(const std::filesystem::path& file) {
  const std::vector<std::byte> bytes = asset::read_file(file);
  Words words({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file.string());
  Reader reader(words);
  reader.read();
  ImportedVolume result;
  result.mesh.vertices = std::move(reader.vertices);
  result.mesh.tetrahedra = std::move(reader.tetrahedra);
  check_shapes(result.mesh, words);
  result.extent = std::move(reader.pressures);
  result.largest_pressure = normalize(result.extent, boundary_of(result.mesh, words), words);
  return result;
}

asset::Asset import_volume(const std::filesystem::path& file) {
  const ImportedVolume volume = read_volume(file);
  const Words words({}, file.string());
  TriangleMesh boundary;
  boundary.vertices = volume.mesh.vertices;
  boundary.triangles = boundary_of(volume.mesh, words);
  asset::Asset result;
  result.name = file.stem().string();
  try {
    result.surfaces.push_back(build_surface(boundary));
    result.mass = mass_properties(boundary);
    result.convex.push_back(build_convex_piece(boundary.vertices));
  } catch (const InvalidInput& error) {
    words.refuse(std::string("its boundary: ") + error.what());
  }
  result.volumes.push_back(build_volume(volume.mesh, with_gradients(volume.mesh, volume.extent)));
  result.provenance.measures["import_largest_pressure"] = volume.largest_pressure;
  return result;
}

}  // namespace abut::preprocess
