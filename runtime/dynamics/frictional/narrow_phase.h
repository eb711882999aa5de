#pragma once

#include <span>
#include <vector>

#include "runtime/dynamics/frictional/asset_contact.h"
#include "runtime/dynamics/frictional/broad_phase.h"
#include "runtime/dynamics/frictional/contact_problem.h"
#include "runtime/dynamics/frictional/convex_contact.h"

namespace abut::dynamics {

// The contact points of all pairs of bodies, in parallel, in an order that depends on the scene alone.
class NarrowPhase {
 public:
  NarrowPhase(ContactSampling sampling, int threads);

  // shapes: the fixed ones, then body after body; first_shape: index of each body's first, and the end, the
  // fixed shapes being "bodies" of one shape each. Contacts come by pair, shape of A, shape of B and feature,
  // ascending in their keys; area, gap, normal and key are set. Gaps are at most `margin` plus twice what the
  // bodies' bounds were grown by. Allocates only to grow.
  void find(std::span<const PlacedShape> shapes, std::span<const std::int32_t> first_shape, std::size_t fixed,
            std::span<const BodyPair> pairs, std::span<const double> margins,
            std::vector<PairContact>& contacts);

 private:
  struct Scratch {
    witness::Workspace<double> witness;
    AssetWorkspace asset;
    std::vector<SurfacePoint> points;
    std::vector<PairContact> found;
  };
  struct Found {
    int thread;
    std::size_t first, end;
  };
  void find_pair(const BodyPair& pair, std::span<const PlacedShape> shapes,
                 std::span<const std::int32_t> first_shape, std::size_t fixed, double margin,
                 Scratch& scratch) const;

  ContactSampling sampling_;
  std::vector<Scratch> scratch_;
  std::vector<Found> found_;
};

}  // namespace abut::dynamics
