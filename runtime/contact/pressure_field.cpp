#include "runtime/contact/pressure_field.h"

#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

#include "runtime/body/primitive_distance.h"
#include "runtime/contact/pressure_energy.h"
#include "runtime/contact/pressure_field/facet_points.h"
#include "runtime/contact/pressure_field/facet_slopes.h"
#include "runtime/contact/pressure_field/near_plane.h"
#include "runtime/contact/pressure_field/same_field.h"
#include "runtime/contact/pressure_field/visit_facets.h"
#include "runtime/core/error.h"
#include "runtime/distance/surface_distance.h"

namespace abut::contact {

namespace {

constexpr const char* kWho = "pressure-field contact";
constexpr std::string_view kNoYes[] = {"no", "yes"};

// Adds the contribution of a facet at rest.
template <class S>
void add_at_rest(const Facet<S>& facet, PolygonMoments<S> m, Want want, SurfaceSums<S>& sums) {
  if (facet.polygon.in_face) {
    const S weight = S(facet.polygon.weight());
    m.area *= weight;
    m.first *= weight;
    m.second *= weight;
  }
  const Vec3<S>& o = facet.polygon.corners[0];
  const S at_o = facet.pressure(o);
  const S force = at_o * m.area + facet.pressure.gradient.dot(m.first);         // int p
  const Vec3<S> turning = at_o * m.first + m.second * facet.pressure.gradient;  // int p y
  sums.F_BBo_B.template head<3>() -= (force * o + turning).cross(facet.n);
  sums.F_BBo_B.template tail<3>() -= force * facet.n;
  if (!has(want, Want::kJacobian)) return;

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

// A sink that sums the facets' contributions at one pose and twist.
template <class S>
class FacetSums {
 public:
  FacetSums(const Pose<S>& X_AB, const Vec6<S>& V_AB_B, const RateLaw& law, Want want)
      : X_BA_(X_AB.inverse()), V_AB_B_(V_AB_B), law_(law), want_(want) {
    if (!law_.any() || !has(want_, Want::kJacobian)) return;
    moving_X_BA_ = moving<Moving>(X_BA_);
  }

  const Pose<S>& X_BA() const { return X_BA_; }
  const RateLaw& law() const { return law_; }
  const SurfaceSums<S>& result() const { return sums_; }

  // build(X_BA) makes the Facet; called for this pose and, where derivatives are needed, with dual numbers.
  template <class Build>
  void add(std::uint64_t, Build&& build) {
    const Facet<S> facet = build(X_BA_);
    if (facet.polygon.size < 3) return;
    const PolygonMoments<S> m = moments(facet.polygon, facet.n);
    if (!(m.area > S(0))) return;
    sums_.area += facet.share * S(facet.polygon.weight()) * m.area;
    ++sums_.polygons;
    if (!law_.any()) {
      add_at_rest(facet, m, want_, sums_);
      return;
    }
    sums_.F_BBo_B += wrench_in_motion(facet, m, law_, V_AB_B_);
    if (!has(want_, Want::kJacobian)) return;
    const Facet<Moving> varied = build(moving_X_BA_);
    const FacetSlopes<S> slopes(varied, law_, V_AB_B_);
    sums_.dF_dxi_B += slopes.by_pose();
    sums_.dF_dV_AB_B += slopes.by_twist();
  }

 private:
  using Moving = typename FacetSlopes<S>::Moving;
  Pose<S> X_BA_;
  Vec6<S> V_AB_B_;
  RateLaw law_;
  Want want_;
  Pose<Moving> moving_X_BA_;
  SurfaceSums<S> sums_;
};

[[noreturn]] void refuse(const std::string& what) { throw InvalidInput(std::string(kWho) + ": " + what); }

// Ranges keep the products within a query from overflowing.
constexpr Setting<PressureFieldSettings> kSettings[] = {
    {"stiction_speed", "m/s", kMagnitude, "slip at which friction is 0.7 mu N",
     &setting<PressureFieldSettings, &PressureFieldSettings::stiction_speed>},
    {"fade_pulls",
     "",
     {},
     "leave out where a body's pressure would pull its partner in",
     choice<PressureFieldSettings, &PressureFieldSettings::fade_pulls>(kNoYes)},
};

// Ratio of the moduli of two compliant bodies. Beyond it, what the softer one feels is lost in the rounding
// of the stiffer one.
constexpr double kGreatestContrast = 1e9;

}  // namespace

std::span<const Setting<PressureFieldSettings>> pressure_field_settings() { return kSettings; }

PressureFieldSettings pressure_field_config(const SettingValues& values) {
  PressureFieldSettings settings;
  apply<PressureFieldSettings>(kSettings, values, settings, kWho);
  return settings;
}

void require_valid(const PressureFieldConfig& config) {
  body::require_valid(config.A, kWho, "A");
  body::require_valid(config.B, kWho, "B");
  abut::require_valid<PressureFieldSettings>(kSettings, config, kWho);
  const double contrast = config.A.modulus / config.B.modulus;
  if (config.A.modulus != kRigid && config.B.modulus != kRigid &&
      !(contrast <= kGreatestContrast && 1 / contrast <= kGreatestContrast))
    refuse("the moduli " + abut::number_text(config.A.modulus) + " and " +
           abut::number_text(config.B.modulus) +
           " Pa are more than a factor of 1e9 apart; make the stiffer body rigid");
  if (config.A.modulus == kRigid && config.B.modulus == kRigid)
    refuse(
        "both bodies are rigid; give one a finite modulus (of abut-query --modulus-a or --modulus-b), or use "
        "the model 'point'");
}

PressureFieldConfig config_of(const body::Pair& pair, const PressureFieldSettings& settings) {
  body::require_valid(pair, body::kNoPart, kWho);
  PressureFieldConfig config;
  static_cast<PressureFieldSettings&>(config) = settings;
  config.A = pair.A->material;
  config.B = pair.B->material;
  require_valid(config);
  const bool plane_A = pair.A->geometry.half_space() != nullptr,
             plane_B = pair.B->geometry.half_space() != nullptr;
  if (plane_A && plane_B) refuse("two half-spaces have no contact; give another body");
  if ((plane_A && config.B.modulus == kRigid) || (plane_B && config.A.modulus == kRigid))
    refuse("a half-space has no rigid partner; give the other body a finite modulus");
  const auto part = [](bool plane, const body::Material& material) {
    return plane ? body::kNoPart : material.modulus == kRigid ? body::kSurfacePart : body::kVolumePart;
  };
  body::require_valid(pair, part(plane_A, config.A), part(plane_B, config.B), kWho);
  return config;
}

namespace {

PairWrench to_pair_wrench(const SurfaceSums<double>& sums, Want want) {
  PairWrench result;
  result.F_BBo_B = sums.F_BBo_B;
  if (has(want, Want::kJacobian)) {
    result.dF_dxi_B = sums.dF_dxi_B;
    result.dF_dV_AB_B = sums.dF_dV_AB_B;
  }
  result.area = sums.area;
  result.status = sums.polygons > 0 ? Status::kOk : Status::kNoOverlap;
  if (!std::isfinite(sums.area)) result.F_BBo_B.setConstant(kNotAsked);
  return result;
}

// The wrench on B from that on A about Ao in A, G = F_A, which comes with its derivatives with respect to eta
// of X_BA exp(eta) and to V_BA_A. With Ad = Ad(X_AB): F_B = -Ad' G, where Ad changes with xi, eta = -Ad xi
// and V_BA_A = -Ad V_AB_B, so
//   dF_B/dxi = M(F_B) + Ad' dG/deta Ad - dF_B/dV ad(V_AB_B),   dF_B/dV = Ad' dG/dV Ad,
//   M(tau; f) = ([tau] [f]; [f] 0).
PairWrench exchanged(const PairWrench& on_A, const body::Pair& pair) {
  const Mat6<double> Ad = adjoint(pair.X_AB);
  PairWrench result = on_A;
  result.F_BBo_B = -(Ad.transpose() * on_A.F_BBo_B);
  const Mat3<double> tau = skew<double>(result.F_BBo_B.head<3>()), f = skew<double>(result.F_BBo_B.tail<3>());
  Mat6<double> turning;
  turning << tau, f, f, Mat3<double>::Zero();
  result.dF_dV_AB_B = Ad.transpose() * on_A.dF_dV_AB_B * Ad;
  result.dF_dxi_B =
      turning + Ad.transpose() * on_A.dF_dxi_B * Ad - result.dF_dV_AB_B * adjoint_derivative(pair.V_AB_B);
  return result;
}

// Bound of how far an asset's tetrahedra extend beyond the box of its surface, m.
double beyond_surface(const body::Body& body) {
  if (body.geometry.volume().vertex_count == 0) return 0;
  const asset::SurfaceView& surface = body.geometry.surface();
  const asset::VolumeView& volume = body.geometry.volume();
  const Eigen::Map<const Eigen::Matrix3Xd> inner(surface.vertices, 3, surface.vertex_count),
      outer(volume.vertices, 3, volume.vertex_count);
  const Vec3<double> low = inner.rowwise().minCoeff() - outer.rowwise().minCoeff(),
                     high = outer.rowwise().maxCoeff() - inner.rowwise().maxCoeff();
  return low.cwiseMax(high).cwiseMax(0).norm();
}

class PressureFieldModel final : public Model {
 public:
  explicit PressureFieldModel(const PressureFieldSettings& settings) : settings_(settings) {}

