// Pressure-field contact of bodies whose cores overlap, with equal moduli: on the plateau where both
// pressures are the core's, nothing but the bodies and the pose decides.
#include <gtest/gtest.h>

#include <map>

#include "preprocess/index/index.h"
#include "preprocess/pressure/volume.h"
#include "runtime/contact/model.h"
#include "runtime/contact/pressure_energy.h"
#include "runtime/distance/surface_distance.h"
#include "tests/runtime/contact/pressure_differences.h"
#include "tests/support/hulls.h"
#include "tests/support/pressure_field_data.h"
#include "tests/support/runs.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using contact::PressureFieldConfig;
using contact::SurfaceSums;
using contact::Want;

constexpr double kModulus = 1e7;  // Pa, the default
constexpr double kArea = 1e-2;    // of a contact surface of such objects, m^2

// Household objects with the field of the pipeline, which has a core.
class PressurePlateau : public testing::Test {
 protected:
  struct Body {
    asset::Asset asset;
    asset::AssetView view;
    std::vector<Vec3<double>> core;  // centres of the tetrahedra of extent 1
  };

  void SetUp() override {
    if (test::read_pressure_field_queries().empty())
      GTEST_SKIP() << "needs the reference data in " << test::pressure_field_folder();
  }

  static const std::vector<Body>& bodies() {
    static const std::vector<Body> made = [] {
      std::vector<Body> result;
      for (const char* name : {"006_mustard_bottle", "011_banana", "003_cracker_box", "035_power_drill"})
        if (Body body = make(name); !body.core.empty()) result.push_back(std::move(body));
      return result;
    }();
    return made;
  }

  // The boundary without the vertices inside.
  static preprocess::TriangleMesh surface_of(const asset::Volume& volume) {
    const preprocess::TriangleMesh all = test::boundary(volume);
    preprocess::TriangleMesh result;
    std::vector<std::int32_t> place(all.vertices.size(), -1);
    for (std::array<std::int32_t, 3> triangle : all.triangles) {
      for (std::int32_t& v : triangle) {
        std::int32_t& to = place[std::size_t(v)];
        if (to < 0) {
          to = static_cast<std::int32_t>(result.vertices.size());
          result.vertices.push_back(all.vertices[std::size_t(v)]);
        }
        v = to;
      }
      result.triangles.push_back(triangle);
    }
    return result;
  }

  static Body make(const char* name) {
    const asset::Asset reference = test::read_reference_volume(name, 1000);
    Body body;
    preprocess::Report report;
    const preprocess::MadeVolume volume =
        preprocess::make_volume(surface_of(reference.volumes.front()), {}, report);
    body.asset.volumes.push_back(preprocess::build_volume(volume.mesh, volume.field));
    body.view = asset::view(body.asset);
    for (const preprocess::Tetrahedron& t : volume.mesh.tetrahedra) {
      Vec3<double> center = Vec3<double>::Zero();
      bool level = true;
      for (const std::int32_t v : t) {
        center += volume.mesh.vertices[std::size_t(v)] / 4;
        level = level && volume.field.extent[std::size_t(v)] == 1;
      }
      if (level) body.core.push_back(center);
    }
    return body;
  }

  // Two bodies, and a pose in which their cores overlap.
  struct Deep {
    const Body *A, *B;
    Pose<double> X_AB;
  };

  Deep deep() {
    const auto any = [&](std::size_t size) { return std::size_t(random_.below(size)); };
    Deep result{&bodies()[any(bodies().size())],
                &bodies()[any(bodies().size())],
                {test::random_rotation(random_), {}}};
    result.X_AB.p = result.A->core[any(result.A->core.size())] -
                    result.X_AB.R * result.B->core[any(result.B->core.size())];
    return result;
  }

  Random random_{61};
};

SurfaceSums<double> ask(const asset::AssetView& A, const asset::AssetView& B, const Pose<double>& X_AB,
                        const Vec6<double>& V, const PressureFieldConfig& config) {
  static contact::PressureFieldWorkspace<double> workspace;
  return contact::contact_surface<double>(A.volume, B.volume, X_AB, V, config, Want::kValue, workspace);
}

