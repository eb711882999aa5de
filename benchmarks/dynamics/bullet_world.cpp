#include "benchmarks/dynamics/bullet_world.h"

#include <btBulletDynamicsCommon.h>

#include "runtime/core/error.h"

namespace abut::benchmarks {
namespace {

btVector3 vector(const Vec3<double>& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}

btTransform transform(const Pose<double>& X) {
  const Eigen::Quaterniond q(X.R);
  return btTransform(btQuaternion(static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()),
                                  static_cast<btScalar>(q.z()), static_cast<btScalar>(q.w())),
                     vector(X.p));
}

}  // namespace

struct BulletWorld::Parts {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btDefaultMotionState>> states;
  std::vector<std::unique_ptr<btRigidBody>> bodies;  // fixed ones first
  std::size_t fixed = 0;

  btCollisionShape* make(const dynamics::Shape& shape) {
    const body::Primitive* primitive = shape.geometry.primitive();
    if (primitive == nullptr) throw InvalidInput("Bullet: scenes with assets are not compared");
    if (const auto* box = std::get_if<body::Box<double>>(primitive)) {
      shapes.push_back(std::make_unique<btBoxShape>(vector(box->half)));
    } else if (const auto* cylinder = std::get_if<body::Cylinder<double>>(primitive)) {
      const Vec3<double> half(cylinder->radius, cylinder->radius, cylinder->half_length);
      shapes.push_back(std::make_unique<btCylinderShapeZ>(vector(half)));
    } else if (const auto* sphere = std::get_if<body::Sphere<double>>(primitive)) {
      shapes.push_back(std::make_unique<btSphereShape>(static_cast<btScalar>(sphere->radius)));
    } else if (std::holds_alternative<body::HalfSpace<double>>(*primitive)) {
      shapes.push_back(std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0)));
    } else {
      throw InvalidInput("Bullet: scenes with a " + shape.geometry.name() + " are not compared");
    }
    return shapes.back().get();
  }

  void add(const Pose<double>& X_WB, btCollisionShape* shape, double mass, const Vec3<double>& inertia,
           const body::Material& material) {
    states.push_back(std::make_unique<btDefaultMotionState>(transform(X_WB)));
    btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(mass), states.back().get(), shape,
                                                  vector(inertia));
    // Bullet multiplies the two bodies' coefficients.
    info.m_friction = static_cast<btScalar>(std::sqrt(material.friction));
    info.m_restitution = static_cast<btScalar>(std::sqrt(material.restitution));
    bodies.push_back(std::make_unique<btRigidBody>(info));
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);  // nor do we let anything sleep
    world.addRigidBody(bodies.back().get());
  }
};

BulletWorld::BulletWorld(const dynamics::Scene& scene) : parts_(std::make_unique<Parts>()) {
  parts_->world.setGravity(vector(scene.gravity));
  for (const dynamics::Shape& shape : scene.fixed)
    parts_->add(shape.X_BS, parts_->make(shape), 0, Vec3<double>::Zero(), shape.material);
  parts_->fixed = scene.fixed.size();
  for (const dynamics::Body& body : scene.bodies) {
    auto compound = std::make_unique<btCompoundShape>();
    for (const dynamics::Shape& shape : body.shapes)
      compound->addChildShape(transform(shape.X_BS), parts_->make(shape));
    const auto& q = body.q_WB;
    parts_->add({rotation_from_quaternion(q[0], q[1], q[2], q[3]), body.p_WB}, compound.get(), body.mass,
                body.inertia, body.shapes[0].material);
    parts_->bodies.back()->setLinearVelocity(vector(body.v_WB));
    parts_->bodies.back()->setAngularVelocity(vector(body.w_WB_W));
    parts_->shapes.push_back(std::move(compound));
  }
}

BulletWorld::~BulletWorld() {
  for (const auto& body : parts_->bodies) parts_->world.removeRigidBody(body.get());
}

void BulletWorld::step(double dt) { parts_->world.stepSimulation(static_cast<btScalar>(dt), 0); }

std::vector<Pose<double>> BulletWorld::poses() const {
  std::vector<Pose<double>> result;
  for (std::size_t i = parts_->fixed; i < parts_->bodies.size(); ++i) {
    const btTransform& X = parts_->bodies[i]->getWorldTransform();
    const btQuaternion q = X.getRotation();
    const btVector3& p = X.getOrigin();
    result.push_back({rotation_from_quaternion<double>(q.w(), q.x(), q.y(), q.z()), {p.x(), p.y(), p.z()}});
  }
  return result;
}

}  // namespace abut::benchmarks
