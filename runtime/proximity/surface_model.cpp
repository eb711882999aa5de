#include "runtime/proximity/surface_model.h"

#include <algorithm>

#include "runtime/proximity/primitive_query.h"
#include "runtime/proximity/surface_contacts.h"
#include "runtime/proximity/surface_smoothed.h"

namespace abut::proximity {
namespace {

constexpr std::string_view kPatch = "patch";

std::span<const Setting<SurfaceConfig>> settings_of(std::string_view method) {
  return method == kPatch ? std::span<const Setting<SurfaceConfig>>(kPatchSettings) : kSurfaceSettings;
}

class SurfaceModel : public DistanceModel {
 public:
  SurfaceModel(bool patches, const SurfaceConfig& config) : patches_(patches), config_(config) {}

  void require_valid(const body::Pair& pair, const char* who) const override {
    if (!of_primitive_and_surface(pair)) return require_surfaces(pair, who);
    require_primitive_and_surface(pair, who);
    if (patches_)
      throw InvalidInput(std::string(who) +
                         ": the method patch takes two assets, and one body is a primitive; take features");
  }

  void require_smoothable(const body::Pair& pair, const char* who) const override {
    require_surfaces(pair, who);
  }

  Separation separation(const body::Pair& pair) override { return find(pair).witness; }

  derivative::PairDerivative derivative(const body::Pair& pair) override {
    return differentiated(pair, find(pair));
  }

  std::span<const Contact> contacts(const body::Pair& pair, double margin, bool derivatives) override {
    require_margin("contacts", margin);
    if (of_primitive_and_surface(pair)) return DistanceModel::contacts(pair, margin, derivatives);
    const SurfaceContacts found =
        finder_(pair.A->geometry.surface(), pair.B->geometry.surface(), pair.X_AB, margin);
    contacts_.clear();
    for (const SurfaceContact& contact : found.contacts) {
      Contact& result = contacts_.emplace_back();
      result.pair = derivatives
                        ? differentiated(pair, contact.found)
                        : derivative::PairDerivative{contact.found.witness,
                                                     derivative::detail::invalid_derivative<double>()};
      result.feature_A = contact.feature_A, result.feature_B = contact.feature_B;
      if (!(found.margin < margin)) continue;
      result.pair.witness.status = Status::kNotConverged;
      if (result.pair.derivative.status != Status::kInvalidInput)
        result.pair.derivative.status = Status::kNotConverged;
    }
    return contacts_;
  }

  derivative::SmoothedPair smoothed(const body::Pair& pair) override {
    require_smoothable(pair, "smoothed separation");
    return smoother_(pair.A->geometry.surface(), pair.B->geometry.surface(), pair.X_AB, config_.temperature)
        .pair;
  }

 private:
  derivative::PairDerivative differentiated(const body::Pair& pair, const SurfaceWitness& found) const {
    if (of_primitive_and_surface(pair)) return {found.witness, primitive_derivative(pair, found)};
    const asset::SurfaceView &A = pair.A->geometry.surface(), &B = pair.B->geometry.surface();
    if (!patches_) return {found.witness, surface_derivative(A, B, pair.X_AB, found)};
    derivative::PairDerivative result{
        found.witness, patch_derivative(A, B, pair.X_AB, found.witness, config_.patch, config_.patch)};
    if (found.witness.distance < 0 && result.derivative.status != Status::kInvalidInput)
      take_depths_slope(surface_derivative(A, B, pair.X_AB, found), result);
    return result;
  }

  // Replaces the slope of a patch by that of the depth: several features hold the deepest point, and its
  // slope is the weighted sum of theirs.
  static void take_depths_slope(const derivative::WitnessDerivative<double>& features,
                                derivative::PairDerivative& result) {
    derivative::WitnessDerivative<double>& d = result.derivative;
    if (features.status == Status::kInvalidInput) {
      d = features;
      return;
    }
    d.dd_dxi_B = features.dd_dxi_B;
    derivative::detail::restore_witness_equation(result.witness, d);
    d.clamped_count = std::max(d.clamped_count, features.clamped_count);
    d.status = derivative::detail::status_of_derivative(result.witness.status, d.clamped_count);
  }

  SurfaceWitness find(const body::Pair& pair) {
    if (of_primitive_and_surface(pair)) return primitive_separation(pair, primitive_);
    return surface_separation(pair.A->geometry.surface(), pair.B->geometry.surface(), pair.X_AB, scratch_);
  }

  bool patches_;  // derivatives are those of smooth patches
  SurfaceConfig config_;
  SurfaceScratch scratch_;
  PrimitiveScratch primitive_;
  ContactFinder finder_;
  SurfaceSmoother smoother_;
  std::vector<Contact> contacts_;
};

}  // namespace

std::vector<std::string_view> surface_methods() { return {"features", kPatch}; }

std::vector<SettingInfo> surface_settings(std::string_view method) {
  return describe<SurfaceConfig>(settings_of(method));
}

std::unique_ptr<DistanceModel> make_surface_model(std::string_view method, const SettingValues& settings) {
  SurfaceConfig config;
  apply<SurfaceConfig>(settings_of(method), settings, config, "distance model surface");
  return std::make_unique<SurfaceModel>(method == kPatch, config);
}

}  // namespace abut::proximity
