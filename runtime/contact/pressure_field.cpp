#include "runtime/contact/pressure_field.h"

#include <cmath>
#include <limits>
#include <string>

#include "runtime/contact/pressure_energy.h"
#include "runtime/contact/visit_facets.h"

namespace abut::contact {

namespace {

constexpr const char* kWho = "pressure-field contact";

// Counts a facet, with its moments; false: it has no area and adds nothing.
template <class S>
bool count(const Facet<S>& facet, PolygonMoments<S>& m, SurfaceSums<S>& sums) {
  m = moments(facet.polygon, facet.n);
  if (!(m.area > S(0))) return false;
  if (facet.polygon.in_face) {
    const S weight = S(facet.polygon.weight());
    m.area *= weight;
    m.first *= weight;
    m.second *= weight;
  }
  sums.area += facet.share * m.area;
  ++sums.polygons;
  return true;
}

// What one facet adds at rest.
template <class S>
void add_at_rest(const Facet<S>& facet, const PolygonMoments<S>& m, Want want, SurfaceSums<S>& sums) {
  const Vec3<S>& o = facet.polygon.corners[0];
  const S at_o = facet.pressure(o);
  const S force = at_o * m.area + facet.pressure.gradient.dot(m.first);         // int p
  const Vec3<S> turning = at_o * m.first + m.second * facet.pressure.gradient;  // int p y
  sums.F_BBo_B.template head<3>() -= (force * o + turning).cross(facet.n);
  sums.F_BBo_B.template tail<3>() -= force * facet.n;
  if (want != Want::kJacobian) return;

  // s(x) = s(o) + (y x slope; 0)
  const auto at = [&](const Vec3<S>& slope) {
    Vec6<S> s;
    s << o.cross(slope), slope;
    return s;
  };
  const Vec6<S> s_B = at(facet.slope_B), s_A = at(facet.slope_A);
  Vec6<S> mean_A = m.area * s_A;
  mean_A.template head<3>() += m.first.cross(facet.slope_A);
  sums.dF_dxi_B += s_B * mean_A.transpose();
  sums.dF_dxi_B.template topRows<3>() += m.first.cross(facet.slope_B) * s_A.transpose();
  sums.dF_dxi_B.template topLeftCorner<3, 3>() +=
      skew(facet.slope_B) * m.second * skew<S>(facet.slope_A).transpose();
}

// Adds up facets at one pose and twist.
template <class S>
class FacetSums {
 public:
  FacetSums(const Pose<S>& X_AB, const Vec6<S>& V_AB_B, const RateLaw& law, Want want)
      : X_BA_(X_AB.inverse()), V_AB_B_(V_AB_B), law_(law), want_(want) {
    if (!law_.any() || want_ != Want::kJacobian) return;
    // exp(-xi) X_BA to first order
    for (int k = 0; k < 3; ++k) {
      const Vec3<S> e = Vec3<S>::Unit(k);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          moving_X_BA_.R(i, j).value = X_BA_.R(i, j);
          moving_X_BA_.R(i, j).slopes[k] = -e.cross(Vec3<S>(X_BA_.R.col(j)))[i];
        }
        moving_X_BA_.p[i].value = X_BA_.p[i];
        moving_X_BA_.p[i].slopes[k] = -e.cross(X_BA_.p)[i];
        moving_X_BA_.p[i].slopes[3 + k] = -e[i];
      }
    }
    for (int k = 0; k < 6; ++k) moving_V_[k] = Moving::parameter(V_AB_B_[k], 6 + k);
  }

  const Pose<S>& X_BA() const { return X_BA_; }
  const RateLaw& law() const { return law_; }
  const SurfaceSums<S>& result() const { return sums_; }

