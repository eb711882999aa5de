// [Elandt2019, Fig. 2], on a real object: a rigid ball pressed into the wall of the mug. Writes figure2.svg
// (the mug, and the contact surface coloured by its pressure) and figure2.csv (centre, normal, pressure, area
// of each face).
//   elandt2019_figure2_field [FOLDER]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "benchmarks/paper/elandt2019/bodies.h"
#include "benchmarks/support/data.h"
#include "runtime/contact/contact_mesh.h"
#include "tests/support/pressure_field_data.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;

// Parallel projection onto a page, far to near.
class Picture {
 public:
  explicit Picture(const Mat3<double>& R_PW) : R_PW_(R_PW) {}

  void add(const std::vector<Vec3<double>>& corners, const std::string& colour, double nearer = 0) {
    Patch patch{{}, colour, nearer};
    for (const Vec3<double>& x : corners) {
      const Vec3<double> p = R_PW_ * x;
      patch.depth += p.z() / static_cast<double>(corners.size());
      patch.path += fmt::format("{:.2f},{:.2f} ", 4000 * p.x(), -4000 * p.y());
      low_ = low_.cwiseMin(4000 * Eigen::Vector2d(p.x(), -p.y()));
      high_ = high_.cwiseMax(4000 * Eigen::Vector2d(p.x(), -p.y()));
    }
    patches_.push_back(patch);
  }

  std::string svg() {
    std::stable_sort(patches_.begin(), patches_.end(),
                     [](const Patch& a, const Patch& b) { return a.depth < b.depth; });
    const Eigen::Vector2d size = high_ - low_;
    std::string text = fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='{:.0f} {:.0f} {:.0f} {:.0f}' width='800'>\n",
        low_.x() - 10, low_.y() - 10, size.x() + 20, size.y() + 20);
    for (const Patch& p : patches_)
      text += fmt::format("<polygon points='{}' fill='{}' stroke='{}' stroke-width='0.5'/>\n", p.path,
                          p.colour, p.colour);
    return text + "</svg>\n";
  }

 private:
  struct Patch {
    std::string path, colour;
    double depth = 0;
  };
  Mat3<double> R_PW_;
  std::vector<Patch> patches_;
  Eigen::Vector2d low_{1e300, 1e300}, high_{-1e300, -1e300};
};

std::string grey(double light) {
  const int g = static_cast<int>(90 + 140 * std::clamp(light, 0.0, 1.0));
  return fmt::format("rgb({},{},{})", g, g, g);
}

std::string heat(double share) {
  const double s = std::clamp(share, 0.0, 1.0);
  return fmt::format("rgb({},{},{})", static_cast<int>(255 * std::min(1.0, 0.3 + s)),
                     static_cast<int>(220 * s * s), static_cast<int>(150 * (1 - s)));
}

}  // namespace

int main(int argc, char** argv) try {
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  benchmarks::require_reference("pressure_field");
  const body::Body mug{body::Geometry(test::read_reference_volume("025_mug", 3000))},
      ball{body::Geometry(elandt2019::rigid(elandt2019::sphere(0.03, 4))), {.modulus = body::kRigid}};
  const asset::VolumeView& volume = mug.geometry.volume();
  const asset::SurfaceView& surface = mug.geometry.surface();
  // From the side of -x at half height, 3 mm deep.
  double bottom = 1e300, top = -1e300;
  for (std::int32_t v = 0; v < volume.vertex_count; ++v) {
    bottom = std::min(bottom, volume.vertices[3 * v + 2]);
    top = std::max(top, volume.vertices[3 * v + 2]);
  }
  Vec3<double> side = Vec3<double>::Constant(1e300);
  for (std::int32_t v = 0; v < volume.vertex_count; ++v) {
    const Vec3<double> p = Vec3<double>::Map(volume.vertices + 3 * v);
    if (std::abs(p.z() - (bottom + top) / 2) < 0.01 && p.x() < side.x()) side = p;
  }
  const Pose<double> X_AB{Mat3<double>::Identity(), side - Vec3<double>(0.03 - 0.003, 0, 0)};
  const contact::ContactMesh mesh = contact::contact_mesh({&mug, &ball, X_AB});
  double largest = 0;
  for (const double p : mesh.pressures) largest = test::worst_of(largest, p);

  std::ofstream csv(folder / "figure2.csv");
  csv << elandt2019::csv_header("x,y,z,nx,ny,nz,pressure,area");
  const Eigen::Quaterniond view =
      Eigen::AngleAxisd(-1.1, Vec3<double>::UnitX()) * Eigen::AngleAxisd(0.9, Vec3<double>::UnitZ());
  Picture picture(view.toRotationMatrix());
  for (std::int32_t t = 0; t < surface.triangle_count; ++t) {
    std::vector<Vec3<double>> corners;
    for (int k = 0; k < 3; ++k)
      corners.emplace_back(Vec3<double>::Map(surface.vertices + 3 * surface.triangles[3 * t + k]));
    const Vec3<double> n = view * (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
    if (n.z() > 0) picture.add(corners, grey(n.z()));
  }
  for (const contact::ContactFace& face : contact::triangulated(mesh).faces) {
    const Vec3<double> x = X_AB * face.centroid;
    csv << fmt::format("{:.6g},{:.6g},{:.6g},{:.4f},{:.4f},{:.4f},{:.6g},{:.6g}\n", x.x(), x.y(), x.z(),
                       face.n.x(), face.n.y(), face.n.z(), face.pressure, face.area);
  }
  for (const contact::ContactFace& face : mesh.faces) {
    std::vector<Vec3<double>> corners;
    for (std::int32_t i = 0; i < face.count; ++i)
      corners.emplace_back(X_AB * mesh.corners[static_cast<std::size_t>(face.first + i)]);
    picture.add(corners, heat(face.pressure / largest), 1.0);
  }
  std::ofstream(folder / "figure2.svg") << picture.svg();
  fmt::print(stderr, "{} faces, largest pressure {:.3g} Pa\n", mesh.faces.size(), largest);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "elandt2019_figure2_field: error: {}\n", error.what());
  return 1;
}
