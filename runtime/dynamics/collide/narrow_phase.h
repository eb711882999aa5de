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

// Contacts that one pair of bodies keeps at most.
inline constexpr std::size_t kMaxPairContacts = 12;

// The contact points of all pairs of bodies, in parallel, in an order that depends on the system alone.
class NarrowPhase {
 public:
  // Throws InvalidInput for a model that is unknown or offers no constraints, and where an asset of the
  // system lacks what it needs.
  NarrowPhase(const System& system, const ContactSource& source, int threads);

  // Contacts have gaps up to the sum of the bodies' margins, are thinned out to kMaxPairContacts a pair, and
  // come by pair, shapes and feature. All is set but target_velocity and J_B_W. Allocates only to grow.
  void find(const PlacedSystem& placed, std::span<const BodyPair> pairs, std::vector<PairContact>& contacts);

  // How contacts that were found there move with their shapes, one for each: differences of the fourth order
  // (point_slopes.cpp).
  void slopes(const PlacedSystem& placed, std::span<const PairContact> contacts,
              std::vector<PointSlopes>& slopes);

 private:
  struct alignas(128) Scratch {  // of a thread, on cache lines of its own
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
  // Of a pair of bodies, from step to step.
  struct Memory {
    BodyPair pair{};
    std::vector<AssetMemory> assets;  // of A's shapes by B's; empty for pairs without assets
  };

  void follow(std::span<const BodyPair> pairs);
  void find_pair(const PlacedSystem& placed, const BodyPair& pair, Memory& memory, Scratch& scratch) const;
  void find_points(const PlacedShape& A, const PlacedShape& B, double margin, AssetMemory* memory,
                   Scratch& scratch) const;
  // The points of two shapes; where those are one, or the two ends of a line, and their materials have a
  // patch, on patches.
  void shape_points(const PlacedShape& A, const PlacedShape& B, double margin, AssetMemory* memory,
                    Scratch& scratch) const;
  // Of the points from `first` on: a ring of points of the same gap in place of each, named by it, which
  // resists rolling with N patch (to 1 - cos(pi / 8) = 8 % of it), and spinning with mu N patch.
  static constexpr std::uint64_t kRing = 8,
                                 kOnRing = std::uint64_t{1} << 63;  // of a ring: its size; a feature's bit
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
  std::vector<Memory> memories_, former_;  // by pair, ascending
};

}  // namespace abut::dynamics
