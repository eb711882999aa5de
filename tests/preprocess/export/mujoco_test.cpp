#include <mujoco/mujoco.h>

#include <Eigen/Geometry>
#include <fstream>
#include <memory>

#include "tests/preprocess/cli/command_runner.h"
#include "tests/preprocess/export/simulator_set.h"
#include "tests/preprocess/export/textured_box.h"

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

TEST(MujocoExport, TexturesAndColoursAreSeen) {
  const std::filesystem::path folder = exports().folder / "textured";
  std::filesystem::create_directories(folder / "box");
  std::ofstream(folder / "box" / "box.obj") << textured_box();
  std::ofstream(folder / "box" / "box.mtl") << box_materials("paper.png");
  std::ofstream(folder / "box" / "paper.png", std::ios::binary) << png();
  const std::string assets = (folder / "assets").string(), to = (folder / "mujoco").string();
  ASSERT_EQ(
      command({(folder / "box").string(), assets, "--tets", "none", "--quads", "none", "--scale", "0.001"})
          .code,
      0);
  ASSERT_EQ(command({"export", assets, "--to", "mujoco", "--out", to}).code, 0);
  for (const char* file : {"box/box.xml", "scene.xml"}) {
    const Model model = load(std::filesystem::path(to) / file);
    ASSERT_NE(model, nullptr);
    ASSERT_EQ(model->ntex, 1);
    EXPECT_EQ(model->tex_width[0], 2);
    ASSERT_EQ(model->nmat, 2);
    const int sides = mj_name2id(model.get(), mjOBJ_GEOM, "box_visual_0"),
              lids = mj_name2id(model.get(), mjOBJ_GEOM, "box_visual_1");
    ASSERT_GE(sides, 0);
    ASSERT_GE(lids, 0);
    EXPECT_EQ(model->mat_texid[model->geom_matid[sides]], 0);
    EXPECT_EQ(model->mat_texid[model->geom_matid[lids]], -1);
    EXPECT_EQ(model->mat_rgba[4 * model->geom_matid[lids] + 2], 0.75F);
    EXPECT_GT(model->nmeshtexvert, 0);
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