// With area times modulus, and a metre, for the scale of wrenches.
double difference(const Vec6<double>& F, const Vec6<double>& G, const SurfaceSums<double>& sums,
                  double modulus = kModulus) {
  return (F - G).norm() / (modulus * sums.area);
}

const test::Law kRest{"rest", 0, 0, false};

TEST_F(PressurePlateau, ExchangedOrShiftedBodiesFeelTheSame) {
  const int poses = test::runs(20);
  for (const test::Law& law : {kRest, test::kLaws[1], test::kLaws[3]}) {
    const PressureFieldConfig config = test::settings(law, kModulus, kModulus);
    double exchanged = 0, shifted = 0, area = 0;
    for (int i = 0; i < poses; ++i) {
      const Deep at = deep();
      const asset::AssetView &A = at.A->view, &B = at.B->view;
      const Vec6<double> V = test::random_twist(random_);
      const SurfaceSums<double> sums = ask(A, B, at.X_AB, V, config);
      ASSERT_GT(sums.polygons, 0);
      const Vec6<double> V_B_in_A = -(adjoint(at.X_AB) * V);
      const SurfaceSums<double> other = ask(B, A, at.X_AB.inverse(), V_B_in_A, config);
      exchanged =
          test::worst_of(exchanged, difference(-shift_wrench(at.X_AB, sums.F_BBo_B), other.F_BBo_B, sums));
      area = test::worst_of(area, std::abs(sums.area - other.area) / sums.area);
      Pose<double> moved = at.X_AB;
      for (int k = 0; k < 3; ++k) moved.p[k] += random_.uniform(-1e-13, 1e-13);
      shifted = test::worst_of(shifted, difference(sums.F_BBo_B, ask(A, B, moved, V, config).F_BBo_B, sums));
    }
    std::printf("%s, %d deep poses: bodies exchanged %.1e (area %.1e), shifted by 1e-13 m %.1e\n", law.name,
                poses, exchanged, area, shifted);
    EXPECT_LT(exchanged, 1e-10);
    EXPECT_LT(area, 1e-10);
    EXPECT_LT(shifted, 1e-10);
  }
}

// Beside a core pressure hardly rises, and in it not at all: what it says of a depth has a bound.
TEST_F(PressurePlateau, NoContactPointIsDeeperThanItsBodies) {
  const auto made = [](const Body& body) {
    asset::Asset whole = body.asset;
    whole.surfaces.push_back(preprocess::build_surface(surface_of(whole.volumes.front())));
    return body::Body{body::Geometry(std::move(whole)), {.modulus = kModulus}};
  };
  const auto deepest = [](const body::Geometry& geometry) {
    double depth = 0;
    const asset::VolumeView& volume = geometry.volume();
    for (std::int32_t v = 0; v < volume.vertex_count; ++v) {
      const Vec3<double> p = Vec3<double>::Map(volume.vertices + 3 * v);
      depth = std::max(depth, -distance::signed_distance<double>(geometry.surface(), p).distance);
    }
    return depth;
  };
  std::map<const Body*, body::Body> whole;
  for (const Body& body : bodies()) whole.emplace(&body, made(body));
  double greatest = 0;
  for (int i = 0; i < 40; ++i) {
    const Deep at = deep();
    const body::Body &A = whole.at(at.A), &B = whole.at(at.B);
    const double bound = deepest(A.geometry) + deepest(B.geometry);
    for (const contact::ContactPoint& point : contact::contact_points("pressure_field", {&A, &B, at.X_AB}, 0))
      greatest = std::max(greatest, -point.gap / bound);
  }
  EXPECT_GT(greatest, 0.5);
  EXPECT_LE(greatest, 1 + 1e-12);
}

