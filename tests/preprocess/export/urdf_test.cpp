#include <urdf_parser/urdf_parser.h>

#include "runtime/dynamics/tree/urdf.h"
#include "tests/preprocess/export/simulator_set.h"

// Exported URDF files, read by urdfdom and by the runtime.
namespace {

using namespace abut;
using namespace abut::test;

TEST(UrdfExport, EveryObjectIsReadWithItsExactInertia) {
  for (const std::string& name : exports().names) {
    const std::filesystem::path file = exports().folder / "urdf" / name / (name + ".urdf");
    const urdf::ModelInterfaceSharedPtr model = urdf::parseURDFFile(file);
    ASSERT_NE(model, nullptr) << name;
    EXPECT_EQ(model->getName(), name);
    const urdf::Inertial& read = *model->getRoot()->inertial;
    Eigen::Matrix3d inertia;
    inertia << read.ixx, read.ixy, read.ixz, read.ixy, read.iyy, read.iyz, read.ixz, read.iyz, read.izz;
    const urdf::Vector3& center = read.origin.position;
    expect_exact({read.mass, {center.x, center.y, center.z}, inertia}, name);

    const dynamics::Robot robot = dynamics::read_urdf(file, dynamics::JointType::kFree);
    ASSERT_EQ(robot.links.size(), 1U);
    EXPECT_TRUE(robot.warnings.empty()) << robot.warnings.front();
    EXPECT_GE(robot.collisions.size(), 1U);
    const dynamics::LinkInertia& ours = robot.links[0].inertia;
    expect_exact({ours.mass, ours.p_LLcm, ours.I_LLcm_L}, name);
  }
}

}  // namespace
