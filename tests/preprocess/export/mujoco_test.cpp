#include <mujoco/mujoco.h>

#include <Eigen/Geometry>
#include <memory>

#include "tests/preprocess/export/simulator_set.h"

// What MuJoCo makes of the exported models.
namespace {

using namespace abut::test;

using Model = std::unique_ptr<mjModel, decltype(&mj_deleteModel)>;
using Data = std::unique_ptr<mjData, decltype(&mj_deleteData)>;

Model load(const std::filesystem::path& file) {
  char error[1000] = "";
  Model model(mj_loadXML(file.c_str(), nullptr, error, sizeof error), mj_deleteModel);
  EXPECT_NE(model, nullptr) << file << ": " << error;
  return model;
}

TEST(MujocoExport, EveryObjectLoadsWithItsExactInertia) {
  for (const std::string& name : exports().names) {
    const Model model = load(exports().folder / "mujoco" / name / (name + ".xml"));
    ASSERT_NE(model, nullptr);
    const int body = mj_name2id(model.get(), mjOBJ_BODY, name.c_str());
    ASSERT_GE(body, 1) << name;
    EXPECT_GE(mj_name2id(model.get(), mjOBJ_GEOM, (name + "_convex_0").c_str()), 0) << name;
    const Eigen::Quaterniond q(model->body_iquat[4 * body], model->body_iquat[4 * body + 1],
                               model->body_iquat[4 * body + 2], model->body_iquat[4 * body + 3]);
    const Eigen::Matrix3d R = q.toRotationMatrix();
    expect_exact({model->body_mass[body], Eigen::Vector3d::Map(model->body_ipos + 3 * body),
                  R * Eigen::Vector3d::Map(model->body_inertia + 3 * body).asDiagonal() * R.transpose()},
                 name);
  }
}

// MuJoCo holds a mesh on a plane by few points, which change: what stands trembles.
TEST(MujocoExport, TheSceneOfAllObjectsFallsAndComesToRestOnThePlane) {
  constexpr double kMoved = 5e-4;                     // m in a second
  constexpr double kTurned = std::numbers::pi / 180;  // rad in a second
  const Model model = load(exports().folder / "mujoco" / "scene.xml");
  ASSERT_NE(model, nullptr);
  ASSERT_EQ(model->nbody, static_cast<int>(exports().names.size()) + 1);
  const Data data(mj_makeData(model.get()), mj_deleteData);
  while (data->time < 4) mj_step(model.get(), data.get());
  const std::vector<double> before(data->qpos, data->qpos + model->nq);
  while (data->time < 5) mj_step(model.get(), data.get());
  int at_rest = 0;
  for (int body = 1; body < model->nbody; ++body) {
    const double *q = data->qpos + 7 * (body - 1), *q0 = before.data() + 7 * (body - 1);
    const double moved = (Eigen::Vector3d::Map(q) - Eigen::Vector3d::Map(q0)).norm();
    const double turned = Eigen::Quaterniond(q[3], q[4], q[5], q[6])
                              .angularDistance(Eigen::Quaterniond(q0[3], q0[4], q0[5], q0[6]));
    EXPECT_LT(std::abs(data->qvel[6 * (body - 1) + 2]), 0.02) << mj_id2name(model.get(), mjOBJ_BODY, body);
    EXPECT_LT(std::abs(q[2]), 0.3) << mj_id2name(model.get(), mjOBJ_BODY, body);
    at_rest += moved < kMoved && turned < kTurned;
  }
  EXPECT_GE(at_rest, std::min(12, model->nbody - 2));
  EXPECT_EQ(data->warning[mjWARN_BADQACC].number, 0);
}

}  // namespace