  // build(X_BA): a Facet, at this pose with numbers and, where derivatives need it, with dual numbers.
  template <class Build>
  void add(Build&& build) {
    const Facet<S> facet = build(X_BA_);
    PolygonMoments<S> m;
    if (facet.polygon.size < 3 || !count(facet, m, sums_)) return;
    if (!law_.any()) {
      add_at_rest(facet, m, want_, sums_);
      return;
    }
    if (want_ != Want::kJacobian) {
      sums_.F_BBo_B += wrench_in_motion(facet, law_, V_AB_B_);
      return;
    }
    const Vec6<Moving> F = wrench_in_motion(build(moving_X_BA_), law_, moving_V_);
    for (int i = 0; i < 6; ++i) {
      sums_.F_BBo_B[i] += F[i].value;
      sums_.dF_dxi_B.row(i) += F[i].slopes.template head<6>().matrix().transpose();
      sums_.dF_dV_AB_B.row(i) += F[i].slopes.template tail<6>().matrix().transpose();
    }
  }

 private:
  using Moving = Dual<S, 12>;  // by xi and V_AB_B
  Pose<S> X_BA_;
  Vec6<S> V_AB_B_;
  RateLaw law_;
  Want want_;
  Pose<Moving> moving_X_BA_;
  Vec6<Moving> moving_V_;
  SurfaceSums<S> sums_;
};

[[noreturn]] void refuse(const std::string& what) { throw InvalidInput(std::string(kWho) + ": " + what); }

// Within what products of a query have room for.
constexpr double kLeastSetting = 1e-12, kGreatestSetting = 1e12;

void require_at_least_zero(double value, const std::string& what) {
  if (!(value >= 0 && value <= kGreatestSetting))
    refuse(what + " is " + abut::detail::number_text(value) + "; it must be from 0 to 1e12");
}

void require_positive(double value, const std::string& what) {
  if (!(value >= kLeastSetting && value <= kGreatestSetting))
    refuse(what + " is " + abut::detail::number_text(value) + "; it must be from 1e-12 to 1e12");
}

// Of the moduli of two compliant bodies: beyond, what the softer one feels is lost in the stiffer one's
// rounding.
constexpr double kGreatestContrast = 1e9;

// Products of a few of them have room.
void require_modulus(double value, const std::string& what) {
  if (!(value >= 1e-18 && value <= 1e18))
    refuse(what + " is " + abut::detail::number_text(value) +
           " Pa; it must be from 1e-18 to 1e18, or its body rigid");
}

}  // namespace

void require_valid(const PressureFieldConfig& config) {
  for (const auto& [material, name] : {std::pair{&config.A, "A"}, std::pair{&config.B, "B"}}) {
    const std::string of = std::string(" of ") + name;
    if (material->modulus != kRigid) require_modulus(material->modulus, "the modulus" + of);
    require_at_least_zero(material->dissipation, "the dissipation" + of);
    require_at_least_zero(material->friction, "the friction" + of);
  }
  require_positive(config.stiction_speed, "the stiction speed");
  const double contrast = config.A.modulus / config.B.modulus;
  if (config.A.modulus != kRigid && config.B.modulus != kRigid &&
      !(contrast <= kGreatestContrast && 1 / contrast <= kGreatestContrast))
    refuse("the moduli " + abut::detail::number_text(config.A.modulus) + " and " +
           abut::detail::number_text(config.B.modulus) +
           " Pa are more than a factor of 1e9 apart; make the stiffer body rigid");
  if (config.A.modulus == kRigid && config.B.modulus == kRigid)
    refuse("both bodies are rigid; give one a finite modulus, or use the model 'point'");
}

void require_valid(const PressureFieldConfig& config, const asset::PosedPair& pair) {
  const auto part = [](const PressureMaterial& material) {
    return material.modulus == kRigid ? asset::kSurfacePart : asset::kVolumePart;
  };
  asset::require_valid(pair, part(config.A), part(config.B), kWho);
}

