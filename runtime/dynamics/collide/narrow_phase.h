#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/dynamics/collide/asset_contact.h"
#include "runtime/dynamics/collide/broad_phase.h"
#include "runtime/dynamics/collide/contact_source.h"
#include "runtime/dynamics/collide/piece_contact.h"
#include "runtime/dynamics/collide/placed_system.h"
#include "runtime/dynamics/collide/point_slopes.h"
#include "runtime/dynamics/solve/contact_problem.h"

namespace abut::dynamics {

// Largest number of contacts of one pair of bodies.
inline constexpr std::size_t kMaxPairContacts = 12;

// Finds the contact points of all pairs of bodies, in parallel, in an order that does not depend on the
// threads.
class NarrowPhase {
 public:
  // Throws InvalidInput for a model or setting that is unknown, a model that offers no constraints, a scene
  // with contact choices, and where an asset of the system lacks a part that the model needs.
  NarrowPhase(const System& system, const ContactSource& source, int threads);

  // Finds the contacts of the pairs. Gaps are at most the sum of the bodies' margins; a pair whose contacts
  // represent no area is reduced to kMaxPairContacts; contacts are ordered by pair, shapes and feature. Sets
  // all members except target_velocity and J_B_W. Allocates only to grow.
  void find(const PlacedSystem& placed, std::span<const BodyPair> pairs, std::vector<PairContact>& contacts);

  // Computes how each contact that was found at the same poses moves with its shapes, by fourth-order finite
  // differences (point_slopes.cpp).
  void slopes(const PlacedSystem& placed, std::span<const PairContact> contacts,
              std::vector<PointSlopes>& slopes);

 private:
  struct alignas(128) Scratch {  // of one thread, on its own cache lines
    witness::Workspace<double> witness;
    AssetWorkspace asset;
    PieceWorkspace pieces;
    std::unique_ptr<contact::Model> model;
    std::vector<SurfacePoint> points;  // of one pair
    std::vector<double> spread;
    std::vector<PairContact> found;
  };
  struct Found {
    int thread;
    std::size_t first, end;
  };
  // What is cached for a pair of bodies from step to step.
  struct Memory {
    BodyPair pair{};
    std::vector<AssetMemory> assets;  // (shapes of A, shapes of B); empty for pairs without assets
  };

  void follow(std::span<const BodyPair> pairs);
  void find_pair(const PlacedSystem& placed, const BodyPair& pair, Memory& memory, Scratch& scratch) const;
  void find_points(const PlacedShape& A, const PlacedShape& B, double margin, AssetMemory* memory,
                   Scratch& scratch) const;
  // Finds the points of two shapes. Where these are one or two (the ends of a line) and the materials have a
  // patch, each is replaced by a ring (widen).
  void shape_points(const PlacedShape& A, const PlacedShape& B, double margin, AssetMemory* memory,
                    Scratch& scratch) const;
  // Replaces each point from `first` on by a ring of points with the radius `patch`, m, and the same gap.
  // Under the normal force N a ring resists rolling with the moment N patch (to 1 - cos(pi / 8) = 8 % of it)
  // and spinning with mu N patch. The ring's features derive from that of the point.
  static constexpr std::uint64_t kRing = 8,
                                 kOnRing = std::uint64_t{1} << 63;  // points of a ring; bit of their features
  static void widen(double patch, std::size_t first, std::vector<SurfacePoint>& points);
  void points_of(const PlacedShape& A, const PlacedShape& B, std::span<const PairContact> contacts,
                 double margin, Scratch& scratch, std::span<Eigen::Matrix<double, 7, 1>> points,
                 std::span<std::uint8_t> seen) const;
  void pair_slopes(const PlacedShape& A, const PlacedShape& B, std::span<const PairContact> contacts,
                   Scratch& scratch, std::span<PointSlopes> slopes) const;
  static bool is_asset(const PlacedShape& shape) { return shape.kind == ShapeKind::kAsset; }
  static bool takes_model(const PlacedShape& A, const PlacedShape& B, const Scratch& scratch) {
    return is_asset(A) && is_asset(B) && scratch.model;
  }
  static void model_points(const PlacedShape& A, const PlacedShape& B, double margin, Scratch& scratch);

  ContactSampling sampling_;
  std::vector<Scratch> scratch_;
  std::vector<Found> found_;
  std::vector<Memory> memories_, former_;  // of the current and the last pairs, ascending
};

}  // namespace abut::dynamics
