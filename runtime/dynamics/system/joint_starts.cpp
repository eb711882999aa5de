#include "runtime/dynamics/system/joint_starts.h"

#include "runtime/core/settings.h"

namespace abut::dynamics {
namespace {

constexpr double kRounding = 1e-9;  // rad or m: allows for rounding of a position that equals its limit

// Initial position of a joint of one degree of freedom, rad or m.
double start_of(const Scene& scene, std::size_t body) {
  const BodyJoint& joint = *scene.bodies[body].joint;
  if (const std::optional<Mimic>& mimic = joint.joint.mimic)
    return mimic->multiplier * start_of(scene, static_cast<std::size_t>(mimic->link)) + mimic->offset;
  return joint.q.size() > 0 ? joint.q[0] : 0;
}

}  // namespace

std::vector<std::string> starts_beyond_limits(const Scene& scene) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (!scene.bodies[i].joint) continue;
    const Joint& joint = scene.bodies[i].joint->joint;
    if (joint.type != JointType::kRevolute && joint.type != JointType::kPrismatic) continue;
    const double at = start_of(scene, i);
    if (at >= joint.lower - kRounding && at <= joint.upper + kRounding) continue;
    const char* unit = joint.type == JointType::kRevolute ? " rad" : " m";
    lines.push_back("joint '" + joint.name + "' starts at " + number_text(at) + unit +
                    ", beyond its limits of " + number_text(joint.lower) + " to " + number_text(joint.upper) +
                    unit);
  }
  return lines;
}

}  // namespace abut::dynamics
