#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/dynamics/collide/compliant_contact.h"
#include "runtime/dynamics/solve/joint_forces.h"
#include "runtime/dynamics/system/parameter.h"

namespace abut::dynamics {

// Derivatives with respect to a system's parameters of tau - M a - b, the residual force of given
// accelerations.
class ParameterSlopes {
 public:
  // Throws InvalidInput as require_valid(scene, parameters).
  ParameterSlopes(const SystemTree& tree, std::span<const Parameter> parameters);

  Eigen::Index count() const { return slopes_.cols(); }

  // Computes M a + b, (nv), of a tree like the system's.
  using Inertia = std::function<VecX<double>(const Tree&, TreeScratch&)>;

  // Returns the derivative (nv, count()) of -inertia only.
  const MatX<double>& evaluate(const Inertia& inertia);

  // Returns the derivative (nv, count()) at the motions at which `contact` was evaluated and to which the
  // links in `scratch` were moved. Exact for poses of shapes; fourth-order differences for masses and
  // moments, and for materials, with the motions held, taken for each distinct number of a body's materials
  // in turn; forward differences where that number is zero. `contact` ends as evaluated before, but without
  // derivatives.
  const MatX<double>& evaluate(const SystemTree& tree, CompliantContact& contact,
                               std::span<const BodyMotion> motions, const TreeScratch& scratch,
                               const Inertia& inertia);

 private:
  // A tree in which the mass or a moment of one body is another.
  struct Variant {
    Eigen::Index column;
    double weight;  // in the differences, 1/unit of the parameter
    Tree tree;
    TreeScratch scratch;
  };
  // A number that the materials of some of a body's shapes share.
  struct OfMaterial {
    Eigen::Index column;
    Parameter parameter;
    double number;
    double size;  // step of the differences, in the parameter's unit
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

  std::vector<Variant> variants_;
  std::vector<OfMaterial> of_materials_;
  std::vector<OfPose> of_poses_;
  std::vector<std::uint8_t> touching_, wanted_;  // for each pair
  MatX<double> slopes_;
};

}  // namespace abut::dynamics
