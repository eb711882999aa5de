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

// Contact models behind one table. A model offers a wrench, or constraints, or both. To add one, write a file
// with a class derived from Model and add a row in model.cpp; contract tests, command lines and benchmarks
// iterate over the table.
//
//   auto model = contact::make_model("soft_minimum", {{"kernel", "wall"}});
//   const contact::PairWrench w = model->wrench({&mug, &box, X_AB});
namespace abut::contact {

// What to compute of a wrench besides its value, as bits.
enum class Want : unsigned { kValue = 0, kJacobian = 1, kHessian = 2, kEnergy = 4 };
// Everything that either of them requests.
constexpr Want operator|(Want a, Want b) {
  return static_cast<Want>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
// Returns true if `wants` includes everything that `one` requests.
constexpr bool has(Want wants, Want one) {
  return (static_cast<unsigned>(wants) & static_cast<unsigned>(one)) == static_cast<unsigned>(one);
}

// Value of numbers that were not requested.
inline constexpr double kNotAsked = std::numeric_limits<double>::quiet_NaN();

// Contact wrench on B, about B's origin Bo, expressed in B: F = (tau; f), N m and N. The wrench on A is the
// opposite one: about Ao in A, -shift_wrench(X_AB, F_BBo_B).
//
// The Jacobian is (6, 12), with respect to the relative motion: 6 columns for xi of X_AB exp(xi), 6 for the
// relative twist V_AB_B (of B in A, at Bo, in B). The columns for xi hold V_AB_B fixed. For the chain rule to
// each body's own pose and twist see docs/conventions.md, "Jacobians of a wrench". What was not requested is
// NaN.
struct PairWrench {
  Vec6<double> F_BBo_B = Vec6<double>::Zero();                  // (tau; f) N m, N
  Mat6<double> dF_dxi_B = Mat6<double>::Constant(kNotAsked);    // (6, 6) N m/rad, N m/m; N/rad, N/m
  Mat6<double> dF_dV_AB_B = Mat6<double>::Constant(kNotAsked);  // (6, 6) N m s/rad, N m s/m; N s/rad, N s/m
  double energy = kNotAsked;  // J: potential whose negative gradient in xi is F; NaN also where there is none
  double area = kNotAsked;    // of the contact patch, m^2; NaN: the model computes none
  Status status = Status::kOk;  // kNoOverlap: no contact, F = 0; kInvalidInput: every number is NaN
};

// Second derivatives of the six components of F with respect to (xi; V_AB_B), in the chart X_AB exp(xi)
// at xi = 0: symmetric. (The slopes of Jacobians along a moving frame differ from them by half a commutator.)
using WrenchHessian = std::array<Eigen::Matrix<double, 12, 12>, 6>;

// One contact for a constraint-based solver, in A's frame. Its witness points on the bodies are
// p_AC -+ gap / 2 n.
struct ContactPoint {
  Vec3<double> p_AC;  // midway between the two surfaces, m
  Vec3<double> n_A;   // unit normal from A to B
  double gap;         // signed distance along n, m: negative when penetrating
  double area;        // m^2, that the point represents; 0: an isolated point
  // Identifies the pieces of the bodies that make the contact (tetrahedra, triangles, samples). It persists
  // from pose to pose and is unique among the points of one result.
  std::uint64_t feature;
};

// First derivatives of a contact point with respect to xi of X_AB exp(xi), in A. They are exact, except those
// of the model `point`, which are those of the smooth shapes that the hulls approximate.
struct ContactPointDerivative {
  Mat36<double> dp_dxi_B, dn_dxi_B;        // m/rad, 1; 1/rad, 1/m
  Eigen::Matrix<double, 1, 6> dgap_dxi_B;  // m/rad, 1
};

// Contact points of a pair. Valid until the model's next call.
struct Constraints {
  std::span<const ContactPoint> points;  // those with gap <= margin
  Status status;  // kNoOverlap, kInvalidInput (overflow): no points; kClamped: with clamped derivatives
  std::span<const ContactPointDerivative> derivatives = {};  // one per point if requested
};

// A reusable solver with its workspace. Use one per thread. After the first call it does not allocate for
// bodies that are no larger, and results do not depend on earlier calls. Every call throws InvalidInput if a
// part that the model needs is absent, a number of the pair or the margin is not finite, or a rotation matrix
// is not a rotation, and std::logic_error for a wrench, constraints or a Hessian that the model's row does
// not offer.
class Model {
 public:
  virtual ~Model() = default;

  // Throws what the other members would throw for this pair; computes nothing.
  virtual void require_valid(const body::Pair& pair) const = 0;

  // Bodies whose surfaces, of assets the boxes around them, are farther apart than the sum of their reaches
  // (m) exert less than 1e-16 of the force at touching; more where points do not resolve the bodies (thin
  // walls, edges below 29 degrees).
  virtual double reach(const body::Body&) const { return 0; }

  // Computes the wrench of a pair and whatever else is requested. `hessian` must be given, and is filled, if
  // `want` includes Want::kHessian.
  virtual PairWrench wrench(const body::Pair& pair, Want want = Want::kJacobian,
                            WrenchHessian* hessian = nullptr);

  // Computes the contact points with gap <= margin (m, >= 0), and with Want::kJacobian their derivatives.
  virtual Constraints constraints(const body::Pair& pair, double margin, Want want = Want::kValue);
};

// One contact model in the table.
struct ModelRow {
  std::string_view name;     // for command lines
  std::string_view summary;  // one line, for people
  unsigned needs;            // body::Parts, unless a material needs others
  Want offers;               // which of Want's bits it can compute besides the value
  // Number of continuous derivatives of the wrench as a function of pose and twists; -1: it may jump. There
  // may be fewer at a set of poses of measure zero: faces flush with a field's levels, the disc between an
  // ellipsoid's foci.
  int smoothness;
  bool has_wrench;       // offers Model::wrench
  bool has_constraints;  // offers Model::constraints
  // True: the Jacobian is the derivative of the wrench itself wherever that exists. False: it is that of the
  // smooth shapes which the assets approximate.
  bool exact_jacobian;
  // Settings as words, for command lines; the model's own header has them as numbers. Only those named in
  // `constraint_settings` affect constraints.
  std::vector<SettingInfo> (*settings)();
  std::span<const std::string_view> constraint_settings;  // names of those that affect constraints
  // Makes a model with the given settings and the defaults of all others. Throws InvalidInput for an unknown
  // setting and for one out of range.
  std::unique_ptr<Model> (*make)(const SettingValues& settings);
};

// Returns a wrench of NaN with status kInvalidInput.
PairWrench invalid_wrench();

// Returns the wrench, or an invalid one if a requested entry overflows because sizes, stiffnesses or speeds
// are too large; a requested Hessian is then NaN too.
PairWrench without_overflow(const PairWrench& wrench, Want want, WrenchHessian* hessian = nullptr);

// Returns the contact points, or none with kInvalidInput if a number of them or of their derivatives
// overflows.
Constraints without_overflow(const Constraints& constraints);

// Throws std::logic_error if a Hessian is requested from a model that offers none, or `hessian` is null.
void require_room(Want want, bool offered, const WrenchHessian* hessian);

// Throws InvalidInput, naming `who`, unless the margin is 0 or more and finite.
void require_margin(const char* who, double margin);

// All rows, in a fixed order; the first is the default.
std::span<const ModelRow> models();

// Returns the row of that name. Throws InvalidInput, listing the models, for an unknown one.
const ModelRow& find_model(std::string_view name);

// Makes a model by name, with default settings except those given. Throws as find_model and ModelRow::make
// do.
std::unique_ptr<Model> make_model(std::string_view name, const SettingValues& settings = {});

// One-shot form of Model::wrench. Throws as make_model and Model do.
PairWrench contact_wrench(std::string_view model, const body::Pair& pair, const SettingValues& settings = {},
                          Want want = Want::kJacobian, WrenchHessian* hessian = nullptr);

// One-shot form of Model::constraints. Also throws InvalidInput where they overflow.
std::vector<ContactPoint> contact_points(std::string_view model, const body::Pair& pair, double margin,
                                         const SettingValues& settings = {});

// Computes wrenches of many pairs on several threads; bit-identical for any number of threads.
class BatchModel {
 public:
  // `threads` 0: one per core. Throws as make_model does.
  explicit BatchModel(std::string_view model, const SettingValues& settings = {}, int threads = 0);

  // Computes results[i] for pairs[i], and hessians[i] if Want::kHessian is requested (otherwise `hessians`
  // may be empty). Throws InvalidInput if the spans differ in length or a pair is invalid; the message names
  // the pair.
  void wrenches(std::span<const body::Pair> pairs, std::span<PairWrench> results, Want want = Want::kJacobian,
                std::span<WrenchHessian> hessians = {});

 private:
  std::vector<std::unique_ptr<Model>> models_;
};

}  // namespace abut::contact
