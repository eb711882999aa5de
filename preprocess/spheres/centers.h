#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "preprocess/mesh/ball.h"
#include "preprocess/mesh/mesh.h"
#include "preprocess/tetrahedralize/inradius.h"
#include "runtime/asset/asset.h"

// Where the balls of a sphere set are. Internal to the spheres.
namespace abut::preprocess {

// Centers for points of a solid that are to be held. A ball about c that holds p reaches no farther outside
// than |p - c| + s(c), with s the signed distance of the surface: that is the cost of p at c. The greatest
// cost of a point at the center that is best for it is made small: a k-center problem, solved by insertion
// where the cost is greatest [Gonzalez1985], descent of each center for the points that it is best for, and
// exchange of the center that is missed least for one where the cost is greatest.
class Centers {
 public:
  // Keeps mesh and surface, which are the same, by reference.
  Centers(const TriangleMesh& mesh, const asset::SurfaceView& surface, std::vector<Eigen::Vector3d> points);

  // `count` of them; told how many there are.
  void grow(std::size_t count, const std::function<void(std::size_t)>& progress);

  // Exchanges centers while that lowers the cost.
  void exchange();

  // More points to be held.
  void add(const std::vector<Eigen::Vector3d>& points);

  double cost() const;              // greatest of a point, m
  std::vector<Ball> balls() const;  // those that hold the points which each is best for

 private:
  struct Center {
    Eigen::Vector3d c;                        // m
    double s;                                 // signed distance there, m
    std::vector<std::int32_t> descended_for;  // points of its last descent
  };
  // A point's best center, and its cost there and at the second best, m.
  struct Best {
    std::int32_t center;
    double cost, second;
  };

  Center at(const Eigen::Vector3d& c) const;
  Center inscribed(const Eigen::Vector3d& p) const;
  std::size_t worst() const;
  double measure() const;
  void assign();
  void offer(std::size_t first);
  void settle(int rounds);
  void descend(Center& center, const std::vector<std::int32_t>& points, std::uint64_t stream) const;
  std::vector<std::vector<std::int32_t>> members() const;

  const asset::SurfaceView& surface_;
  LocalInradius inradius_;
  std::vector<Eigen::Vector3d> points_;
  std::vector<Best> best_;  // of each point
  std::vector<Center> centers_;
};

}  // namespace abut::preprocess