  void require_valid(const body::Pair& pair) const override { config_of(pair, settings_); }

  // Bound of how far the triangles of a round primitive extend beyond it: half of their sagitta, which is at
  // most `deviation` times the radius of their corners, which is at most 2 / (2 - deviation) times the
  // primitive's radius (primitives/revolution.cpp). The tetrahedra of an asset, whose boundary is a
  // simplified surface, extend beyond the box of its surface.
  double reach(const body::Body& body) const override {
    const body::Primitive* const primitive = body.geometry.primitive();
    const double deviation = body.geometry.deviation();
    if (primitive == nullptr) return beyond_surface(body);
    return deviation / (2 - deviation) *
           std::visit([](const auto& shape) { return kind_of(shape).round_radius(shape); }, *primitive);
  }

  PairWrench wrench(const body::Pair& pair, Want want, WrenchHessian* hessian) override {
    require_room(want, false, hessian);
    const PressureFieldConfig config = config_of(pair, settings_);
    if (pair.B->geometry.half_space() != nullptr) {
      const NearPlane plane(pair);
      return without_overflow(plane.as_given(wrench(plane.pair(), config, want)), want);
    }
    if (pair.A->geometry.half_space() == nullptr) return without_overflow(wrench(pair, config, want), want);
    const body::Pair near = under_B(pair);
    const body::Pair other = contact::exchanged(near);
    return without_overflow(exchanged(wrench(other, config_of(other, settings_), want), near), want);
  }

