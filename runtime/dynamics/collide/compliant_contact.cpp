#include "runtime/dynamics/collide/compliant_contact.h"

#include <algorithm>
#include <cmath>

#include "runtime/contact/slip_setting.h"
#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/dynamics/collide/required_pairs.h"
#include "runtime/dynamics/solve/smoothed_friction.h"
#include "runtime/math/adjoint.h"

namespace abut::dynamics {
namespace {

using contact::Want;

// Returns the settings with the slip at which friction has 0.7 of its full value multiplied by `factor`, for
// a model with such a setting. The slip is that of the settings, or else `standard`, m/s, or the model's
// default where that is NaN.
SettingValues with_stiction(const std::string& model, SettingValues settings, double standard,
                            double factor) {
  const std::vector<SettingInfo> all = contact::find_model(model).settings();
  const auto info = std::find_if(all.begin(), all.end(), [](const SettingInfo& setting) {
    return contact::is_slip_setting(setting.name);
  });
  if (info == all.end()) return settings;
  const auto given = std::find_if(settings.begin(), settings.end(),
                                  [&](const SettingValue& value) { return value.name == info->name; });
  if (given != settings.end() && factor == 1) return settings;
  if (given == settings.end() && factor == 1 && std::isnan(standard)) return settings;
  if (info->unit != "m/s") standard /= kGreatestUnit;
  double speed = standard;
  if (given != settings.end() || std::isnan(standard))
    detail::read_number(given != settings.end() ? given->text : info->default_value, speed);
  speed = std::min(factor * speed, kMagnitude.high);
  if (given != settings.end())
    *given = SettingValue(info->name, speed);
  else
    settings.emplace_back(info->name, speed);
  return settings;
}

// Adds the wrench of one pair of shapes, with its derivatives, to those of the bodies. With the bodies'
// displacements x_i and T_i = to_Bo, the relative tangent and twist are
//   xi = T_B x_B - T_A x_A,   V = V_AB_B = T_B V_B - T_A V_A,   and the wrench on body i is  s_i T_i' F,
// with F = F_BBo_B and s_i = `sign`. T_i depends on the poses: B's shape rotates with x_B, and r_A changes by
// the difference of the translations of x_B and x_A.
void add_shapes(const contact::PairWrench& wrench, const Mat3<double>& R_WB,
                const std::array<CompliantContact::Partner, 2>& partners, PairForce& force) {
  const auto& [A, B] = partners;
  const Vec3<double> moment = R_WB * wrench.F_BBo_B.head<3>(), push = R_WB * wrench.F_BBo_B.tail<3>();
  const std::array<Mat6<double>, 2> T{A.to_Bo(R_WB), B.to_Bo(R_WB)};
  const Mat3<double> to_B = R_WB.transpose(), Z = Mat3<double>::Zero();
  const Vec3<double> w = B.V_W.head<3>() - A.V_W.head<3>();
  const Vec3<double> v =
      B.V_W.tail<3>() + B.V_W.head<3>().cross(B.r_W) - A.V_W.tail<3>() - A.V_W.head<3>().cross(A.r_W);
  const Mat3<double> wA = to_B * skew<double>(A.V_W.head<3>()), f = skew(push), rB = skew(B.r_W);
  std::array<Mat6<double>, 2> dV;  // of V by x_A and x_B, at constant twists of the bodies
  dV[0] << Z, Z, Z, wA;
  dV[1] << to_B * skew(w), Z, to_B * (skew(v) - skew(w) * rB), -wA;
  std::array<std::array<Mat6<double>, 2>, 2> turned;  // T_i' F by x_A and x_B, at constant F
  turned[0][0] << Z, f, Z, Z;
  turned[0][1] << f * rB - skew(moment) - skew(A.r_W) * f, -f, -f, Z;
  turned[1][0].setZero();
  turned[1][1] << -skew<double>(moment + B.r_W.cross(push)), Z, -f, Z;
  for (std::size_t on = 0; on < 2; ++on) {
    const Mat6<double> to_world = partners[on].sign * T[on].transpose();
    force.F_W[on] += to_world * wrench.F_BBo_B;
    for (std::size_t of = 0; of < 2; ++of) {
      const Mat6<double> by = partners[of].sign * T[of];
      force.dF_dx[on][of] +=
          to_world * (wrench.dF_dxi_B * by + wrench.dF_dV_AB_B * dV[of]) + partners[on].sign * turned[on][of];
      force.dF_dV[on][of] += to_world * (wrench.dF_dV_AB_B * by);
    }
  }
}

void add_wrench(const Vec6<double>& F_BBo_B, const Mat3<double>& R_WB,
                const std::array<CompliantContact::Partner, 2>& partners, PairForce& force) {
  for (std::size_t on = 0; on < 2; ++on)
    force.F_W[on] += partners[on].sign * (partners[on].to_Bo(R_WB).transpose() * F_BBo_B);
}

// Adds the derivatives of the wrenches on both bodies by xi of X_AS exp(xi), where S is A's shape and the
// bodies do not move: B's shape moves by -Ad(X_BA) xi relative to it.
void add_slopes_by_A(const CompliantContact::Meeting& met, std::array<Mat6<double>, 2>& slopes) {
  const Mat6<double> by = -met.wrench.dF_dxi_B * adjoint(met.X_WB.inverse() * met.X_WA);
  for (std::size_t on = 0; on < 2; ++on)
    slopes[on] += met.partners[on].sign * (met.partners[on].to_Bo(met.X_WB.R).transpose() * by);
}

// Adds those by xi of X_BS exp(xi), where S is B's shape. The bodies' twists are constant, whereas V_AB_B is
// that of the shape's frame: the T_i rotate by R xi_w and their r_W change by R xi_v, so that
//   dV = ([w_B] xi_w; [v_B] xi_w + [w_B] xi_v),   V_AB_B = (w_B; v_B).
void add_slopes_by_B(const CompliantContact::Meeting& met, std::array<Mat6<double>, 2>& slopes) {
  const Mat3<double>&R = met.X_WB.R, Z = Mat3<double>::Zero();
  const auto& [A, B] = met.partners;
  const Vec6<double> V = B.to_Bo(R) * B.V_W - A.to_Bo(R) * A.V_W;
  Mat6<double> dV;
  dV << skew<double>(V.head<3>()), Z, skew<double>(V.tail<3>()), skew<double>(V.head<3>());
  const Mat6<double> dF = met.wrench.dF_dxi_B + met.wrench.dF_dV_AB_B * dV;
  const Mat3<double> moment = skew<double>(R * met.wrench.F_BBo_B.head<3>()),
                     push = skew<double>(R * met.wrench.F_BBo_B.tail<3>());
  for (std::size_t on = 0; on < 2; ++on) {
    Mat6<double> turned;  // T_i' F by xi, at constant F
    turned << -(moment + skew(met.partners[on].r_W) * push) * R, -push * R, -push * R, Z;
    slopes[on] += met.partners[on].sign * (met.partners[on].to_Bo(R).transpose() * dF + turned);
  }
}

}  // namespace

CompliantContact::CompliantContact(const System& system, const ContactSource& source, int threads,
                                   double stiction)
    : system_(system),
      source_(source),
      threads_(threads > 0 ? threads : default_threads()),
      stiction_(stiction),
      placed_(system, std::span(models_.emplace_back(make_models(1))).first(model_count())) {
  if (system.scene().contacts.empty()) require_parts(system, contact::find_model(force_model(source)).needs);
  require_pairs(system, [this](const Shape&, std::size_t placed_A, const Shape&, std::size_t placed_B) {
    return models_[0][model_of(placed_A, placed_B)].get();
  });
}

CompliantContact::Models CompliantContact::make_models(double factor) const {
  const std::string name = force_model(source_);
  if (source_.sampling == ContactSampling::kPieces)
    throw InvalidInput(
        "contact by pieces offers no wrench; take an integrator with rigid contact, such as midpoint");
  if (!contact::find_model(name).has_wrench)
    throw InvalidInput("the contact model '" + name + "' offers no wrench");
  Models models;
  const auto add = [&](const std::string& model, const SettingValues& settings) {
    models.push_back(contact::make_model(model, with_stiction(model, settings, stiction_, factor)));
  };
  for (int thread = 0; thread < threads_; ++thread) {
    add(name, source_.settings);
    for (const ContactChoice& choice : system_.scene().contacts) add(choice.model, choice.settings);
  }
  return models;
}

void CompliantContact::smooth_stiction(double factor) {
  const auto known = std::find(factors_.begin(), factors_.end(), factor);
  acting_ = static_cast<std::size_t>(known - factors_.begin());
  if (known != factors_.end()) return;
  models_.push_back(make_models(factor));
  factors_.push_back(factor);
}

void CompliantContact::find(const State& state, const Control& control, double dt,
                            std::span<const Vec6<double>> twists_W) {
  placed_.place(state, control, dt, twists_W);
  const auto fixed = static_cast<std::int32_t>(placed_.fixed_count());
  const std::span<const PlacedShape> shapes = placed_.shapes();
  forces_.clear();
  shapes_.clear();
  first_.assign(1, 0);
  model_.clear();
  for (const BodyPair& pair : broad_.update(placed_.bounds(), placed_.fixed_count())) {
    if (!system_.may_meet(static_cast<std::size_t>(pair.A), static_cast<std::size_t>(pair.B))) continue;
    const PlacedBody &A = placed_.bodies()[static_cast<std::size_t>(pair.A)],
                     &B = placed_.bodies()[static_cast<std::size_t>(pair.B)];
    for (std::int32_t a = A.first_shape; a < A.end_shape; ++a)
      for (std::int32_t b = B.first_shape; b < B.end_shape; ++b)
        if (shapes[static_cast<std::size_t>(a)].bounds.meets(shapes[static_cast<std::size_t>(b)].bounds))
          shapes_.push_back({a, b});
    if (shapes_.size() == first_.back()) continue;
    first_.push_back(shapes_.size());
    model_.push_back(model_of(static_cast<std::size_t>(pair.A), static_cast<std::size_t>(pair.B)));
    PairForce& force = forces_.emplace_back();
    force.A = pair.A < fixed ? kFixed : pair.A - fixed;
    force.B = pair.B - fixed;
  }
}

void CompliantContact::set_shapes(std::size_t body, std::span<const Shape> shapes) {
  const auto first = static_cast<std::size_t>(system_.first_shape()[system_.fixed_count() + body]);
  for (std::size_t i = 0; i < shapes.size(); ++i)
    placed_.set_shape(first + i, shapes[i].X_BS, shapes[i].material);
}

void CompliantContact::set_friction(bool acts) {
  for (std::size_t i = 0; i < system_.shape_count(); ++i) {
    body::Material material = system_.shape(i).material;
    if (!acts) material.friction = 0;
    placed_.set_shape(i, system_.shape(i).X_BS, material);
  }
}

Status CompliantContact::status() const {
  Status status = Status::kOk;
  for (const PairForce& force : forces_) {
    if (!force.converged) return Status::kNotConverged;
    if (force.clamped) status = Status::kClamped;
  }
  return status;
}

bool CompliantContact::covers(std::span<const BodyMotion> motions, double dt) const {
  for (std::size_t i = 0; i < motions.size(); ++i)
    if (!placed_.covers(i, motions[i].V_WB_W, dt)) return false;
  return true;
}

void CompliantContact::evaluate(std::span<const BodyMotion> motions, std::span<const std::uint8_t> wanted,
                                contact::Want want) {
  parallel_for(static_cast<std::int64_t>(forces_.size()), threads_, [&](std::int64_t i, int thread) {
    const auto pair = static_cast<std::size_t>(i);
    if (wanted[pair] != 0) evaluate(motions, want, static_cast<std::size_t>(thread), pair);
  });
}

void CompliantContact::evaluate(std::span<const BodyMotion> motions, contact::Want want, std::size_t thread,
                                std::size_t pair) {
  contact::Model& model = *models_[acting_][thread * model_count() + model_[pair]];
  PairForce& force = forces_[pair];
  force.contacts = 0;
  force.converged = true;
  force.clamped = false;
  for (std::size_t on = 0; on < 2; ++on) {
    force.F_W[on].setZero();
    for (std::size_t of = 0; of < 2; ++of) {
      force.dF_dx[on][of].setZero();
      force.dF_dV[on][of].setZero();
    }
  }
  for (std::size_t k = first_[pair]; k < first_[pair + 1]; ++k) {
    const Meeting met = meet(motions, force, shapes_[k], model, want);
    if (met.wrench.status == Status::kNoOverlap) continue;
    ++force.contacts;
    force.converged = force.converged && met.wrench.status != Status::kNotConverged;
    force.clamped = force.clamped || met.wrench.status == Status::kClamped;
    if (contact::has(want, Want::kJacobian))
      add_shapes(met.wrench, met.X_WB.R, met.partners, force);
    else
      add_wrench(met.wrench.F_BBo_B, met.X_WB.R, met.partners, force);
  }
}

CompliantContact::Meeting CompliantContact::meet(std::span<const BodyMotion> motions, const PairForce& force,
                                                 const ShapePair& shapes, contact::Model& model,
                                                 Want want) const {
  const BodyMotion still{};
  const BodyMotion &A = force.A == kFixed ? still : motions[static_cast<std::size_t>(force.A)],
                   &B = motions[static_cast<std::size_t>(force.B)];
  const PlacedShape &of_A = placed_.shapes()[static_cast<std::size_t>(shapes.A)],
                    &of_B = placed_.shapes()[static_cast<std::size_t>(shapes.B)];
  const Pose<double> X_WA = A.X_WB * of_A.X_BS, X_WB = B.X_WB * of_B.X_BS;
  const std::array<Partner, 2> partners{Partner{-1, X_WB.p - A.X_WB.p, A.V_WB_W},
                                        Partner{1, X_WB.p - B.X_WB.p, B.V_WB_W}};
  const Vec6<double> V_AB_B = partners[1].to_Bo(X_WB.R) * B.V_WB_W - partners[0].to_Bo(X_WB.R) * A.V_WB_W;
  return {X_WA, X_WB, partners, model.wrench({&of_A.body, &of_B.body, X_WA.inverse() * X_WB, V_AB_B}, want)};
}

std::array<Mat6<double>, 2> CompliantContact::slopes_by_shape(std::span<const BodyMotion> motions,
                                                              std::size_t pair, std::size_t body,
                                                              std::size_t shape) {
  const PairForce& force = forces_[pair];
  const bool of_B = force.B == static_cast<std::int32_t>(body);
  const auto moved = static_cast<std::int32_t>(
      static_cast<std::size_t>(system_.first_shape()[system_.fixed_count() + body]) + shape);
  std::array<Mat6<double>, 2> slopes{Mat6<double>::Zero(), Mat6<double>::Zero()};
  for (std::size_t k = first_[pair]; k < first_[pair + 1]; ++k) {
    if ((of_B ? shapes_[k].B : shapes_[k].A) != moved) continue;
    const Meeting met = meet(motions, force, shapes_[k], *models_[acting_][model_[pair]], Want::kJacobian);
    if (met.wrench.status == Status::kNoOverlap) continue;
    of_B ? add_slopes_by_B(met, slopes) : add_slopes_by_A(met, slopes);
  }
  return slopes;
}

}  // namespace abut::dynamics
