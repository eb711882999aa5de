#include "runtime/contact/soft_potential.h"

#include <cmath>
#include <limits>
#include <string>

#include "runtime/contact/soft/model.h"
#include "runtime/contact/soft/sample_contact.h"
#include "runtime/contact/soft_potential/kernel.h"
#include "runtime/contact/soft_potential/scratch.h"
#include "runtime/contact/soft_potential/shared_lattices.h"

namespace abut::contact {

namespace {

constexpr const char* kWho = "soft potential contact";

constexpr std::string_view kFields[] = {"auto", "points", "grid", "lattice"};  // of PotentialField

template <double SoftPotentialConfig::*member>
constexpr auto kMember = &setting<SoftPotentialConfig, member>;

constexpr Setting<SoftPotentialConfig> kSettings[] = {
    {"stiffness", "Pa/m", kMagnitude, "pressure per depth", kMember<&SoftPotentialConfig::stiffness>},
    {"eps3", "spacing", from_to(1e-4, 1e4), "distance at which the force sets in",
     kMember<&SoftPotentialConfig::eps3>},
    {"reach", "m", from_to(0, 1e12), "the same in metres, for gradients before contact; 0: eps3 spacings",
     kMember<&SoftPotentialConfig::reach>},
    {"dissipation", "s/m", from_to(0, 1e12), "pressure grows by this times the approaching speed",
     kMember<&SoftPotentialConfig::dissipation>},
    {"stiction_speed", "m/s", kMagnitude, "slip at which friction is 0.7 mu N",
     kMember<&SoftPotentialConfig::stiction_speed>},
    {"field",
     "",
     {},
     "of assets: in two stages from their oriented points, their distance grids, grids where they reach, "
     "or the points' on a lattice",
     choice<SoftPotentialConfig, &SoftPotentialConfig::field>(kFields)},
    {kPairThreads, "", from_to(1, 2 * internal::kShares),
     "threads that share the work on one pair's wrench; the same bits whatever their number",
     &setting<SoftPotentialConfig, &SoftPotentialConfig::pair_threads>},
};

// Where P ends, in eps3: s^2 / 2 is 3e-6 eps3^2 there; with a reach, which must be felt far ahead, 5e-14
// eps3^2.
constexpr double kFaded = 6, kFadedAhead = 15;

double faded(const SoftPotentialConfig& config) { return config.reach > 0 ? kFadedAhead : kFaded; }

double spacing(const body::Geometry& geometry) {
  const asset::PointsView& points = geometry.points();
  return points.point_count == 0 ? std::numeric_limits<double>::infinity() : points.spacing;
}

// Spacing of the samples of a surface: with quads they are twice as close as the points.
double sample_spacing(const body::Geometry& geometry) {
  return spacing(geometry) / (geometry.points().vertex_count > 0 ? 2 : 1);
}

// Returns true if the grid of a geometry is used where its field is evaluated up to `distance` (m).
bool by_grid(const SoftPotentialConfig& config, const body::Geometry& geometry, double distance) {
  if (geometry.primitive() != nullptr || config.field == PotentialField::kPoints ||
      config.field == PotentialField::kLattice)
    return false;
  return config.field == PotentialField::kGrid ||
         (geometry.grid().brick_count > 0 && distance <= geometry.grid().reach);
}

class SoftPotentialModel final : public Model {
 public:
  explicit SoftPotentialModel(const SoftPotentialConfig& config) : config_(config) {}

  void require_valid(const body::Pair& pair) const override {
    require_sound(pair);
    if (config_.field == PotentialField::kLattice) require_lattices(pair);
  }

  // Distance at which the field of points may still be felt ahead of an edge, minus the part in the partner's
  // reach.
  double reach(const body::Body& body) const override {
    const body::Geometry& geometry = body.geometry;
    const bool plane = geometry.half_space() != nullptr;
    const double eps3 = config_.reach > 0 ? config_.reach : plane ? 0 : config_.eps3 * spacing(geometry);
    const double end = faded(config_) * eps3;
    const bool by_points = geometry.primitive() == nullptr && !by_grid(config_, geometry, end);
    return by_points ? (internal::kSharp - 1) * end : end;
  }

  PairWrench wrench(const body::Pair& pair, Want want, WrenchHessian* hessian) override {
    require_room(want, true, hessian);
    const PotentialPair<double> views = require_sound(pair);
    soft_potential(with_lattices(views), internal::order_of(want), config_.pair_threads, scratch_, contact_);
    PairWrench result = internal::pair_wrench(contact_, want, hessian);
    result.status = contact_.met ? Status::kOk : Status::kNoOverlap;
    if (has(want, Want::kEnergy)) result.energy = contact_.energy;
    return without_overflow(result, want, hessian);
  }

