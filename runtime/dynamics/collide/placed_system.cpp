#include "runtime/dynamics/collide/placed_system.h"

#include <algorithm>
#include <unordered_map>

#include "runtime/dynamics/collide/piece_faces.h"

namespace abut::dynamics {
namespace {

constexpr double kMargin =
    1e-2;  // relative to the system's thinnest shape: gap within which slow bodies have contacts

// Upper bound of the speed of a body's fastest point, m/s.
double speed_of(const PlacedBody& body, const Vec6<double>& twist_W) {
  return twist_W.tail<3>().norm() + body.length * twist_W.head<3>().norm();
}

}  // namespace

PlacedSystem::PlacedSystem(const System& system, std::span<const std::unique_ptr<contact::Model>> forces,
                           ContactSampling sampling)
    : system_(system) {
  add_shapes(sampling);
  const std::span<const std::int32_t> first = system.first_shape();
  bodies_.resize(first.size() - 1);
  bounds_.assign(bodies_.size(), {Vec3<double>::Zero(), Vec3<double>::Zero()});
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    PlacedBody& body = bodies_[i];
    body.first_shape = first[i];
    body.end_shape = first[i + 1];
    for (const auto& force : forces)
      for (std::int32_t k = body.first_shape; k < body.end_shape; ++k)
        body.reach = std::max(body.reach, force->reach(shapes_[static_cast<std::size_t>(k)].body));
    body.margin = body.reach;
    if (i < fixed_count()) {
      place_body(i, {});
      continue;
    }
    body.length = 0;
    for (std::int32_t k = body.first_shape; k < body.end_shape; ++k) {
      const PlacedShape& shape = shapes_[static_cast<std::size_t>(k)];
      body.length = std::max(body.length, (shape.X_BS * shape.p_SCenter).norm() + shape.half.norm());
    }
  }
}

// Computes the samples or faces of an asset once for all shapes that use it.
void PlacedSystem::add_shapes(ContactSampling sampling) {
  const bool by_pieces = sampling == ContactSampling::kPieces;
  if (by_pieces) require_parts(system_, body::kPiecesPart);
  std::unordered_map<std::uint64_t, SurfaceSamples> samples;                   // by the geometry's id
  std::unordered_map<std::uint64_t, std::shared_ptr<const PieceFaces>> faces;  // likewise
  for (std::size_t i = 0; i < system_.shape_count(); ++i) {
    const Shape& shape = system_.shape(i);
    if (by_pieces && shape.geometry.primitive() == nullptr) {
      std::shared_ptr<const PieceFaces>& of_asset = faces[shape.geometry.id()];
      if (!of_asset) of_asset = std::make_shared<const PieceFaces>(shape.geometry);
      shapes_.emplace_back(shape, of_asset);
    } else if (const auto known = samples.find(shape.geometry.id()); known != samples.end()) {
      shapes_.emplace_back(shape, known->second);
    } else {
      shapes_.emplace_back(shape);
    }
    const PlacedShape& placed = shapes_.back();
    if (placed.kind == ShapeKind::kAsset) samples.emplace(shape.geometry.id(), placed.samples);
    if (placed.kind != ShapeKind::kPlane) thinnest_ = std::min(thinnest_, placed.half.minCoeff());
  }
}

void PlacedSystem::place_body(std::size_t placed, const Pose<double>& X_WB) {
  const PlacedBody& body = bodies_[placed];
  Bounds& bounds = bounds_[placed];
  bounds = {X_WB.p, X_WB.p};
  for (std::int32_t k = body.first_shape; k < body.end_shape; ++k) {
    PlacedShape& shape = shapes_[static_cast<std::size_t>(k)];
    shape.place(X_WB, body.margin);
    if (k == body.first_shape)
      bounds = shape.bounds;
    else
      bounds.include(shape.bounds);
  }
}

bool PlacedSystem::covers(std::size_t body, const Vec6<double>& twist_W, double dt) const {
  const PlacedBody& placed = bodies_[fixed_count() + body];
  if (placed.first_shape == placed.end_shape) return true;
  return dt * speed_of(placed, twist_W) <= placed.margin - placed.reach;
}

void PlacedSystem::place(const State& state, const Control& control, double dt,
                         std::span<const Vec6<double>> twists_W) {
  const double fall = dt * system_.scene().gravity.norm();
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const BodyState& moving = state.bodies[i];
    const Body& body = system_.body(i);
    PlacedBody& placed = bodies_[fixed_count() + i];
    if (placed.first_shape == placed.end_shape) continue;  // without shapes its bounds do not matter
    double spin = system_.angular_velocity(state, i).norm(), push = 0;
    if (!body.joint) {
      // Euler's equation: I dw/dt = tau + L x w.
      const Mat3<double> to_spin = in_world(moving.q_WB, body.inertia.cwiseInverse());
      Vec3<double> torque = moving.L_W.cross(to_spin * moving.L_W);
      if (!control.F_BBcm_W.empty()) {
        torque += control.F_BBcm_W[i].head<3>();
        push = dt * control.F_BBcm_W[i].tail<3>().norm() / body.mass;
      }
      spin += dt * (to_spin * torque).norm();
    }
    double speed = moving.v_WB.norm() + fall + push + spin * placed.length;
    if (!twists_W.empty()) speed = std::max(speed, speed_of(placed, twists_W[i]));
    placed.margin = placed.reach + kMargin * thinnest_ + dt * speed;
    place_body(fixed_count() + i, {moving.q_WB.toRotationMatrix(), moving.p_WB});
  }
}

}  // namespace abut::dynamics
