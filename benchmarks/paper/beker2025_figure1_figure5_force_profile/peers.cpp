#include "benchmarks/paper/beker2025_figure1_figure5_force_profile/peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#ifdef ABUT_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif
#ifdef ABUT_HAVE_BULLET
#include <btBulletDynamicsCommon.h>
#endif

namespace abut::beker2025 {

double mujoco_force(const Balls& balls, double depth) {
  if (!(depth > 0)) return 0;
  constexpr double kLeast = 0.9, kMax = 0.95, kWidth = 0.001;  // solimp
  constexpr double kTime = 0.02;                               // solref, damping ratio 1
  const double x = std::min(depth / kWidth, 1.0);
  const double share = x < 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
  const double impedance = kLeast + share * (kMax - kLeast);
  const double stiffness = 1 / (kMax * kMax * kTime * kTime);
  return balls.mass * stiffness * impedance * impedance * depth;
}

namespace {

constexpr double kStep = 1.0 / 60, kCorrection = 0.2;  // Bullet's

#ifdef ABUT_HAVE_MUJOCO
class MuJoCo final : public Peer {
 public:
  explicit MuJoCo(const Balls& balls) {
    const std::string text = fmt::format(
        "<mujoco><option gravity='0 0 0'/><worldbody><geom type='sphere' size='{}' condim='1'/><body>"
        "<freejoint/><geom type='sphere' size='{}' mass='{}' condim='1'/></body></worldbody></mujoco>",
        balls.fixed_radius, balls.free_radius, balls.mass);
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "balls.xml", static_cast<int>(text.size()));
    std::copy(text.begin(), text.end(), static_cast<char*>(files->filedata[0]));
    char error[1000] = "";
    model_.reset(mj_loadXML("balls.xml", files.get(), error, sizeof error));
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(error);
    data_.reset(mj_makeData(model_.get()));
  }
  Vec3<double> force(const Vec3<double>& p) override {
    mj_resetData(model_.get(), data_.get());
    for (int k = 0; k < 3; ++k) data_->qpos[k] = p[k];
    mj_forward(model_.get(), data_.get());
    return Vec3<double>::Map(data_->qfrc_constraint);
  }

 private:
  struct Delete {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
};
#endif

#ifdef ABUT_HAVE_BULLET
class Bullet final : public Peer {
 public:
  explicit Bullet(const Balls& balls) : balls_(balls) {}
  // A world of its own for each question: nothing is kept from step to step.
  Vec3<double> force(const Vec3<double>& p) override {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity({0, 0, 0});
    world.getSolverInfo().m_splitImpulse = 0;
    btSphereShape fixed_shape(static_cast<btScalar>(balls_.fixed_radius)),
        free_shape(static_cast<btScalar>(balls_.free_radius));
    btRigidBody fixed(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &fixed_shape));
    btVector3 inertia;
    free_shape.calculateLocalInertia(static_cast<btScalar>(balls_.mass), inertia);
    btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(balls_.mass), nullptr, &free_shape,
                                                  inertia);
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(
        {static_cast<btScalar>(p.x()), static_cast<btScalar>(p.y()), static_cast<btScalar>(p.z())});
    btRigidBody moving(info);
    world.addRigidBody(&fixed);
    world.addRigidBody(&moving);
    world.stepSimulation(static_cast<btScalar>(kStep), 0, static_cast<btScalar>(kStep));
    const btVector3 v = moving.getLinearVelocity();
    world.removeRigidBody(&moving);
    world.removeRigidBody(&fixed);
    return balls_.mass / kStep * Vec3<double>(double(v.x()), double(v.y()), double(v.z()));
  }

 private:
  Balls balls_;
};
#endif

}  // namespace

double bullet_force(const Balls& balls, double depth) {
  return depth > 0 ? balls.mass * kCorrection * depth / (kStep * kStep) : 0;
}

#ifdef ABUT_HAVE_MUJOCO
std::unique_ptr<Peer> make_mujoco(const Balls& balls) { return std::make_unique<MuJoCo>(balls); }
#else
std::unique_ptr<Peer> make_mujoco(const Balls&) { return nullptr; }
#endif
#ifdef ABUT_HAVE_BULLET
std::unique_ptr<Peer> make_bullet(const Balls& balls) { return std::make_unique<Bullet>(balls); }
#else
std::unique_ptr<Peer> make_bullet(const Balls&) { return nullptr; }
#endif

}  // namespace abut::beker2025