  Constraints constraints(const body::Pair& pair, double margin, Want want) override {
    require_parts(pair);
    require_margin(kWho, margin);
    require_reach(pair, margin, "the margin ends");
    PotentialPair<double> views = with_lattices(potential_pair(config_, pair));
    views.grid_A = by_grid(config_, pair.A->geometry, margin);
    views.grid_B = by_grid(config_, pair.B->geometry, margin);
    potential_samples(views, margin, scratch_.near.front(), samples_);
    points_.clear();
    derivatives_.clear();
    for (const PotentialSample& s : samples_) {
      const internal::SampleContact contact{s.of_A, s.p, s.distance, s.gradient, s.hessian};
      if (!(s.gradient.norm() > kLeastSlope)) continue;
      points_.push_back(internal::contact_point(pair.X_AB, contact));
      points_.back().area = s.area;
      points_.back().feature = std::uint64_t{!s.of_A} << 32 | s.feature;
      if (has(want, Want::kJacobian)) derivatives_.push_back(internal::derivative(pair.X_AB, contact));
    }
    return without_overflow({points_, points_.empty() ? Status::kNoOverlap : Status::kOk, derivatives_});
  }

 private:
  unsigned needs(const body::Geometry& geometry) const {
    const bool grid = config_.field == PotentialField::kGrid && geometry.primitive() == nullptr;
    return grid ? body::kPointsPart | body::kGridPart : body::kPointsPart;
  }

  // Checks everything except whether a lattice fits, which is checked when the lattice is made.
  PotentialPair<double> require_sound(const body::Pair& pair) const {
    require_parts(pair);
    const PotentialPair<double> views = potential_pair(config_, pair);
    require_reach(pair, end(views), "forces end");
    return views;
  }

  void require_parts(const body::Pair& pair) const {
    internal::require_soft_pair(
        pair, [this](const body::Geometry& geometry) { return needs(geometry); }, kWho);
  }

  static void require_lattices(const body::Pair& pair) {
    for (const body::Body* body : {pair.A, pair.B}) {
      const body::Geometry& geometry = body->geometry;
      if (geometry.primitive() == nullptr && !ssdf::PointLattice::fits(geometry.points()))
        throw InvalidInput(std::string(kWho) + ": the lattice of " + geometry.name() +
                           " would have more than 4 million places; take field points or grid");
    }
  }

  static double end(const PotentialPair<double>& views) { return views.law.faded * views.law.eps3; }

  PotentialPair<double> with_lattices(PotentialPair<double> views) {
    if (config_.field != PotentialField::kLattice) return views;
    const auto lattice = [&](const body::Geometry& geometry) {
      return geometry.primitive() == nullptr ? &lattices_.of(geometry) : nullptr;
    };
    views.lattice_A = lattice(*views.A);
    views.lattice_B = lattice(*views.B);
    return views;
  }

  // Grids and lattices that are explicitly chosen must reach as far as the field is evaluated (m).
  void require_reach(const body::Pair& pair, double distance, const char* what) const {
    const bool lattice = config_.field == PotentialField::kLattice;
    if (!lattice && config_.field != PotentialField::kGrid) return;
    for (const body::Body* body : {pair.A, pair.B}) {
      const body::Geometry& geometry = body->geometry;
      if (geometry.primitive() != nullptr) continue;
      const double reach =
          lattice ? ssdf::PointLattice::kReach * geometry.points().spacing : geometry.grid().reach;
      if (distance > reach)
        throw InvalidInput(std::string(kWho) + ": " + what + " " + number_text(distance) +
                           " m from the surface, the " + (lattice ? "lattice" : "grid") + " of " +
                           geometry.name() + " at " + number_text(reach) +
                           " m; make either shorter, or take field auto");
    }
  }

  static constexpr double kLeastSlope = 1e-9;  // of the field; where it is flatter a point has no normal

  SoftPotentialConfig config_;
  std::vector<PotentialSample> samples_;
  std::vector<ContactPoint> points_;
  std::vector<ContactPointDerivative> derivatives_;
  SoftPotential<double> contact_;
  PotentialScratch<double> scratch_;
  internal::SharedLattices lattices_;
};

}  // namespace

std::span<const Setting<SoftPotentialConfig>> soft_potential_settings() { return kSettings; }

SoftPotentialConfig soft_potential_config(const SettingValues& values) {
  SoftPotentialConfig config;
  apply<SoftPotentialConfig>(kSettings, values, config, kWho);
  return config;
}

PotentialPair<double> potential_pair(const SoftPotentialConfig& config, const body::Pair& pair) {
  const double s_A = spacing(pair.A->geometry), s_B = spacing(pair.B->geometry);
  const double sample_A = sample_spacing(pair.A->geometry), sample_B = sample_spacing(pair.B->geometry);
  const auto share = [](double own, double other) { return 1 / (1 + std::pow(own / other, 4)); };
  const double eps3 = config.reach > 0 ? config.reach : config.eps3 * std::min(s_A, s_B);
  const double end = faded(config) * eps3;
  return {&pair.A->geometry,
          &pair.B->geometry,
          pair.X_AB,
          pair.V_AB_B,
          {config.stiffness, eps3, faded(config), body::pair_friction(pair.A->material, pair.B->material),
           config.stiction_speed, config.dissipation},
          share(sample_A, sample_B),
          share(sample_B, sample_A),
          by_grid(config, pair.A->geometry, end),
          by_grid(config, pair.B->geometry, end)};
}

std::unique_ptr<Model> make_soft_potential_model(const SoftPotentialConfig& config) {
  abut::require_valid<SoftPotentialConfig>(kSettings, config, kWho);
  return std::make_unique<SoftPotentialModel>(config);
}

}  // namespace abut::contact
