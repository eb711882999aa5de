#include "runtime/dynamics/system/robot.h"

#include <algorithm>

#include "runtime/core/error.h"

namespace abut::dynamics {
namespace {

// Sum of two inertias that are given in the same frame.
LinkInertia joined(const LinkInertia& a, const LinkInertia& b) {
  LinkInertia sum;
  sum.mass = a.mass + b.mass;
  if (sum.mass > 0) sum.p_LLcm = (a.mass * a.p_LLcm + b.mass * b.p_LLcm) / sum.mass;
  for (const LinkInertia* part : {&a, &b}) {
    const Mat3<double> r = skew<double>(part->p_LLcm - sum.p_LLcm);
    sum.I_LLcm_L += part->I_LLcm_L - part->mass * r * r;
  }
  return sum;
}

LinkInertia seen_from(const Pose<double>& X_PL, const LinkInertia& inertia) {
  return {inertia.mass, X_PL * inertia.p_LLcm, X_PL.R * inertia.I_LLcm_L * X_PL.R.transpose()};
}

// The kept link K, which moves or is the root, that a link L of the robot is part of.
struct Place {
  std::size_t kept;   // index of K among the kept links
  Pose<double> X_KL;  // of L in K
};

// Returns the links that move, and the root, with the inertias of the links fixed to them added to theirs.
std::vector<Link> weld(const Robot& robot, std::vector<Place>& places) {
  std::vector<Link> kept;
  for (const Link& link : robot.links) {
    if (link.parent >= 0 && link.joint.type == JointType::kFixed) {
      const Place& parent = places[static_cast<std::size_t>(link.parent)];
      const Place welded{parent.kept, parent.X_KL * link.joint.X_PJ};
      Link& carrier = kept[welded.kept];
      carrier.inertia = joined(carrier.inertia, seen_from(welded.X_KL, link.inertia));
      places.push_back(welded);
      continue;
    }
    places.push_back({kept.size(), {}});
    Link& moved = kept.emplace_back(link);
    if (link.parent < 0) continue;
    const Place& parent = places[static_cast<std::size_t>(link.parent)];
    moved.parent = static_cast<int>(parent.kept);
    moved.joint.X_PJ = parent.X_KL * link.joint.X_PJ;
  }
  for (Link& link : kept)
    if (link.joint.mimic)
      link.joint.mimic->link =
          static_cast<int>(places[static_cast<std::size_t>(link.joint.mimic->link)].kept);
  return kept;
}

void place(Body& body, const Pose<double>& X_WB) {
  const Eigen::Quaterniond q = Eigen::Quaterniond(X_WB.R).normalized();
  body.p_WB = X_WB.p;
  body.q_WB = {q.w(), q.x(), q.y(), q.z()};
}

}  // namespace

Body link_body(const Link& link) {
  Body body;
  body.name = link.name;
  body.mass = link.inertia.mass;
  body.joint = BodyJoint{link.parent, link.joint, {Mat3<double>::Identity(), link.inertia.p_LLcm}, {}, {}};
  const Eigen::SelfAdjointEigenSolver<Mat3<double>> principal(link.inertia.I_LLcm_L);
  body.inertia = principal.eigenvalues().cwiseMax(0);
  Mat3<double>& R_LB = body.joint->X_LB.R;
  R_LB = principal.eigenvectors();
  if (R_LB.determinant() < 0) R_LB.col(0) *= -1;
  return body;
}

std::size_t add_robot(Scene& scene, const std::string& name, const Robot& robot, const Pose<double>& X_WR,
                      const MeshSource& meshes) {
  const std::size_t first = scene.bodies.size();
  for (const std::string& warning : robot.warnings)
    scene.warnings.emplace_back("robot '").append(name).append("': ").append(warning);
  std::int32_t group = 0;
  for (const Body& body : scene.bodies) group = std::max(group, body.group);
  std::vector<Place> places;
  std::vector<Pose<double>> links;  // X_WL with all joints at zero
  for (Link& link : weld(robot, places)) {
    if (link.parent < 0) link.joint.X_PJ = X_WR * link.joint.X_PJ;
    links.push_back(link.parent < 0 ? link.joint.X_PJ
                                    : links[static_cast<std::size_t>(link.parent)] * link.joint.X_PJ);
    if (link.parent >= 0) link.parent += static_cast<int>(first);
    if (link.joint.mimic) link.joint.mimic->link += static_cast<int>(first);
    link.name = name + "/" + link.name;
    link.joint.name = name + "/" + link.joint.name;
    Body& body = scene.bodies.emplace_back(link_body(link));
    body.group = group + 1;
    place(body, links.back() * body.joint->X_LB);
  }
  for (const CollisionShape& part : robot.collisions) {
    const Place& at = places[static_cast<std::size_t>(part.link)];
    Body& body = scene.bodies[first + at.kept];
    const auto geometry = [&]<class T>(const T& shape) {
      if constexpr (std::is_same_v<T, Mesh>)
        return meshes(shape);
      else
        return body::Geometry(shape);
    };
    body.shapes.push_back(
        {std::visit(geometry, part.shape), body.joint->X_LB.inverse() * at.X_KL * part.X_LS});
  }
  return first;
}

}  // namespace abut::dynamics
