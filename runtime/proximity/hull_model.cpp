#include "runtime/proximity/hull_model.h"

#include "runtime/witness/pair_query.h"

namespace abut::proximity {
namespace {

class HullModel : public DistanceModel {
 public:
  HullModel(std::string_view method, const SettingValues& settings)
      : estimator_(derivative::make_estimator(method, settings)) {}

  void require_valid(const body::Pair& pair, const char* who) const override {
    witness::require_valid(pair, who);
  }
  Separation separation(const body::Pair& pair) override {
    return witness::separation(pair.A->geometry, pair.B->geometry, pair.X_AB, workspace_);
  }
  derivative::PairDerivative derivative(const body::Pair& pair) override { return (*estimator_)(pair); }

 private:
  witness::Workspace<double> workspace_;
  std::unique_ptr<derivative::Estimator> estimator_;
};

}  // namespace

std::vector<std::string_view> hull_methods() {
  std::vector<std::string_view> names;
  for (const derivative::EstimatorRow& row : derivative::estimators()) names.push_back(row.name);
  return names;
}

std::vector<SettingInfo> hull_settings(std::string_view method) {
  return derivative::find_estimator(method).settings();
}

std::unique_ptr<DistanceModel> make_hull_model(std::string_view method, const SettingValues& settings) {
  return std::make_unique<HullModel>(method, settings);
}

}  // namespace abut::proximity
