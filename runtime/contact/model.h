#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/core/settings.h"
#include "runtime/core/status.h"
#include "runtime/math/adjoint.h"

// Contact models behind one table. A model offers a wrench, or constraints, or both. To add one: a file with
// a class derived from Model, and a row in model.cpp; contract tests, command lines and benchmarks iterate
// the table.
//
//   auto model = contact::make_model("soft_minimum", {{"kernel", "wall"}});
//   const contact::PairWrench w = model->wrench({&mug, &box, X_AB});
namespace abut::contact {

// What is wanted of a wrench besides its value, as bits.
enum class Want : unsigned { kValue = 0, kJacobian = 1, kHessian = 2, kEnergy = 4 };
// All that either asks for.
constexpr Want operator|(Want a, Want b) {
  return static_cast<Want>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
// Whether all that `one` asks for is wanted.
constexpr bool has(Want wants, Want one) {
  return (static_cast<unsigned>(wants) & static_cast<unsigned>(one)) == static_cast<unsigned>(one);
}

// In place of a number that was not wanted.
inline constexpr double kNotAsked = std::numeric_limits<double>::quiet_NaN();

// Contact wrench on B, about B's origin Bo, expressed in B: F = (tau; f), N m and N. The wrench on A is its
// opposite: about Ao in A, -shift_wrench(X_AB, F_BBo_B).
//
// The Jacobian is (6, 12) with respect to the relative motion: 6 columns for xi of X_AB exp(xi), 6 for the
// relative twist V_AB_B (of B in A, at Bo, in B). The columns for xi hold V_AB_B fixed. Chains to each body's
// own pose and twist: docs/conventions.md, "Jacobians of a wrench". What was not asked for is NaN.
struct PairWrench {
  Vec6<double> F_BBo_B = Vec6<double>::Zero();                  // (tau; f) N m, N
  Mat6<double> dF_dxi_B = Mat6<double>::Constant(kNotAsked);    // (6, 6) N m/rad, N m/m; N/rad, N/m
  Mat6<double> dF_dV_AB_B = Mat6<double>::Constant(kNotAsked);  // (6, 6) N m s/rad, N m s/m; N s/rad, N s/m
  double energy = kNotAsked;  // J: potential whose negative gradient in xi is F; NaN too where there is none
  double area = kNotAsked;    // of the contact patch, m^2; NaN: the model has none
  Status status = Status::kOk;  // kNoOverlap: no contact, F = 0. kInvalidInput: every number is NaN
};

// Second derivatives of the six components of F by (xi; V_AB_B), in the chart X_AB exp(xi) at xi = 0:
// symmetric. (Slopes of Jacobians along a moving frame differ from them by half a commutator.)
using WrenchHessian = std::array<Eigen::Matrix<double, 12, 12>, 6>;

// One contact of a constraint-based solver, in A's frame. The bodies' own points are p_AC -+ gap / 2 n.
struct ContactPoint {
  Vec3<double> p_AC;  // midway between the two surfaces, m
  Vec3<double> n_A;   // unit normal from A to B
  double gap;         // signed distance along n, m: negative when penetrating
  double area;        // that the point stands for, m^2; 0: a point
  // Which pieces of the bodies make it (tetrahedra, triangles, samples): the same from pose to pose, and of
  // no two points of one answer.
  std::uint64_t feature;
};

// First derivatives of a contact point by xi of X_AB exp(xi), in A: exact but for the model `point`, where
// they are those of the smooth shapes which hulls approximate.
struct ContactPointDerivative {
  Mat36<double> dp_dxi_B, dn_dxi_B;        // m/rad, 1; 1/rad, 1/m
  Eigen::Matrix<double, 1, 6> dgap_dxi_B;  // m/rad, 1
};

// Valid until the model's next call.
struct Constraints {
  std::span<const ContactPoint> points;  // those with gap <= margin
  Status status;  // kNoOverlap: none within the margin. kInvalidInput: none, beyond what numbers hold
  std::span<const ContactPointDerivative> derivatives = {};  // one per point where they were wanted
};

// A reusable solver with its workspace: one per thread; after the first call (with bodies no larger) it
// allocates nothing; answers do not depend on what was asked before. Every call throws InvalidInput if a part
// that the model needs is absent, a number of the pair or the margin is not finite, or a rotation is none,
// and std::logic_error for a wrench, constraints or a Hessian that the model's row does not offer.
class Model {
 public:
  virtual ~Model() = default;

  // Throws as the others do for a pair that they cannot take, and asks nothing.
  virtual void require_valid(const body::Pair& pair) const = 0;

  // Bodies whose surfaces are apart by more than the sum of their reaches (m) exert less than 1e-16 of what
  // they do where they touch; more where points do not resolve them (thin walls, edges below 29 degrees).
  virtual double reach(const body::Body&) const { return 0; }

  // Wrench of a pair, and what is wanted besides. `hessian` is filled where Want::kHessian is, and must then
  // be given.
  virtual PairWrench wrench(const body::Pair& pair, Want want = Want::kJacobian,
                            WrenchHessian* hessian = nullptr);

  // Contact points with gap <= margin (m, >= 0), and with Want::kJacobian their derivatives.
  virtual Constraints constraints(const body::Pair& pair, double margin, Want want = Want::kValue);
};

// What the table says of a contact model.
struct ModelRow {
  std::string_view name;     // for command lines
  std::string_view summary;  // one line for people
  unsigned needs;            // body::Parts, unless a material asks for others
  Want offers;               // of what may be wanted besides the value
  // Number of continuous derivatives of the wrench as a function of pose and twists. -1: it may jump. Fewer
  // at poses of no measure: faces flush across a field's levels, the disc between an ellipsoid's foci.
  int smoothness;
  bool has_wrench;       // offers Model::wrench
  bool has_constraints;  // offers Model::constraints
  // True: the Jacobian is the wrench's own derivative where it has one. False: that of the smooth shapes
  // which the assets approximate.
  bool exact_jacobian;
  // Settings that are made from words; as numbers they are in the model's own header. Of these,
  // `constraint_settings` alone act on constraints.
  std::vector<SettingInfo> (*settings)();
  std::span<const std::string_view> constraint_settings;  // names of those that act there
  // With the given settings, the others at their defaults. Throws InvalidInput for an unknown setting and for
  // one out of range.
  std::unique_ptr<Model> (*make)(const SettingValues& settings);
};

// NaN and kInvalidInput.
PairWrench invalid_wrench();

// The wrench, or an invalid one where an entry that was asked for is beyond what numbers hold: sizes,
// stiffnesses or speeds are too large; then a Hessian that was asked for is NaN too.
PairWrench without_overflow(const PairWrench& wrench, Want want, WrenchHessian* hessian = nullptr);

// The contact points, or none and kInvalidInput where a number of them or of their derivatives is beyond.
Constraints without_overflow(const Constraints& constraints);

// Throws std::logic_error where a Hessian is wanted of a model that offers none, or there is no room for it.
void require_room(Want want, bool offered, const WrenchHessian* hessian);

// Throws InvalidInput naming `who` unless the margin is 0 or more, and finite.
void require_margin(const char* who, double margin);

// All rows, in a fixed order; the first is the default.
std::span<const ModelRow> models();

// Row by name. Throws InvalidInput, naming the models that there are, for an unknown one.
const ModelRow& find_model(std::string_view name);

// Model by name, with its default settings but for those given. Throws as find_model and ModelRow::make.
std::unique_ptr<Model> make_model(std::string_view name, const SettingValues& settings = {});

// One-shot form of Model::wrench. Throws as make_model and Model do.
PairWrench contact_wrench(std::string_view model, const body::Pair& pair, const SettingValues& settings = {},
                          Want want = Want::kJacobian, WrenchHessian* hessian = nullptr);

// One-shot form of Model::constraints. Throws InvalidInput, too, where they are beyond what numbers hold.
std::vector<ContactPoint> contact_points(std::string_view model, const body::Pair& pair, double margin,
                                         const SettingValues& settings = {});

// Wrenches of many pairs on several threads, the same bits for any number of them.
class BatchModel {
 public:
  // `threads` 0: one per core. Throws as make_model.
  explicit BatchModel(std::string_view model, const SettingValues& settings = {}, int threads = 0);

  // results[i] answers pairs[i], and hessians[i] where Want::kHessian is wanted (else they may be empty).
  // Throws InvalidInput if the spans differ in length or a pair is invalid; the message names the pair.
  void wrenches(std::span<const body::Pair> pairs, std::span<PairWrench> results, Want want = Want::kJacobian,
                std::span<WrenchHessian> hessians = {});

 private:
  std::vector<std::unique_ptr<Model>> models_;
};

}  // namespace abut::contact
