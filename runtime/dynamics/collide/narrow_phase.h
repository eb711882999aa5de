#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/contact/model.h"
#include "runtime/dynamics/collide/asset_contact.h"
#include "runtime/dynamics/collide/broad_phase.h"
#include "runtime/dynamics/solve/contact_problem.h"
#include "runtime/dynamics/collide/convex_contact.h"

namespace abut::dynamics {

// Contacts that one pair of bodies keeps at most.
inline constexpr std::size_t kMaxPairContacts = 12;

// Where contact points come from.
struct ContactSource {
  ContactSampling sampling = ContactSampling::kVertex;
  // Pairs of assets: a model of the table that offers constraints (contact/model.h); empty: vertices against
  // exact distances (asset_contact.h).
  std::string model;
  SettingValues settings;  // of the model; the others have their defaults
};

// What the narrow phase asks of a body beside its shapes.
struct BodyExtent {
  double margin = 0;                                        // of its bounds, m
  double length = std::numeric_limits<double>::infinity();  // its size, m; infinite for a fixed one
};

// Of a contact's key: the indices of its shapes among those that NarrowPhase::find is given.
struct ShapePair {
  std::size_t A, B;
};
ShapePair shapes_of(std::uint64_t contact_key);

// The contact points of all pairs of bodies, in parallel, in an order that depends on the scene alone.
class NarrowPhase {
 public:
  // patch: radius of contacts in a point or a line, m (Scene::patch). Throws InvalidInput for a model that is
  // unknown or offers no constraints.
  NarrowPhase(const ContactSource& source, double patch, int threads);

  // shapes: the fixed ones, then body after body; first_shape: index of each body's first, and the end, the
  // fixed shapes being "bodies" of one shape each. Contacts have gaps up to the sum of the bodies' margins,
  // are thinned out to kMaxPairContacts a pair, and come by pair, shapes and feature: the keys of a pair
  // ascend. Bodies, point, normal, gap, area and key are set. Allocates only to grow.
  void find(std::span<const PlacedShape> shapes, std::span<const std::int32_t> first_shape, std::size_t fixed,
            std::span<const BodyPair> pairs, std::span<const BodyExtent> extents,
            std::vector<PairContact>& contacts);

 private:
  struct alignas(128) Scratch {  // of a thread, on cache lines of its own
    witness::Workspace<double> witness;
    AssetWorkspace asset;
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
  static void model_points(const PlacedShape& A, const PlacedShape& B, double margin, Scratch& scratch);
  void find_pair(const BodyPair& pair, std::span<const PlacedShape> shapes,
                 std::span<const std::int32_t> first_shape, std::size_t fixed, double margin, double length,
                 Memory& memory, Scratch& scratch) const;
  void find_points(const PlacedShape& A, const PlacedShape& B, double margin, Scratch& scratch) const;

  ContactSampling sampling_;
  double patch_;
  std::vector<Scratch> scratch_;
  std::vector<Found> found_;
  std::vector<Memory> memories_, former_;  // by pair, ascending
};

}  // namespace abut::dynamics
