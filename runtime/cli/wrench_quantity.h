#pragma once

#include "runtime/cli/quantity.h"
#include "runtime/contact/model.h"

// Contact wrenches, with or without derivatives.
namespace abut::cli {

// Names of the rows of the contact-model table that have a wrench.
std::vector<std::string_view> wrench_models();
std::vector<SettingInfo> wrench_settings(std::string_view model);

// Wrenches of one contact model; derived classes write them.
class WrenchQuantity : public Quantity {
 public:
  void require_valid(const body::Pair& pair) const override { checks_->require_valid(pair); }

 protected:
  WrenchQuantity(std::vector<std::string> columns, std::string_view model, const QuantityOptions& options,
                 contact::Want want)
      : Quantity(std::move(columns)),
        want_(want),
        checks_(contact::make_model(model, options.settings)),
        batch_(model, options.settings, options.threads) {}

  contact::Want want() const { return want_; }
  const contact::PairWrench& result(std::size_t i) const { return results_[i]; }
  const contact::WrenchHessian& hessian(std::size_t i) const { return hessians_[i]; }

 private:
  void solve(std::span<const body::Pair> pairs) override;

  contact::Want want_;
  std::unique_ptr<contact::Model> checks_;
  contact::BatchModel batch_;
  std::vector<contact::PairWrench> results_;
  std::vector<contact::WrenchHessian> hessians_;  // if requested
};

std::unique_ptr<Quantity> make_wrench(std::string_view model, const QuantityOptions& options);
std::unique_ptr<Quantity> make_wrench_derivative(std::string_view model, const QuantityOptions& options);

}  // namespace abut::cli
