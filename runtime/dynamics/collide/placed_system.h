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

// A body, or a fixed shape in the place of one, as the search for contacts sees it.
struct PlacedBody {
  std::int32_t first_shape = 0, end_shape = 0;  // [first, end) of the system's shapes
  double reach = 0;                             // gap within which a contact model makes it exert forces, m
  double margin = 0;                            // gap within which it has contacts, m
  double length = std::numeric_limits<double>::infinity();  // its size, m; infinite for a fixed one
};

// The shapes of a system where a state has them, and how far each may get within a step.
class PlacedSystem {
 public:
  // `forces`: models of which bodies have the greatest reach; none: they act on one another in contact alone.
  // Throws InvalidInput, naming the body, where assets are to touch by pieces and one has none.
  explicit PlacedSystem(const System& system, std::span<const std::unique_ptr<contact::Model>> forces = {},
                        ContactSampling sampling = ContactSampling::kVertex);

  // Bounds are grown by what a body's points may travel within dt (s) under its velocity, gravity and
  // control, so that nothing is passed through; and with the twists (w; v; rad/s, m/s) that contact gives the
  // bodies, where they are known. Allocates nothing.
  void place(const State& state, const Control& control, double dt,
             std::span<const Vec6<double>> twists_W = {});

  // Whether a body that moves so stays within its margin for dt.
  bool covers(std::size_t body, const Vec6<double>& twist_W, double dt) const;

  // Of shape i, for what is asked next; bounds and reaches stay.
  void set_shape(std::size_t i, const Pose<double>& X_BS, const body::Material& material) {
    shapes_[i].X_BS = X_BS;
    shapes_[i].body.material = material;
  }

  std::span<const PlacedShape> shapes() const { return shapes_; }    // where place() has put them
  std::span<const PlacedBody> bodies() const { return bodies_; }     // fixed shapes first
  std::span<const Bounds> bounds() const { return bounds_; }         // of the bodies, grown
  std::size_t fixed_count() const { return system_.fixed_count(); }  // of bodies(): those before it are fixed
  double thinnest() const { return thinnest_; }  // least half size of any shape, m; infinite without any

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