// The force, which the model has of its potential, does not jump where moduli become equal.
TEST_F(PressurePlateau, NearlyEqualModuliAreNearlyTheSame) {
  const int poses = test::runs(5);
  for (const double by : {1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8, 1e-6}) {
    double worst = 0;
    for (int i = 0; i < poses; ++i) {
      const Deep at = deep();
      const SurfaceSums<double> equal = ask(at.A->view, at.B->view, at.X_AB, Vec6<double>::Zero(),
                                            test::settings(kRest, kModulus, kModulus));
      for (const double sign : {-1, 1})
        worst =
            test::worst_of(worst, difference(ask(at.A->view, at.B->view, at.X_AB, Vec6<double>::Zero(),
                                                 test::settings(kRest, kModulus, (1 + sign * by) * kModulus))
                                                 .F_BBo_B,
                                             equal.F_BBo_B, equal));
    }
    std::printf("moduli apart by %.0e: wrenches by %.1e\n", by, worst);
    EXPECT_LT(worst, 1e-11 + 4 * by);
  }
}

TEST_F(PressurePlateau, JacobianIsTheWrenchsOwn) {
  const int poses = test::runs(1);
  for (const test::Law& law : {kRest, test::kLaws[3]}) {
    test::Error error;
    for (int i = 0; i < poses; ++i) {
      const Deep at = deep();
      const test::Contact contact{at.A->view, at.B->view, test::settings(law, kModulus, kModulus)};
      const test::Error here = test::error_of(contact, at.X_AB, test::random_twist(random_), 1e-7);
      EXPECT_LE(here.largest, 1e-7) << law.name << ", " << i;
      error.add(here);
    }
    std::printf("%s, %d deep poses: largest error of the Jacobian %.1e, %d columns at kinks\n", law.name,
                poses, error.largest, error.kinks);
  }
}

TEST_F(PressurePlateau, WrenchIsTheGradientOfTheEnergy) {
  double worst = 0;
  const int poses = test::runs(1, 10);
  for (int i = 0; i < poses; ++i) {
    const Deep at = deep();
    const PressureFieldConfig config = test::settings(kRest, kModulus, kModulus);
    const SurfaceSums<double> sums = ask(at.A->view, at.B->view, at.X_AB, Vec6<double>::Zero(), config);
    const auto energy = [&](long double h, int k) {
      Vec6<long double> xi = Vec6<long double>::Zero();
      xi[k] = h;
      return contact::pressure_energy<long double>(at.A->view.volume, at.B->view.volume,
                                                   Pose<long double>(at.X_AB.cast<long double>() * exp(xi)),
                                                   config);
    };
    Vec6<double> expected;
    const long double h = 1e-8L;
    for (int k = 0; k < 6; ++k)
      expected[k] = static_cast<double>(
          -(8 * (energy(h, k) - energy(-h, k)) - (energy(2 * h, k) - energy(-2 * h, k))) / (12 * h));
    worst = test::worst_of(worst, difference(sums.F_BBo_B, expected, sums));
  }
  std::printf("%d deep poses: wrench and energy's gradient differ by %.1e\n", poses, worst);
  EXPECT_LT(worst, 1e-9);
}

// A body in its own copy: exactly, where pressures are the same all over, and nearly, where the plane of
// equal pressure is what the shift says.
TEST_F(PressurePlateau, ABodyInItsOwnCopy) {
  for (const Body& body : bodies()) {
    for (const test::Law& law : {kRest, test::kLaws[3]}) {
      const PressureFieldConfig config = test::settings(law, kModulus, kModulus);
      const Vec6<double> V = test::random_twist(random_);
      EXPECT_LT(ask(body.view, body.view, {}, V, config).F_BBo_B.norm(), 1e-10 * kModulus * kArea)
          << law.name;
      for (const double by : {1e-6, 1e-4, 1e-3}) {
        const Pose<double> X_AB{exp_rotation<double>({by, -2 * by, by}), {by, by / 2, -by}};
        const SurfaceSums<double> sums = ask(body.view, body.view, X_AB, V, config);
        const SurfaceSums<double> other =
            ask(body.view, body.view, X_AB.inverse(), -(adjoint(X_AB) * V), config);
        EXPECT_LT(difference(-shift_wrench(X_AB, sums.F_BBo_B), other.F_BBo_B, sums), 1e-10 + 1e-14 / by);
      }
    }
  }
}

}  // namespace
