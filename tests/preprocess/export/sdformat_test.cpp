#include <sdf/sdf.hh>

#include <map>

#include "preprocess/pressure/import.h"
#include "tests/preprocess/export/simulator_set.h"

// Exported SDFormat files, read by libsdformat, and the volumes beside them.
namespace {

using namespace abut;
using namespace abut::test;

TEST(DrakeExport, EveryObjectIsReadWithItsExactInertiaAndItsCollisionIsCompliant) {
  for (const std::string& name : exports().names) {
    sdf::Root root;
    const sdf::Errors errors = root.Load((exports().folder / "drake" / name / (name + ".sdf")).string());
    ASSERT_TRUE(errors.empty()) << name << ": " << errors.front().Message();
    const sdf::Link* link = root.Model()->LinkByIndex(0);
    EXPECT_EQ(root.Model()->Name(), name);
    const auto& inertial = link->Inertial();
    Eigen::Matrix3d inertia;
    Eigen::Vector3d center;
    for (int i = 0; i < 3; ++i) {
      center[i] = inertial.Pose().Pos()[static_cast<std::size_t>(i)];
      for (int j = 0; j < 3; ++j)
        inertia(i, j) = inertial.MassMatrix().Moi()(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    }
    expect_exact({inertial.MassMatrix().Mass(), center, inertia}, name);
    const sdf::Collision* collision = link->CollisionByIndex(0);
    ASSERT_NE(collision, nullptr);
    EXPECT_EQ(collision->Geom()->MeshShape()->Uri(), "volume.vtk");
    const sdf::ElementPtr properties = collision->Element()->GetElement("drake:proximity_properties");
    EXPECT_TRUE(properties->HasElement("drake:compliant_hydroelastic"));
    EXPECT_EQ(properties->Get<double>("drake:hydroelastic_modulus"), 1e7);
  }
}

}  // namespace
