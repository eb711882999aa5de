#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/dynamics/solve/contact_problem.h"
#include "runtime/dynamics/system/system_tree.h"
#include "runtime/proximity/distance_model.h"

// Distances of the bodies of a system, and their derivatives by its velocities: the collision checks of a
// robot against its scene and itself.
//
//   dynamics::Clearances clearances(system);
//   const dynamics::ClearanceList& near = clearances.find(state, 0.05);
//   for (std::size_t k = 0; k < near.pairs.size(); ++k)
//     std::cout << near.pairs[k].distance << ' ' << near.dd_dv(k).transpose() << '\n';
namespace abut::dynamics {

// The least signed distance of two bodies, over their pairs of shapes; of pairs that are exactly equally near
// the first one, by shape_A, then shape_B. There the least distance has a kink: its derivative is that of
// this pair alone, and so is the status, kOk as a rule. A fixed shape counts as a body.
struct Clearance {
  std::int32_t state = 0;                     // index of the state
  std::int32_t A = kFixed, B = kFixed;        // bodies by index, A < B; A is kFixed for a fixed shape
  std::int32_t shape_A = 0, shape_B = 0;      // indices of System::shape
  double distance = 0;                        // m
  Vec3<double> p_A_W = Vec3<double>::Zero();  // witness point on A, m: p_B_W = p_A_W + distance n_W
  Vec3<double> p_B_W = Vec3<double>::Zero();  // witness point on B, m
  Vec3<double> n_W = Vec3<double>::UnitZ();   // unit normal from A to B
  Status status = Status::kOk;                // of the derivative (docs/conventions.md)
};

// The pairs of bodies within a margin.
struct ClearanceList {
  std::vector<Clearance> pairs;  // state after state; of each, ascending by fixed shape or body, A before B
  std::vector<double> slopes;    // (pairs, velocities), m/rad and 1
  Eigen::Index velocities = 0;   // number of the system's independent velocities

  // Derivative of the distance of pairs[k] by the system's independent velocities (SystemTree): its rate is
  // dd_dv(k) . v. Entries of free bodies are by the twist (w; v) in their own axes.
  Eigen::Map<const VecX<double>> dd_dv(std::size_t k) const {
    return {slopes.data() + static_cast<Eigen::Index>(k) * velocities, velocities};
  }
};

// How distances are computed, and of which pairs.
struct ClearanceConfig {
  std::string model = "hull";   // name of the distance model
  std::string method = {};      // of its derivatives; empty: its first
  SettingValues settings = {};  // of the method
  // Whether pairs of bodies of one group are taken, too: of links of a robot, which do not collide in
  // simulations. Not of those that a joint connects or that Scene::apart names.
  bool within_groups = false;
  int threads = 0;  // 0: one per core; the answers have the same bits for any number
};

// Finds the pairs of bodies of a system that are within a margin of one another, and differentiates their
// distances. Pairs are those that may touch (System::may_meet), or more (ClearanceConfig). It keeps its
// memory: once it has grown, calls allocate nothing. One call at a time.
class Clearances {
 public:
  // Pairs of primitives are answered by `hull` with its defaults, which is exact for them, whatever the
  // model. Throws InvalidInput as make_distance_model and SystemTree do, and, naming bodies and shapes, for a
  // pair that the model does not take.
  explicit Clearances(const System& system, const ClearanceConfig& config = {});

  // Returns the pairs of bodies whose least distance is at most `margin`, m, >= 0, in the given states; valid
  // until the next call. Bodies on joints stand where State::q puts them. Throws InvalidInput as
  // System::require_valid does, and for a margin that is negative or not finite.
  const ClearanceList& find(std::span<const State> states, double margin);
  // The same in one state.
  const ClearanceList& find(const State& state, double margin) { return find({&state, 1}, margin); }
  // The same for coordinates of tree(), (tree().tree().nq()) each, with unit quaternions.
  const ClearanceList& find(std::span<const VecX<double>> coordinates, double margin);

  const SystemTree& tree() const { return tree_; }  // of all bodies

 private:
  struct LocalShape {
    body::Body body;
    Pose<double> X_LS;                         // in its body's link; in the world for a fixed shape
    int link = -1;                             // -1: fixed
    bool plane = false;                        // a half-space
    Vec3<double> p_SC = Vec3<double>::Zero();  // centre of its bounding box along its own axes, m
    Vec3<double> half = Vec3<double>::Zero();  // half sizes of that box, m
    double radius = 0;                         // of a ball about that centre that holds it, m
  };
  struct Worker {
    std::unique_ptr<proximity::DistanceModel> model, primitives;  // `primitives` null: the model itself
    TreeScratch scratch;
    std::vector<Pose<double>> X_WS;  // of each shape
    std::vector<Vec3<double>> p_WC;  // m: centres of their boxes
    ClearanceList found;
  };
  struct Found {
    int thread;
    std::size_t first, end;  // among the worker's pairs
  };

  void add_shapes();
  void add_pairs(bool within_groups);
  void require_valid() const;
  void find_in(std::int32_t state, double margin, Worker& worker) const;
  void place(const VecX<double>& q, Worker& worker) const;
  bool beyond(const Worker& worker, std::size_t a, std::size_t b, double limit) const;
  body::Pair pair_of(const Worker& worker, std::size_t a, std::size_t b) const;
  proximity::DistanceModel& model_of(const Worker& worker, const body::Pair& pair) const;
  bool nearest(std::size_t placed_A, std::size_t placed_B, double margin, Worker& worker,
               Clearance& found) const;
  void add_slope(const Vec6<double>& dd_dxi, std::size_t shape, const Worker& worker, double* slope) const;

  SystemTree tree_;
  std::vector<LocalShape> shapes_;
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs_;  // placed bodies that may meet, ascending
  std::vector<Worker> workers_;
  std::vector<VecX<double>> q_;  // of the states, unless given
  std::vector<Found> found_;
  VecX<double> v_;
  ClearanceList list_;
};

}  // namespace abut::dynamics