  Constraints constraints(const body::Pair& pair, double margin, Want want) override {
    const PressureFieldConfig config = config_of(pair, settings_);
    require_margin(kWho, margin);
    if (pair.B->geometry.half_space() != nullptr) {
      const NearPlane plane(pair);
      find_points(plane.pair(), config, want);
      for (ContactPointDerivative& derivative : derivatives_) derivative = plane.as_given(derivative);
    } else if (pair.A->geometry.half_space() == nullptr) {
      find_points(pair, config, want);
    } else {
      const body::Pair near = under_B(pair);
      const body::Pair other = contact::exchanged(near);
      find_points(other, config_of(other, settings_), want);
      for (std::size_t i = 0; i < derivatives_.size(); ++i)
        derivatives_[i] = exchanged(derivatives_[i], points_[i], near.X_AB);
      for (ContactPoint& point : points_) {
        point = exchanged(point, near.X_AB);
        point.p_AC += pair.X_AB.p - near.X_AB.p;
      }
    }
    return without_overflow(
        {points_, points_.empty() ? without_surface(pair, config) : Status::kOk, derivatives_});
  }

 private:
  // Status of a pair that has no contact surface: kClamped for a body exactly in its own copy.
  Status without_surface(const body::Pair& pair, const PressureFieldConfig& config) {
    const body::Geometry &A = pair.A->geometry, &B = pair.B->geometry;
    if (A.half_space() != nullptr || B.half_space() != nullptr || config.A.modulus == kRigid ||
        config.B.modulus == kRigid)
      return Status::kNoOverlap;
    const Pose<double> X_BA = pair.X_AB.inverse();
    const bool same = meet_with_same_field(
        A.volume(), config.A.modulus, B.volume(), config.B.modulus, X_BA,
        workspace_.finder.find(A.volume(), config.A.modulus, B.volume(), config.B.modulus, X_BA));
    return same ? Status::kClamped : Status::kNoOverlap;
  }

  // Computes the wrench of a pair whose body A is not a half-space.
  PairWrench wrench(const body::Pair& pair, const PressureFieldConfig& config, Want want) {
    FacetSums<double> sums(pair.X_AB, pair.V_AB_B, rate_law(pair, config), want);
    visit_facets(pair, config, workspace_, sums);
    PairWrench result = to_pair_wrench(sums.result(), want);
    if (result.status == Status::kNoOverlap) result.status = without_surface(pair, config);
    if (!has(want, Want::kEnergy) || !has_potential(pair, config)) return result;
    result.energy = energy(pair, config);
    if (!std::isfinite(result.energy)) result.F_BBo_B.setConstant(kNotAsked);
    return result;
  }

  static bool has_potential(const body::Pair& pair, const PressureFieldConfig& config) {
    const bool compliant = config.A.modulus != kRigid && config.B.modulus != kRigid;
    return !config.fade_pulls && (compliant || pair.B->geometry.half_space() != nullptr);
  }

