#pragma once

#include <functional>
#include <vector>

#include <abut/distance/surface_distance.h>
#include <abut/dynamics/step/scene_page.h>
#include <abut/dynamics/system/system_tree.h>
#include <abut/dynamics/tree/kinematics.h>

// A hand refined so that points of it meet points of an object and none goes into it: Levenberg and
// Marquardt's method on kinematics and exact distances, both with derivatives.
namespace grasp {

using namespace abut;
using dynamics::MatX, dynamics::VecX;

struct Tip {
  std::size_t body;
  Vec3<double> p_BQ, target_W;  // m
};
struct Sample {  // a ball of the hand
  std::size_t body;
  Vec3<double> p_BQ;  // m
  double radius;      // m
};
struct Problem {
  std::vector<Tip> tips;
  std::vector<Sample> samples;
  asset::SurfaceView object;
  Pose<double> X_WO;
};

inline constexpr double kClearance = 2e-4;  // m: balls closer than this are pushed away
inline constexpr double kPosture = 1e-2;    // weight of staying, m/rad

// Residuals, m, and their derivatives by the independent degrees of freedom.
struct Residuals {
  VecX<double> r;
  MatX<double> J;
  double miss = 0, depth = 0;  // greatest distance of a tip from its target; deepest ball; m
};

inline Residuals residuals(const Problem& problem, const dynamics::SystemTree& tree, const VecX<double>& q,
                           dynamics::TreeScratch& scratch) {
  dynamics::place_links<double>(tree.tree(), q, scratch);
  const auto rows = static_cast<Eigen::Index>(3 * problem.tips.size() + problem.samples.size());
  Residuals result{VecX<double>::Zero(rows), MatX<double>::Zero(rows, tree.independent().cols())};
  MatX<double> J(3, tree.tree().nv());
  const auto point = [&](std::size_t body, const Vec3<double>& p_BQ) {
    const Vec3<double> p_LQ = tree.pose_in_link(body) * p_BQ;
    dynamics::point_jacobian<double>(tree.tree(), scratch, static_cast<int>(body), p_LQ, J);
    return dynamics::pose_of_link<double>(scratch, static_cast<int>(body)) * p_LQ;
  };
  Eigen::Index row = 0;
  for (const Tip& tip : problem.tips) {
    result.r.segment<3>(row) = point(tip.body, tip.p_BQ) - tip.target_W;
    result.J.middleRows<3>(row) = J * tree.independent();
    result.miss = std::max(result.miss, result.r.segment<3>(row).norm());
    row += 3;
  }
  for (const Sample& sample : problem.samples) {
    const Vec3<double> p_OQ = problem.X_WO.inverse() * point(sample.body, sample.p_BQ);
    const auto d = distance::signed_distance<double>(problem.object, p_OQ);
    const double gap = d.distance - sample.radius;
    result.depth = std::max(result.depth, -gap);
    if (gap < kClearance) {
      result.r[row] = kClearance - gap;
      result.J.row(row) = -(problem.X_WO.R * d.gradient).transpose() * J * tree.independent();
    }
    ++row;
  }
  return result;
}

// Moves `state` on; `visit` is told each iterate.
inline Residuals refine(const Problem& problem, const dynamics::System& system, dynamics::State& state,
                        const std::function<void(const dynamics::State&)>& visit) {
  const dynamics::SystemTree tree(system);
  dynamics::TreeScratch scratch(tree.tree());
  VecX<double> q, v, next;
  tree.coordinates(state, q, v);
  Residuals now = residuals(problem, tree, q, scratch);
  for (double damping = 1e-4; damping < 1e8 && (now.miss > 1e-6 || now.depth > 1e-6);) {
    MatX<double> H = now.J.transpose() * now.J;
    H.diagonal().array() += damping * kPosture * kPosture;
    const VecX<double> step = -H.ldlt().solve(now.J.transpose() * now.r);
    tree.tree().integrate<double>(q, tree.independent() * step, next);
    Residuals then = residuals(problem, tree, next, scratch);
    const bool better = then.r.norm() < now.r.norm();
    damping *= better ? 0.3 : 4;
    if (!better) continue;
    if (then.r.norm() > (1 - 1e-9) * now.r.norm()) break;
    q = next;
    now = std::move(then);
    tree.place(q, v, scratch, state);
    visit(state);
  }
  return now;
}

}  // namespace grasp
