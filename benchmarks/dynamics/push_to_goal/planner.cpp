#include "benchmarks/dynamics/push_to_goal/planner.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "runtime/core/error.h"

namespace abut::push {

using Eigen::Vector2d;

namespace {

constexpr double kRound = 0.21;               // m, radius of ways around the T
constexpr double kTravel = 0.6, kPush = 0.2;  // m/s
constexpr double kFinger = 0.02;              // m
constexpr double kSmooth = 0.02;              // m of second differences that weigh 1
constexpr double kStray = 0.1;                // m from the first path that weighs 1, in each row

Vector2d turned(const Vector2d& p, double angle) {
  return {std::cos(angle) * p.x() - std::sin(angle) * p.y(),
          std::sin(angle) * p.x() + std::cos(angle) * p.y()};
}

// Appends rows on a straight line, at a speed in m/s.
void go_to(std::vector<Vector2d>& way, const Vector2d& to, double speed) {
  const Vector2d from = way.back();
  const int rows = std::max(1, int(std::ceil((to - from).norm() / (speed * kInterval))));
  for (int k = 1; k <= rows; ++k) way.push_back(from + (to - from) * k / rows);
}

void go_round(std::vector<Vector2d>& way, const Vector2d& centre, double to) {
  const Vector2d from = way.back() - centre;
  const double start = std::atan2(from.y(), from.x()), turn = std::remainder(to - start, 2 * M_PI);
  const int rows = int(std::ceil(std::abs(turn) * kRound / (kTravel * kInterval)));
  for (int k = 1; k <= rows; ++k) way.push_back(centre + turned({kRound, 0}, start + turn * k / rows));
}

}  // namespace

Miss miss_of(const Place& place, const Place& goal) {
  return {(place - goal).head<2>().norm(), std::abs(place[2] - goal[2]) * 180 / M_PI};
}

Path straight_push(const State& from, const Vector2d& p_TContact, double side, double slant, double length) {
  // Of the T's extent, in its frame.
  const Vector2d p_TMiddle{0, -0.03};
  const double angle = from.q[2];
  const Vector2d origin = from.q.head<2>(), centre = origin + turned(p_TMiddle, angle);
  const Vector2d contact = origin + turned(p_TContact, angle), out = turned({1, 0}, angle + side);
  const Vector2d start = contact + (kFinger + 0.015) * out;
  // Where the line from the start along the normal meets the circle.
  const double along = out.dot(start - centre);
  const double far =
      std::max(0.0, std::sqrt(along * along - (start - centre).squaredNorm() + kRound * kRound) - along);
  const Vector2d gate = start + far * out;
  std::vector<Vector2d> way{from.q.segment<2>(3)};
  const Vector2d away = (way[0] - centre).normalized();
  if ((way[0] - centre).norm() < kRound) go_to(way, centre + kRound * away, kTravel);
  go_round(way, centre, std::atan2((gate - centre).y(), (gate - centre).x()));
  go_to(way, gate, kTravel);
  go_to(way, start, kTravel);
  go_to(way, start + (0.015 + length) * turned(-out, slant), kPush);
  way.insert(way.end(), 4, way.back());
  Path path(static_cast<Eigen::Index>(way.size()) - 1, 2);
  for (std::size_t k = 1; k < way.size(); ++k)
    path.row(static_cast<Eigen::Index>(k) - 1) = way[k].transpose();
  return path;
}

std::vector<Path> straight_pushes(const State& from) {
  // Points of the T's sides and the directions that they face, rad.
  constexpr double kUp = M_PI / 2, kDown = -M_PI / 2, kLeft = M_PI;
  const struct {
    Vector2d p_T;
    double side;
  } kSides[] = {{{-0.1, 0.0625}, kUp},    {{-0.04, 0.0625}, kUp},   {{0.04, 0.0625}, kUp},
                {{0.1, 0.0625}, kUp},     {{0.125, 0.0375}, 0},     {{0.09, 0.0125}, kDown},
                {{0.025, -0.06}, 0},      {{0.025, -0.12}, 0},      {{0, -0.1375}, kDown},
                {{-0.025, -0.12}, kLeft}, {{-0.025, -0.06}, kLeft}, {{-0.09, 0.0125}, kDown},
                {{-0.125, 0.0375}, kLeft}};
  std::vector<Path> paths;
  for (const auto& [p_T, side] : kSides)
    for (const double slant : {0.0})
      for (const double length : {0.05, 0.12, 0.2})
        paths.push_back(straight_push(from, p_T, side, slant, length));
  return paths;
}

namespace {

dynamics::StepConfig config_of() {
  dynamics::StepConfig config;
  config.dt = kStep;
  config.integrator = "semi_implicit";
  config.source.model = "soft_potential";
  return config;
}

}  // namespace

World::World(const System& system)
    : system_(system),
      config_(config_of()),
      rollout_(system, config_, static_cast<int>(std::lround(kInterval / kStep))) {}

dynamics::ControlSequence World::controls(const Path& path) const {
  dynamics::ControlSequence controls;
  controls.joint_target = MatX<double>::Zero(path.rows(), 5);
  controls.joint_target.rightCols(2) = path;
  return controls;
}

State World::after(const State& from, const Path& path) { return rollout_.end(from, controls(path)).state; }

std::vector<dynamics::RolloutEnd> World::ends(const State& from, const std::vector<Path>& paths) {
  std::vector<dynamics::ControlSequence> all;
  for (const Path& path : paths) all.push_back(controls(path));
  std::vector<dynamics::RolloutEnd> ends(paths.size());
  run_rollouts(system_, config_, rollout_.steps_per_control(), std::vector<State>(paths.size(), from), all,
               ends, 1);
  return ends;
}

// Backwards, once for each coordinate of the T, is dearer than forwards here: ten coordinates, few controls.
Place World::slope(const State& from, const Path& path, Eigen::Matrix3Xd& by_path) {
  Place end = Place::Zero();
  by_path.resize(3, 2 * path.rows());
  rollout_.differentiate(from, controls(path),
                         [&](Eigen::Index row, const State& state, const dynamics::RolloutJacobian& by) {
                           if (row + 1 < path.rows()) return;
                           end = place_of(state);
                           for (Eigen::Index k = 0; k < path.rows(); ++k)
                             by_path.middleCols(2 * k, 2) = by.joint_target.block(0, 5 * k + 3, 3, 2);
                         });
  return end;
}

namespace {

// Residuals of the path itself, and their derivatives by its rows (row-major).
void roughness(const Path& path, const Path& first, VecX<double>& r, MatX<double>& by_path) {
  const Eigen::Index rows = path.rows(), bends = std::max<Eigen::Index>(rows - 2, 0);
  r.setZero(2 * (bends + rows));
  by_path.setZero(r.size(), 2 * rows);
  for (Eigen::Index k = 0; k < bends; ++k)
    for (Eigen::Index i = 0; i < 2; ++i) {
      const auto bend = [&](const Path& of) { return of(k, i) - 2 * of(k + 1, i) + of(k + 2, i); };
      r[2 * k + i] = (bend(path) - bend(first)) / kSmooth;
      by_path(2 * k + i, 2 * k + i) = by_path(2 * k + i, 2 * k + 4 + i) = 1 / kSmooth;
      by_path(2 * k + i, 2 * k + 2 + i) = -2 / kSmooth;
    }
  for (Eigen::Index k = 0; k < rows; ++k)
    for (Eigen::Index i = 0; i < 2; ++i) {
      const Eigen::Index at = 2 * (bends + k) + i;
      r[at] = (path(k, i) - first(k, i)) / kStray;
      by_path(at, 2 * k + i) = 1 / kStray;
    }
}

constexpr double kGoalWeight = 10;  // of kUnit beside the path's shape

}  // namespace

double cost(const Place& end, const Place& goal, const Path& path, const Path& first) {
  VecX<double> r;
  MatX<double> by_path;
  roughness(path, first, r, by_path);
  return kGoalWeight * (end - goal).cwiseQuotient(kUnit).squaredNorm() + r.squaredNorm();
}

namespace {

// Levenberg and Marquardt's method in one world.
Path descend(World& world, const State& from, const Place& goal, const Path& first, Path path,
             int iterations) {
  double damping = 1e-2;
  Eigen::Matrix3Xd by_path;
  Place end = world.slope(from, path, by_path);
  double now = cost(end, goal, path, first);
  for (int k = 0; k < iterations && damping < 1e4; ++k) {
    VecX<double> r;
    MatX<double> J;
    roughness(path, first, r, J);
    const Eigen::Vector3d e = std::sqrt(kGoalWeight) * (end - goal).cwiseQuotient(kUnit);
    const Eigen::Matrix3Xd Je = std::sqrt(kGoalWeight) * kUnit.cwiseInverse().asDiagonal() * by_path;
    const Eigen::MatrixXd H = J.transpose() * J + Je.transpose() * Je;
    const VecX<double> g = J.transpose() * r + Je.transpose() * e;
    Eigen::MatrixXd damped = H;
    damped.diagonal() += damping * H.diagonal();
    const VecX<double> way = -damped.llt().solve(g);
    Path next = path;
    for (Eigen::Index i = 0; i < path.rows(); ++i) next.row(i) += way.segment<2>(2 * i).transpose();
    const double there = cost(place_of(world.after(from, next)), goal, next, first);
    if (!(there < now)) {
      damping *= 5;
      continue;
    }
    const double gain = now - there;
    path = next;
    damping /= 3;
    end = world.slope(from, path, by_path);
    now = cost(end, goal, path, first);
    if (gain < 1e-3 * now || now < 0.1) break;
  }
  return path;
}

}  // namespace

Path improve_by_gradients(std::vector<World>& worlds, const State& from, const Place& goal, Path path) {
  const Path first = path;
  for (World& world : worlds) path = descend(world, from, goal, first, path, 25);
  return path;
}

Path improve_by_sampling(World& world, const State& from, const Place& goal, Path path, double seconds,
                         std::mt19937& random) {
  constexpr int kSamples = 32, kBest = 6;
  const std::clock_t start = std::clock();  // of the processor, as the gradients' time is
  const auto passed = [&] { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; };
  const Path first = path;
  Path deviation = Path::Constant(path.rows(), 2, 0.02);
  std::normal_distribution<double> normal;
  Path best = path;
  double least = cost(place_of(world.after(from, path)), goal, path, first);
  while (passed() < seconds) {
    std::vector<Path> paths{best};
    for (int i = 1; i < kSamples; ++i) {
      // Smooth: a deviation every five rows, straight between.
      Path noise = Path::Zero(path.rows(), 2);
      constexpr Eigen::Index kEvery = 5;
      Eigen::RowVector2d here{normal(random), normal(random)}, next;
      for (Eigen::Index k = 0; k < path.rows(); ++k) {
        if (k % kEvery == 0) {
          if (k > 0) here = next;
          next = {normal(random), normal(random)};
        }
        const double t = double(k % kEvery) / kEvery;
        noise.row(k) = (1 - t) * here + t * next;
      }
      paths.push_back(path + noise.cwiseProduct(deviation));
    }
    const std::vector<dynamics::RolloutEnd> ends = world.ends(from, paths);
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < paths.size(); ++i)
      order.emplace_back(ends[i].error.empty() ? cost(place_of(ends[i].state), goal, paths[i], first) : 1e300,
                         i);
    std::sort(order.begin(), order.end());
    if (order[0].first < least) {
      least = order[0].first;
      best = paths[order[0].second];
    }
    Path mean = Path::Zero(path.rows(), 2), square = mean;
    for (int i = 0; i < kBest; ++i) mean += paths[order[std::size_t(i)].second] / kBest;
    for (int i = 0; i < kBest; ++i)
      square += (paths[order[std::size_t(i)].second] - mean).cwiseAbs2() / kBest;
    path = mean;
    deviation = 0.5 * deviation + 0.5 * square.cwiseSqrt() + Path::Constant(path.rows(), 2, 2e-4);
    if (least < 0.1) break;
  }
  return best;
}

}  // namespace abut::push
