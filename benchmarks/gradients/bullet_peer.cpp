#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include <limits>
#include <map>

#include "benchmarks/gradients/peers.h"

namespace abut::gradients {
namespace {

static_assert(sizeof(btScalar) == sizeof(double));

class Bullet : public Differenced {
 public:
  std::string name() const override { return "Bullet 3.24 (double precision)"; }

 private:
  Value value(const Question& question, const Pose<double>& X_AB) override {
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver depth;
    btGjkPairDetector detector(&hull(question.A), &hull(question.B), &simplex, &depth);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA.setIdentity();
    const Mat3<double>& R = X_AB.R;
    input.m_transformB.setBasis(
        {R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)});
    input.m_transformB.setOrigin({X_AB.p.x(), X_AB.p.y(), X_AB.p.z()});
    btPointCollector found;
    detector.getClosestPoints(input, found, nullptr);
    if (!found.m_hasResult) return Value::Constant(std::numeric_limits<double>::quiet_NaN());
    const btVector3 p1 = found.m_pointInWorld + found.m_normalOnBInWorld * found.m_distance;
    return {found.m_distance, p1.x(), p1.y(), p1.z()};
  }

  const btConvexHullShape& hull(const asset::ConvexView& view) {
    auto& slot = hulls_[view.x];
    if (slot) return *slot;
    slot = std::make_unique<btConvexHullShape>();
    for (std::int32_t i = 0; i < view.vertex_count; ++i)
      slot->addPoint({view.x[i], view.y[i], view.z[i]}, false);
    slot->recalcLocalAabb();
    slot->setMargin(0);
    return *slot;
  }

  std::map<const double*, std::unique_ptr<btConvexHullShape>> hulls_;
};

}  // namespace

std::unique_ptr<Library> make_bullet() { return std::make_unique<Bullet>(); }

}  // namespace abut::gradients
