#pragma once

#include <Eigen/Core>
#include <array>
#include <random>
#include <vector>

#include "benchmarks/paper/beker2025_table7_tpush/pushing.h"
#include "runtime/dynamics/rollout/rollout.h"

// Planar pushing to a goal: targets of the finger, found by gradients of rollouts through contact, or by
// sampling.
namespace abut::push {

using dynamics::MatX;
using dynamics::State;
using dynamics::System;
using dynamics::VecX;

// (x, y, angle) of the T, m and rad.
using Place = Eigen::Vector3d;

inline Place place_of(const State& state) { return state.q.head<3>(); }

// Unlike places weigh 1 for each of these.
inline const Place kUnit{0.01, 0.01, 5 * M_PI / 180};

struct Miss {
  double distance;  // m
  double angle;     // degrees
  bool reached() const { return distance <= 0.01 && angle <= 5; }
};
Miss miss_of(const Place& place, const Place& goal);

// Targets of the finger, a row for each kInterval.
using Path = Eigen::Matrix<double, Eigen::Dynamic, 2>;
inline constexpr double kInterval = 0.1;  // s
inline constexpr double kStep = 4e-3;     // s

// One push: the way of the finger around the T to a side of it, and on into it.
Path straight_push(const State& from, const Eigen::Vector2d& p_TContact, double side, double slant,
                   double length);
// Straight pushes against all sides of the T, at several slants and lengths.
std::vector<Path> straight_pushes(const State& from);

// Moves states on; counts the time it took.
class World {
 public:
  explicit World(const System& system);
  const System& system() const { return system_; }

  State after(const State& from, const Path& path);
  // The place at the end and its derivatives by the rows of the path, (3, 2 rows).
  Place slope(const State& from, const Path& path, Eigen::Matrix3Xd& by_path);
  std::vector<dynamics::RolloutEnd> ends(const State& from, const std::vector<Path>& paths);

 private:
  dynamics::ControlSequence controls(const Path& path) const;

  System system_;
  dynamics::StepConfig config_;
  dynamics::Rollout rollout_;
};

// How unlike the end is, squared, with how rough the path is.
double cost(const Place& end, const Place& goal, const Path& path, const Path& first);

// A path that ends nearer: by Levenberg and Marquardt's method on gradients, the reach of contact falling
// from 6 mm; or by the cross-entropy method until `seconds` have passed.
Path improve_by_gradients(std::vector<World>& worlds, const State& from, const Place& goal, Path path);
Path improve_by_sampling(World& world, const State& from, const Place& goal, Path path, double seconds,
                         std::mt19937& random);

}  // namespace abut::push
