#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/asset/pair.h"
#include "runtime/core/settings.h"
#include "runtime/core/status.h"
#include "runtime/math/adjoint.h"

// Contact models behind one table. A model offers a wrench, or constraints, or both. To add one: a file with
// a class derived from Model, and a row in model.cpp; contract tests, command lines and benchmarks iterate
// the table.
namespace abut::contact {

// Contact wrench on B, about B's origin Bo, expressed in B: F = (tau; f), N m and N. The wrench on A is its
// opposite: about Ao in A, -shift_wrench(X_AB, F_BBo_B).
//
// The Jacobian is (6, 12) with respect to the relative motion: 6 columns for xi of X_AB exp(xi), 6 for the
// relative twist V_AB_B (of B in A, at Bo, in B). The columns for xi hold V_AB_B fixed. Chains to each body's
// own pose and twist: docs/conventions.md, "Jacobians of a wrench".
struct PairWrench {
  Vec6<double> F_BBo_B = Vec6<double>::Zero();
  Mat6<double> dF_dxi_B = Mat6<double>::Zero();    // (6, 6) N m/rad, N m/m; N/rad, N/m
  Mat6<double> dF_dV_AB_B = Mat6<double>::Zero();  // (6, 6) N m s/rad, N m s/m; N s/rad, N s/m
  double energy = 0;  // potential whose negative gradient in xi is F, J; NaN: there is none, or it takes work
                      // of its own and was not asked for
  double area = 0;    // of the contact patch, m^2; NaN: the model has none
  Status status = Status::kOk;  // kNoOverlap: no contact, F = 0. kInvalidInput: every number is NaN
};

// How much of a PairWrench is wanted: the wrench; its Jacobian too; its energy too. Jacobians are zero where
// they were not asked for.
enum class Want { kValue, kJacobian, kEnergy };

// One contact of a constraint-based solver, in A's frame. The bodies' own points are p_AC -+ gap / 2 n.
struct ContactPoint {
  Vec3<double> p_AC;  // midway between the two surfaces, m
  Vec3<double> n_A;   // unit normal from A to B
  double gap;         // signed distance along n, m: negative when penetrating
  double area;        // that the point stands for, m^2; 0: a point
};

// Valid until the model's next call.
struct Constraints {
  std::span<const ContactPoint> points;
  Status status;  // kNoOverlap: none within the margin
};

// A reusable solver with its workspace: one per thread; after the first call (with assets no larger) it
// allocates nothing; answers do not depend on what was asked before. Every call throws InvalidInput if a part
// that the model needs is absent, the pose is not finite or its rotation not one, or a twist or the margin is
// not finite, and std::logic_error for a capability that the model's row does not offer.
class Model {
 public:
  virtual ~Model() = default;

  // Wrench of a pair whose bodies move with the twists V_A (of A in the world, at Ao, in A) and V_B (of B, at
  // Bo, in B), rad/s and m/s. Only their difference V_AB_B matters.
  virtual PairWrench wrench(const asset::PosedPair& pair, const Vec6<double>& V_A, const Vec6<double>& V_B,
                            Want want = Want::kJacobian);

  // Contact points with gap <= margin (m, >= 0).
  virtual Constraints constraints(const asset::PosedPair& pair, double margin);
};

struct ModelRow {
  std::string_view name;     // for command lines
  std::string_view summary;  // one line for people
  unsigned needs;            // asset::Parts
  bool has_wrench;
  bool has_constraints;
  // Number of continuous derivatives of the wrench as a function of pose and twists, at every pose. -1: it
  // may jump.
  int smoothness;
  // True: the Jacobian is the wrench's own derivative where it has one. False: that of the smooth shapes
  // which the assets approximate.
  bool exact_jacobian;
  // Settings that are made from words; as numbers they are in the model's own header. Of these,
  // `constraint_settings` alone act on constraints.
  std::vector<SettingInfo> (*settings)();
  std::span<const std::string_view> constraint_settings;
  // With the given settings, the others at their defaults. Throws InvalidInput for an unknown setting and for
  // one out of range.
  std::unique_ptr<Model> (*make)(const SettingValues& settings);
};

// The wrench, or NaN and kInvalidInput where an entry is beyond what numbers hold: sizes, stiffnesses or
// speeds are too large.
PairWrench without_overflow(const PairWrench& wrench);

// What a model asks of its other arguments: throw InvalidInput naming `who`.
void require_finite(const char* who, const Vec6<double>& V_A, const Vec6<double>& V_B);
void require_margin(const char* who, double margin);

// All rows, in a fixed order.
std::span<const ModelRow> models();

// Row by name. Throws InvalidInput, naming the models that there are, for an unknown one.
const ModelRow& find_model(std::string_view name);

// Model by name, with its default settings but for those given. Throws as find_model and ModelRow::make.
std::unique_ptr<Model> make_model(std::string_view name, const SettingValues& settings = {});

// One-shot form of Model::wrench. Throws as make_model and Model do.
PairWrench contact_wrench(std::string_view model, const asset::PosedPair& pair, const Vec6<double>& V_A,
                          const Vec6<double>& V_B, Want want = Want::kJacobian);

// One-shot form of Model::constraints.
std::vector<ContactPoint> contact_points(std::string_view model, const asset::PosedPair& pair, double margin);

// A pair in motion, as one element of a batch.
struct MovingPair {
  asset::PosedPair pair;
  Vec6<double> V_A = Vec6<double>::Zero();
  Vec6<double> V_B = Vec6<double>::Zero();
};

// Wrenches of many pairs on several threads, the same bits for any number of them.
class BatchModel {
 public:
  // `threads` 0: one per core. Throws as make_model.
  explicit BatchModel(std::string_view model, int threads = 0, const SettingValues& settings = {});

  // results[i] answers pairs[i]. Throws InvalidInput if the spans differ in length or a pair is invalid.
  void wrenches(std::span<const MovingPair> pairs, std::span<PairWrench> results,
                Want want = Want::kJacobian);

 private:
  std::vector<std::unique_ptr<Model>> models_;
};

}  // namespace abut::contact
