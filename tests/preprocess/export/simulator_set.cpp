#include "tests/preprocess/export/simulator_set.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "preprocess/mesh/read.h"
#include "tests/preprocess/cli/command_runner.h"
#include "tests/support/runs.h"

namespace abut::test {
namespace {

__extension__ typedef __float128 Quad;

// Removed when the program ends.
struct Folder {
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "abut_export_XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

Exports make_exports() {
  static const Folder folder;
  const std::string assets = (folder.path / "assets").string();
  const std::filesystem::path real = std::filesystem::path(ABUT_SHARED_DIR) / "data" / "ycb";
  const std::string data = (std::filesystem::exists(real) ? real : folder.path / "household").string();
  if (!std::filesystem::exists(real)) {
    EXPECT_EQ(command({"synthetic", data}).code, 0);
  }
  std::vector<std::string> words = {data, assets, "--tets", "1000", "--quads", "none", "--quiet"};
  if (!full_tier()) words.insert(words.end(), {"--only", "*box", "--only", "*_mug"});
  const CommandResult made = command(words);
  EXPECT_EQ(made.code, 0) << made.err;
  Exports set{folder.path, {}};
  for (const auto& entry : std::filesystem::directory_iterator(assets))
    if (entry.path().extension() == ".h5") set.names.push_back(entry.path().stem().string());
  std::sort(set.names.begin(), set.names.end());
  const std::string table = (folder.path / "masses.csv").string();
  std::ofstream(table) << "object,quantity,value\n"
                       << set.names[0] << ",mass," << kMasses[0] << "\n"
                       << set.names[1] << ",mass," << kMasses[1] << "\n";
  for (const char* simulator : {"mujoco", "drake", "urdf", "meshes"}) {
    const CommandResult result = command(
        {"export", assets, "--to", simulator, "--out", (folder.path / simulator).string(), "--table", table});
    EXPECT_EQ(result.code, 0) << result.err;
  }
  return set;
}

}  // namespace

const Exports& exports() {
  static const Exports set = make_exports();
  return set;
}

preprocess::Inertial exact_inertial(const preprocess::TriangleMesh& mesh, double density, double mass) {
  Quad sums[10] = {};  // of 1, x, y, z, x^2, y^2, z^2, xy, yz, zx
  for (const preprocess::Triangle& t : mesh.triangles) {
    Quad p[3][3], f[3][3], g[3][3];  // p[corner][axis], f[axis][degree - 1], g[axis][corner]
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k) p[c][k] = mesh.vertices[static_cast<std::size_t>(t[c])][k];
    for (int k = 0; k < 3; ++k) {
      const Quad a = p[0][k], b = p[1][k], c = p[2][k];
      f[k][0] = a + b + c;
      f[k][1] = a * a + b * (a + b) + c * f[k][0];
      f[k][2] = a * a * a + b * (a * a + b * (a + b)) + c * f[k][1];
      for (int corner = 0; corner < 3; ++corner)
        g[k][corner] = f[k][1] + p[corner][k] * (f[k][0] + p[corner][k]);
    }
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const Quad d = (p[1][i] - p[0][i]) * (p[2][j] - p[0][j]) - (p[1][j] - p[0][j]) * (p[2][i] - p[0][i]);
      if (k == 0) sums[0] += d * f[0][0] / 6;
      sums[1 + k] += d * f[k][1] / 24;
      sums[4 + k] += d * f[k][2] / 60;
      for (int c = 0; c < 3; ++c) sums[7 + k] += d * p[c][i] * g[k][c] / 120;
    }
  }
  const Quad scale = mass > 0 ? Quad(mass) / sums[0] : Quad(density);
  preprocess::Inertial result;
  result.mass = static_cast<double>(scale * sums[0]);
  Quad center[3];
  for (int k = 0; k < 3; ++k) result.center[k] = static_cast<double>(center[k] = sums[1 + k] / sums[0]);
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    result.inertia(k, k) = static_cast<double>(
        scale * (sums[4 + i] + sums[4 + j] - sums[0] * (center[i] * center[i] + center[j] * center[j])));
    result.inertia(k, i) = result.inertia(i, k) =
        static_cast<double>(-scale * (sums[7 + k] - sums[0] * center[k] * center[i]));
  }
  return result;
}

preprocess::Inertial exact_inertial(const std::string& object) {
  preprocess::Report report;
  const preprocess::TriangleMesh mesh =
      preprocess::read_mesh(exports().folder / "meshes" / object / "surface.obj", 1, report);
  for (int k = 0; k < 2; ++k)
    if (object == exports().names[static_cast<std::size_t>(k)]) return exact_inertial(mesh, 0, kMasses[k]);
  return exact_inertial(mesh, 1000, 0);
}

void expect_exact(const preprocess::Inertial& inertial, const std::string& object) {
  constexpr double kRelative = 1e-9;
  const preprocess::Inertial exact = exact_inertial(object);
  EXPECT_NEAR(inertial.mass, exact.mass, kRelative * exact.mass) << object;
  EXPECT_LT((inertial.center - exact.center).norm(), kRelative * std::max(exact.center.norm(), 1e-2))
      << object;
  EXPECT_LT((inertial.inertia - exact.inertia).cwiseAbs().maxCoeff(), kRelative * exact.inertia.maxCoeff())
      << object << "\n"
      << inertial.inertia << "\n"
      << exact.inertia;
}

}  // namespace abut::test
