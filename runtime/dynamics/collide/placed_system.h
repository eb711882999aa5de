#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "runtime/contact/model.h"
#include "runtime/dynamics/collide/contact_source.h"
#include "runtime/dynamics/collide/placed_shape.h"
#include "runtime/dynamics/system/system.h"

namespace abut::dynamics {

// A body, or a fixed shape treated as one, in the search for contacts.
struct PlacedBody {
  std::int32_t first_shape = 0, end_shape = 0;  // [first, end) of the system's shapes
  double reach = 0;                             // gap within which its contact model exerts forces, m
  double margin = 0;                            // gap within which contacts are searched, m
  double length = std::numeric_limits<double>::infinity();  // radius about B's origin, m; infinite if fixed
};

// The shapes of a system at the poses of a state, with bounds of how far each can move within a step.
class PlacedSystem {
 public:
  // A body's reach is the largest of the models in `forces`; without models bodies interact only in contact.
  // Throws InvalidInput, naming the body, where assets are to touch by pieces and one has none.
  explicit PlacedSystem(const System& system, std::span<const std::unique_ptr<contact::Model>> forces = {},
                        ContactSampling sampling = ContactSampling::kVertex);

  // Places the shapes, and grows their bounds by how far the body's points can travel within dt, s, under its
  // velocity, gravity and control, so that no collision is missed. Where the bodies' twists (w; v) due to
  // contact are known, rad/s and m/s, the bounds cover these as well. Does not allocate.
  void place(const State& state, const Control& control, double dt,
             std::span<const Vec6<double>> twists_W = {});

  // Whether a body that moves with this twist stays within its margin for dt, s.
  bool covers(std::size_t body, const Vec6<double>& twist_W, double dt) const;

  // Changes pose and material of shape i for the following queries, but neither bounds nor reaches.
  void set_shape(std::size_t i, const Pose<double>& X_BS, const body::Material& material) {
    shapes_[i].X_BS = X_BS;
    shapes_[i].body.material = material;
  }

  std::span<const PlacedShape> shapes() const { return shapes_; }    // at the poses of the last place()
  std::span<const PlacedBody> bodies() const { return bodies_; }     // fixed shapes first
  std::span<const Bounds> bounds() const { return bounds_; }         // of bodies(), grown
  std::size_t fixed_count() const { return system_.fixed_count(); }  // number of fixed shapes in bodies()
  double thinnest() const { return thinnest_; }  // least half size of any shape, m; infinite without shapes

 private:
  void add_shapes(ContactSampling sampling);
  void place_body(std::size_t placed, const Pose<double>& X_WB);

  System system_;
  std::vector<PlacedShape> shapes_;
  std::vector<PlacedBody> bodies_;
  std::vector<Bounds> bounds_;
  double thinnest_ = std::numeric_limits<double>::infinity();
};

}  // namespace abut::dynamics
