#pragma once

#include <string>

#include "runtime/dynamics/system/scene.h"

namespace abut::test {

// A link without mass or shape on a joint: of a chain of slides and hinges of which the last has both.
inline dynamics::Body massless_link(const std::string& name, int parent, dynamics::JointType type,
                                    const Vec3<double>& axis, double damping) {
  dynamics::Body body;
  body.name = name;
  body.inertia.setZero();
  dynamics::BodyJoint joint;
  joint.parent = parent;
  joint.joint.name = name;
  joint.joint.type = type;
  joint.joint.axis_J = axis;
  joint.joint.damping = damping;
  body.joint = joint;
  return body;
}

}  // namespace abut::test
