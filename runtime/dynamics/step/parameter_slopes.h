#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/dynamics/collide/compliant_contact.h"
#include "runtime/dynamics/solve/joint_forces.h"
#include "runtime/dynamics/system/parameter.h"

namespace abut::dynamics {

// What parameters of a system change of tau - M a - b, the force that its accelerations leave over.
class ParameterSlopes {
 public:
  // Throws InvalidInput as require_valid(scene, parameters).
  ParameterSlopes(const SystemTree& tree, std::span<const Parameter> parameters);

  Eigen::Index count() const { return slopes_.cols(); }

  // M a + b of a tree like the system's, (nv), linear in its masses and moments.
  using Inertia = std::function<VecX<double>(const Tree&, TreeScratch&)>;

  // (nv, count()): of -inertia alone.
  const MatX<double>& evaluate(const Inertia& inertia);

  // (nv, count()), at motions that `contact` was evaluated at and `scratch` has the links moved to. By
  // masses, moments and poses of shapes exact; by materials differences of the fourth order, with the motions
  // held, of the shapes with one number after the other: forwards where it is zero. `contact` is left as it
  // was, without derivatives.
  const MatX<double>& evaluate(const SystemTree& tree, CompliantContact& contact,
                               std::span<const BodyMotion> motions, const TreeScratch& scratch,
                               const Inertia& inertia);

 private:
  // A tree of bodies of which one is heavier.
  struct Variant {
    Eigen::Index column;
    double change;  // of the parameter
    Tree tree;
    TreeScratch scratch;
  };
  // A number that the materials of some of a body's shapes have.
  struct OfMaterial {
    Eigen::Index column;
    Parameter parameter;
    double number;
    double size;  // of the differences, in the parameter's unit
    Body body;
  };
  // A direction of a shape's pose.
  struct OfPose {
    Eigen::Index column;
    Parameter parameter;
  };
  void add_materials(Eigen::Index column, const Parameter& parameter, const Body& body);
  void add(const OfMaterial& part, const SystemTree& tree, CompliantContact& contact,
           std::span<const BodyMotion> motions, const TreeScratch& scratch);
  void add(const OfPose& part, const SystemTree& tree, CompliantContact& contact,
           std::span<const BodyMotion> motions, const TreeScratch& scratch);
  void add_force(const Vec6<double>& F_W, std::int32_t body, Eigen::Index column, const SystemTree& tree,
                 const TreeScratch& scratch);

  std::vector<Variant> variants_;  // none, or the tree itself (change 0) and then the others
  std::vector<OfMaterial> of_materials_;
  std::vector<OfPose> of_poses_;
  std::vector<std::uint8_t> touching_, wanted_;  // pairs
  MatX<double> slopes_;
};

}  // namespace abut::dynamics