  static double energy(const body::Pair& pair, const PressureFieldConfig& config) {
    const body::Geometry &A = pair.A->geometry, &B = pair.B->geometry;
    if (const auto* half_space = B.half_space())
      return pressure_energy<double>(A.volume(), *half_space, pair.X_AB, config);
    return pressure_energy<double>(A.volume(), B.volume(), pair.X_AB, config);
  }

  void find_points(const body::Pair& pair, const PressureFieldConfig& config, Want want) {
    const DeepestPoints deepest{config.A.modulus == kRigid ? 0 : deepest_point(pair.A->geometry),
                                config.B.modulus == kRigid ? 0 : deepest_point(pair.B->geometry)};
    FacetPoints sink(pair.X_AB, rate_law(pair, config), deepest, want, points_, derivatives_);
    visit_facets(pair, config, workspace_, sink);
    sink.finish();
  }

  // Greatest distance of the tetrahedra's vertices from the surface, m; cached per geometry.
  double deepest_point(const body::Geometry& geometry) {
    const body::Primitive* const primitive = geometry.primitive();
    if (geometry.half_space() != nullptr || (primitive == nullptr && geometry.surface().triangle_count == 0))
      return std::numeric_limits<double>::infinity();
    if (const auto known = deepest_.find(geometry.id()); known != deepest_.end()) return known->second;
    if (deepest_.size() >= kMaxKnown) deepest_.clear();
    const asset::VolumeView& volume = geometry.volume();
    double deepest = 0;
    for (std::int32_t v = 0; v < volume.vertex_count; ++v) {
      if (volume.extent[v] == 0) continue;
      const Vec3<double> p = Eigen::Map<const Vec3<double>>(volume.vertices + std::ptrdiff_t(3) * v);
      const double distance = primitive != nullptr
                                  ? body::primitive_value<double>(*primitive, p)
                                  : distance::signed_distance(geometry.surface(), p).distance;
      deepest = std::max(deepest, std::abs(distance));
    }
    return deepest_[geometry.id()] = deepest;
  }

  static constexpr std::size_t kMaxKnown = 4096;  // geometries cached before the cache is cleared

  PressureFieldSettings settings_;
  PressureFieldWorkspace<double> workspace_;
  std::unordered_map<std::uint64_t, double> deepest_;  // by Geometry::id
  std::vector<ContactPoint> points_;
  std::vector<ContactPointDerivative> derivatives_;
};

}  // namespace

template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const asset::VolumeView& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want,
                               PressureFieldWorkspace<S>& workspace) {
  FacetSums<S> sums(X_AB, V_AB_B, rate_law(config, std::max(A.tetrahedron_count, B.tetrahedron_count)), want);
  visit_facets<S>(A, B, config, workspace, sums);
  return sums.result();
}

template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const asset::SurfaceView& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want) {
  FacetSums<S> sums(X_AB, V_AB_B, rate_law(config, std::max(A.tetrahedron_count, B.triangle_count)), want);
  visit_facets<S>(RigidPair<S>{A, B, S(config.A.modulus), false, sums.law()}, sums);
  return sums.result();
}

template <class S>
SurfaceSums<S> contact_surface(const asset::SurfaceView& A, const asset::VolumeView& B, const Pose<S>& X_AB,
                               const Vec6<S>& V_AB_B, const PressureFieldConfig& config, Want want) {
  FacetSums<S> sums(X_AB, V_AB_B, rate_law(config, std::max(A.triangle_count, B.tetrahedron_count)), want);
  visit_facets<S>(RigidPair<S>{B, A, S(config.B.modulus), true, sums.law()}, sums);
  return sums.result();
}

template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const body::HalfSpace<double>& B,
                               const Pose<S>& X_AB, const Vec6<S>& V_AB_B, const PressureFieldConfig& config,
                               Want want) {
  FacetSums<S> sums(X_AB, V_AB_B, rate_law(config, A.tetrahedron_count), want);
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
  template SurfaceSums<S> contact_surface<S>(const asset::VolumeView&, const body::HalfSpace<double>&,   \
                                             const Pose<S>&, const Vec6<S>&, const PressureFieldConfig&, \
                                             Want);
ABUT_INSTANTIATE(double)
ABUT_INSTANTIATE(long double)
#undef ABUT_INSTANTIATE

std::unique_ptr<Model> make_pressure_field_model(const PressureFieldSettings& settings) {
  abut::require_valid<PressureFieldSettings>(kSettings, settings, kWho);
  return std::make_unique<PressureFieldModel>(settings);
}

}  // namespace abut::contact
