// The force of pressure-field contact and its Jacobian: a small ball pressed into an object from above, and
// Newton's method on its height until it carries a weight of 2 N.
//   wrench_jacobian OBJECT.h5
#include <cmath>
#include <cstdio>
#include <exception>

#include <abut/asset/reader.h>
#include <abut/contact/model.h>

using namespace abut;

int main(int argc, char** argv) try {
  if (argc != 2) throw InvalidInput("usage: wrench_jacobian OBJECT.h5");
  constexpr double kRadius = 0.02, kWeight = 2;  // m, N
  const body::Body object{body::Geometry(asset::load(argv[1])), {.modulus = 1e6}};
  const body::Body ball{body::Geometry(body::Sphere<double>{kRadius}), {.modulus = body::kRigid}};
  const auto model = contact::make_model("pressure_field");

  // Down along z above the highest point of the surface until it is 1 mm deep.
  const asset::SurfaceView& surface = object.geometry.surface();
  Vec3<double> top = Vec3<double>::Map(surface.vertices);
  for (int v = 1; v < surface.vertex_count; ++v)
    if (surface.vertices[3 * v + 2] > top.z()) top = Vec3<double>::Map(surface.vertices + 3 * v);
  body::Pair pair{&object, &ball, {}};
  pair.X_AB.p = top + Vec3<double>(0, 0, kRadius - 1e-3);

  for (int k = 0; k < 30; ++k) {
    const contact::PairWrench wrench = model->wrench(pair);
    const double force = wrench.F_BBo_B[5], slope = wrench.dF_dxi_B(5, 5);  // N, N/m: z of f by z of v
    std::printf("depth %.4f mm: force %.6f N, stiffness %.1f N/m, %s\n",
                1e3 * (top.z() + kRadius - pair.X_AB.p.z()), force, -slope, to_string(wrench.status).data());
    if (std::abs(force - kWeight) < 1e-9) return 0;
    if (!(slope < 0)) throw InvalidInput("they do not touch here");
    pair.X_AB.p.z() += std::clamp((kWeight - force) / slope, -1e-3, 1e-3);
  }
  throw InvalidInput("no equilibrium after 30 steps");
} catch (const std::exception& error) {
  std::fprintf(stderr, "wrench_jacobian: %s\n", error.what());
  return 1;
}
