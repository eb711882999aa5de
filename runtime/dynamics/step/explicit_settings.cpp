#include "runtime/dynamics/step/explicit_settings.h"

namespace abut::dynamics {
namespace {

constexpr Setting<ExplicitSettings> kSettings[] = {
    kJointForceSettings<ExplicitSettings>[0], kJointForceSettings<ExplicitSettings>[1],
    kJointForceSettings<ExplicitSettings>[2], kAdaptiveSettings<ExplicitSettings>[0],
    kAdaptiveSettings<ExplicitSettings>[1],
};

}  // namespace

ExplicitSettings explicit_config(const StepConfig& config) {
  ExplicitSettings settings;
  apply<ExplicitSettings>(kSettings, config.integrator_settings, settings, "integrator " + config.integrator);
  return settings;
}

std::vector<SettingInfo> explicit_settings() { return describe<ExplicitSettings>(kSettings); }

}  // namespace abut::dynamics