namespace {

PairWrench to_pair_wrench(const SurfaceSums<double>& sums) {
  PairWrench result;
  result.F_BBo_B = sums.F_BBo_B;
  result.dF_dxi_B = sums.dF_dxi_B;
  result.dF_dV_AB_B = sums.dF_dV_AB_B;
  result.area = sums.area;
  result.energy = std::nan("");
  result.status = sums.polygons > 0 ? Status::kOk : Status::kNoOverlap;
  if (!std::isfinite(sums.area)) result.F_BBo_B.setConstant(std::nan(""));
  return without_overflow(result);
}

PairWrench with_energy(PairWrench result, double energy) {
  result.energy = energy;
  if (!std::isfinite(energy)) result.F_BBo_B.setConstant(std::nan(""));
  return without_overflow(result);
}

// Contact points out of facets: the centroid, where the common pressure p says how deep it lies in either
// body, p / (n . grad pA) and p / (-n . grad pB) along the normal; 0 in a rigid one.
class FacetPoints {
 public:
  FacetPoints(const Pose<double>& X_AB, const RateLaw& law, std::vector<ContactPoint>& points)
      : X_AB_(X_AB), X_BA_(X_AB.inverse()), law_(law), points_(points) {
    points_.clear();
  }

  const Pose<double>& X_BA() const { return X_BA_; }
  const RateLaw& law() const { return law_; }

  template <class Build>
  void add(Build&& build) {
    const Facet<double> facet = build(X_BA_);
    const auto [area, center] = place(facet);
    if (!(area > 0)) return;
    const double p = facet.pressure(center);
    const double in_A = depth(p, facet.n.dot(facet.gradient_A), facet.gradient_A),
                 in_B = depth(p, -facet.n.dot(facet.gradient_B), facet.gradient_B);
    if (!(p > 0) || !std::isfinite(in_A + in_B)) return;
    const double counted = facet.polygon.weight() * area;
    total_ += counted;
    points_.push_back({X_AB_ * Vec3<double>(center + (in_B - in_A) / 2 * facet.n), -(X_AB_.R * facet.n),
                       -(in_A + in_B), counted});
  }

  // Without slivers, which carry nothing.
  std::span<const ContactPoint> result() {
    std::erase_if(points_, [&](const ContactPoint& point) { return point.area < 1e-6 * total_; });
    return points_;
  }

 private:
  // Infinite where the pressure pulls: behind a core.
  static double depth(double p, double rise, const Vec3<double>& gradient) {
    if (gradient.isZero(0)) return 0;
    return rise > 0 ? p / rise : std::numeric_limits<double>::infinity();
  }

  Pose<double> X_AB_, X_BA_;
  RateLaw law_;
  double total_ = 0;
  std::vector<ContactPoint>& points_;
};

class PressureFieldModel final : public Model {
 public:
  explicit PressureFieldModel(const PressureFieldConfig& config) : config_(config) {}

  PairWrench wrench(const asset::PosedPair& pair, const Vec6<double>& V_A, const Vec6<double>& V_B,
                    Want want) override {
    require_valid(config_, pair);
    require_finite(kWho, V_A, V_B);
    const Vec6<double> V_AB_B = relative_twist(pair.X_AB, V_A, V_B);
    const asset::AssetView &A = *pair.A, &B = *pair.B;
    if (config_.A.modulus == kRigid)
      return to_pair_wrench(contact_surface<double>(A.surface, B.volume, pair.X_AB, V_AB_B, config_, want));
    if (config_.B.modulus == kRigid)
      return to_pair_wrench(contact_surface<double>(A.volume, B.surface, pair.X_AB, V_AB_B, config_, want));
    PairWrench result = to_pair_wrench(
        contact_surface<double>(A.volume, B.volume, pair.X_AB, V_AB_B, config_, want, workspace_));
    if (want == Want::kEnergy && !config_.fade_pulls)
      return with_energy(result, pressure_energy<double>(A.volume, B.volume, pair.X_AB, config_));
    return result;
  }

  Constraints constraints(const asset::PosedPair& pair, double margin) override {
    require_valid(config_, pair);
    require_margin(kWho, margin);
    const asset::AssetView &A = *pair.A, &B = *pair.B;
    FacetPoints sink(pair.X_AB, rate_law(config_), points_);
    if (config_.A.modulus == kRigid)
      visit_facets<double>(RigidPair<double>{B.volume, A.surface, config_.B.modulus, true, sink.law()}, sink);
    else if (config_.B.modulus == kRigid)
      visit_facets<double>(RigidPair<double>{A.volume, B.surface, config_.A.modulus, false, sink.law()},
                           sink);
    else
      visit_facets<double>(A.volume, B.volume, config_, workspace_, sink);
    const std::span<const ContactPoint> points = sink.result();
    return {points, points.empty() ? Status::kNoOverlap : Status::kOk};
  }

