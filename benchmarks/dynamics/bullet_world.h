#pragma once

#include <memory>
#include <vector>

#include "runtime/dynamics/system/scene.h"

// The same scene in Bullet: bodies are compounds, everything else at Bullet's defaults.
namespace abut::benchmarks {

class BulletWorld {
 public:
  // Throws InvalidInput for a scene with assets.
  explicit BulletWorld(const dynamics::Scene& scene);
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;
  ~BulletWorld();

  void step(double dt);

  // Of the scene's bodies, in order.
  std::vector<Pose<double>> poses() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace abut::benchmarks
