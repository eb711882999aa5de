#include "runtime/proximity/surface_model.h"

#include "runtime/proximity/surface_query.h"

namespace abut::proximity {
namespace {

class SurfaceModel : public DistanceModel {
 public:
  void require_valid(const body::Pair& pair, const char* who) const override { require_surfaces(pair, who); }

  witness::Witness<double> separation(const body::Pair& pair) override { return find(pair).witness; }

  derivative::PairDerivative derivative(const body::Pair& pair) override {
    const SurfaceWitness found = find(pair);
    return {found.witness,
            surface_derivative(pair.A->geometry.surface(), pair.B->geometry.surface(), pair.X_AB, found)};
  }

 private:
  SurfaceWitness find(const body::Pair& pair) {
    return surface_separation(pair.A->geometry.surface(), pair.B->geometry.surface(), pair.X_AB, scratch_);
  }

  SurfaceScratch scratch_;
};

}  // namespace

std::vector<std::string_view> surface_methods() { return {"features"}; }

std::vector<SettingInfo> surface_settings(std::string_view) { return {}; }

std::unique_ptr<DistanceModel> make_surface_model(std::string_view, const SettingValues& settings) {
  require_known(settings, {}, "--model surface");
  return std::make_unique<SurfaceModel>();
}

}  // namespace abut::proximity