 private:
  PressureFieldConfig config_;
  PressureFieldWorkspace<double> workspace_;
  std::vector<ContactPoint> points_;
};

}  // namespace

template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const asset::VolumeView& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want,
                               PressureFieldWorkspace<S>& workspace) {
  FacetSums<S> sums(X_AB, V_AB_B, rate_law(config), want);
  visit_facets<S>(A, B, config, workspace, sums);
  return sums.result();
}

template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const asset::SurfaceView& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want) {
  FacetSums<S> sums(X_AB, V_AB_B, rate_law(config), want);
  visit_facets<S>(RigidPair<S>{A, B, S(config.A.modulus), false, sums.law()}, sums);
  return sums.result();
}

template <class S>
SurfaceSums<S> contact_surface(const asset::SurfaceView& A, const asset::VolumeView& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want) {
  FacetSums<S> sums(X_AB, V_AB_B, rate_law(config), want);
  visit_facets<S>(RigidPair<S>{B, A, S(config.B.modulus), true, sums.law()}, sums);
  return sums.result();
}

template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const HalfSpace& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want) {
  FacetSums<S> sums(X_AB, V_AB_B, rate_law(config), want);
  visit_facets<S>(A, B, config, sums);
  return sums.result();
}

#define ABUT_INSTANTIATE(S)                                                                              \
  template SurfaceSums<S> contact_surface<S>(const asset::VolumeView&, const asset::VolumeView&,         \
                                             const Pose<S>&, const Vec6<S>&, const PressureFieldConfig&, \
                                             Want, PressureFieldWorkspace<S>&);                          \
  template SurfaceSums<S> contact_surface<S>(const asset::VolumeView&, const asset::SurfaceView&,        \
                                             const Pose<S>&, const Vec6<S>&, const PressureFieldConfig&, \
                                             Want);                                                      \
  template SurfaceSums<S> contact_surface<S>(const asset::SurfaceView&, const asset::VolumeView&,        \
                                             const Pose<S>&, const Vec6<S>&, const PressureFieldConfig&, \
                                             Want);                                                      \
  template SurfaceSums<S> contact_surface<S>(const asset::VolumeView&, const HalfSpace&, const Pose<S>&, \
                                             const Vec6<S>&, const PressureFieldConfig&, Want);
ABUT_INSTANTIATE(double)
ABUT_INSTANTIATE(long double)
#undef ABUT_INSTANTIATE

std::unique_ptr<Model> make_pressure_field_model(const PressureFieldConfig& config) {
  require_valid(config);
  return std::make_unique<PressureFieldModel>(config);
}

void require_valid(const PressureFieldConfig& config, const asset::AssetView& A, const HalfSpace& B,
                   const Pose<double>& X_AB) {
  require_valid(config);
  if (config.A.modulus == kRigid) refuse("a half-space has no rigid partner; give A a finite modulus");
  require_positive(B.thickness, "the half-space's thickness");
  asset::require_valid({&A, &A, X_AB}, asset::kVolumePart, kWho);
}

PairWrench half_space_wrench(const asset::AssetView& A, const HalfSpace& B, const Pose<double>& X_AB,
                             const Vec6<double>& V_A, const Vec6<double>& V_B,
                             const PressureFieldConfig& config, Want want) {
  require_valid(config, A, B, X_AB);
  require_finite(kWho, V_A, V_B);
  PairWrench result = to_pair_wrench(
      contact_surface<double>(A.volume, B, X_AB, relative_twist(X_AB, V_A, V_B), config, want));
  if (want == Want::kEnergy && !config.fade_pulls)
    return with_energy(result, pressure_energy<double>(A.volume, B, X_AB, config));
  return result;
}

}  // namespace abut::contact
