#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "preprocess/mesh/ball.h"
#include "preprocess/mesh/mesh.h"
#include "preprocess/tetrahedralize/inradius.h"
#include "runtime/asset/asset.h"

// The centres of a sphere set's balls. Internal to the spheres.
namespace abut::preprocess {

// Places centres so that balls around them hold given points of a solid. A ball about c that holds p reaches
// no farther outside than |p - c| + s(c), with s the signed distance of the surface: that is the cost of p at
// c. Minimises the largest cost of a point at its best centre. This is a k-center problem, solved by
// insertion where the cost is largest [Gonzalez1985], descent of each centre for the points assigned to it,
// and exchange of the least useful centre for one where the cost is largest.
class Centers {
 public:
  // Keeps references to `mesh` and `surface`, which represent the same surface.
  Centers(const TriangleMesh& mesh, const asset::SurfaceView& surface, std::vector<Eigen::Vector3d> points);

  // Inserts centres up to `count`; reports their number to `progress`.
  void grow(std::size_t count, const std::function<void(std::size_t)>& progress);

  // Exchanges centres while that lowers the cost.
  void exchange();

  // Adds points that must be held.
  void add(const std::vector<Eigen::Vector3d>& points);

  double cost() const;              // largest cost of a point, m
  std::vector<Ball> balls() const;  // each holds the points assigned to its centre

 private:
  struct Center {
    Eigen::Vector3d c;                        // m
    double s;                                 // signed distance there, m
    std::vector<std::int32_t> descended_for;  // points for which it was last descended
  };
  // A point's best centre, and its costs there and at the second-best one, m.
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
  std::vector<Best> best_;  // for each point
  std::vector<Center> centers_;
};

}  // namespace abut::preprocess
