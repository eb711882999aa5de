#include "runtime/contact/pressure_field.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/bvh/overlap.h"

namespace abut::contact {

namespace {

using Lanes = Eigen::Array<float, bvh::kWidth, 1>;

// Pressure intervals below the slots of two trees: bodies whose pressures cannot be equal share no surface.
struct PressureCulling {
  const float* ranges_A;  // (nodes, 2, 4) of the extent, rounded outward
  const float* ranges_B;
  float modulus_A_over_B;

  Eigen::Array<bool, bvh::kWidth, 1> operator()(std::int32_t slot_A, std::int32_t node_B) const {
    constexpr float kRounding = 1e-6f;  // of a product of two rounded numbers
    const float* range = ranges_A + std::ptrdiff_t(slot_A / bvh::kWidth) * 2 * bvh::kWidth;
    const float low = modulus_A_over_B * range[slot_A % bvh::kWidth];
    const float high = modulus_A_over_B * range[bvh::kWidth + slot_A % bvh::kWidth];
    const float* of_B = ranges_B + std::ptrdiff_t(node_B) * 2 * bvh::kWidth;
    const Eigen::Map<const Lanes> low_B(of_B), high_B(of_B + bvh::kWidth);
    return low_B <= high * (1 + kRounding) && high_B >= low * (1 - kRounding);
  }
};

// Adds what one polygon contributes; `of_A` and `of_B` are the pressures.
template <class S>
void add_polygon(const Polygon<S>& polygon, const LinearPressure<S>& of_A, const LinearPressure<S>& of_B,
                 Want want, SurfaceSums<S>& sums) {
  const Vec3<S> g = of_A.gradient - of_B.gradient;
  const S length = g.norm();
  // Fields that are the same but for rounding have no surface: a body inside its own copy.
  constexpr double kSame = 1e-13;
  if (!(length > static_cast<S>(kSame) * (of_A.gradient.norm() + of_B.gradient.norm()))) return;
  const Vec3<S> n = g / length;
  const PolygonMoments<S> m = moments(polygon, n);
  if (!(m.area > S(0))) return;
  const Vec3<S>& o = polygon.corners[0];
  const S at_o = of_B(o);
  const S force = at_o * m.area + of_B.gradient.dot(m.first);         // int p
  const Vec3<S> turning = at_o * m.first + m.second * of_B.gradient;  // int p y
  sums.area += m.area;
  sums.F_BBo_B.template head<3>() -= (force * o + turning).cross(n);
  sums.F_BBo_B.template tail<3>() -= force * n;
  ++sums.polygons;
  if (want == Want::kValue) return;

  // s(x) = s(o) + (y x gradient; 0)
  const auto at = [&](const Vec3<S>& gradient) {
    Vec6<S> s;
    s << o.cross(gradient), gradient;
    return s;
  };
  const Vec6<S> s_B = at(of_B.gradient) / length, s_A = at(of_A.gradient);
  const Vec3<S> gradient_B = of_B.gradient / length;
  Vec6<S> mean_A = m.area * s_A;
  mean_A.template head<3>() += m.first.cross(of_A.gradient);
  sums.dF_dxi_B += s_B * mean_A.transpose();
  sums.dF_dxi_B.template topRows<3>() += m.first.cross(gradient_B) * s_A.transpose();
  sums.dF_dxi_B.template topLeftCorner<3, 3>() +=
      skew(gradient_B) * m.second * skew<S>(of_A.gradient).transpose();
}

void require_modulus(double modulus, const char* name) {
  if (!(modulus > 0) || !std::isfinite(modulus)) {
    throw InvalidInput("pressure-field contact: " + std::string(name) + " is " + std::to_string(modulus) +
                       " Pa; it must be positive");
  }
}

class PressureFieldModel final : public Model {
 public:
  explicit PressureFieldModel(const PressureFieldConfig& config) : config_(config) {}

  PairWrench wrench(const asset::PosedPair& pair, const Vec6<double>& V_A, const Vec6<double>& V_B,
                    Want want) override {
    asset::require_valid(pair, asset::kVolumePart, "pressure-field contact");
    require_finite("pressure-field contact", V_A, V_B);
    const SurfaceSums<double> sums =
        contact_surface<double>(pair.A->volume, pair.B->volume, pair.X_AB, config_, want, workspace_);
    PairWrench result;
    result.F_BBo_B = sums.F_BBo_B;
    result.dF_dxi_B = sums.dF_dxi_B;
    result.area = sums.area;
    result.energy = std::nan("");  // see pressure_energy.h
    result.status = sums.polygons > 0 ? Status::kOk : Status::kNoOverlap;
    return result;
  }

 private:
  PressureFieldConfig config_;
  PressureFieldWorkspace<double> workspace_;
};

}  // namespace

template <class S>
SurfaceSums<S> contact_surface(const asset::VolumeView& A, const asset::VolumeView& B, const Pose<S>& X_AB,
                               const PressureFieldConfig& config, Want want,
                               PressureFieldWorkspace<S>& workspace) {
  const Pose<S> X_BA = X_AB.inverse();
  const S modulus_A = static_cast<S>(config.modulus_A), modulus_B = static_cast<S>(config.modulus_B);
  SurfaceSums<S> sums;
  std::int32_t placed_first = -1;
  const auto leaf = [&](std::int32_t first_A, std::int32_t count_A, std::int32_t first_B,
                        std::int32_t count_B) {
    if (placed_first != first_A) {
      placed_first = first_A;
      workspace.placed.resize(std::max(workspace.placed.size(), static_cast<std::size_t>(count_A)));
      for (std::int32_t i = 0; i < count_A; ++i)
        workspace.placed[i] = placed<S>(A, first_A + i, modulus_A, X_BA);
    }
    for (std::int32_t t = first_B; t < first_B + count_B; ++t) {
      const LinearPressure<S> of_B = pressure_of<S>(B, t, modulus_B);
      for (std::int32_t i = 0; i < count_A; ++i) {
        const PlacedTetrahedron<S>& of_A = workspace.placed[i];
        const Polygon<S> polygon =
            equal_pressure_polygon<S>(of_A, of_B, B.face_planes + 16 * std::ptrdiff_t(t));
        if (polygon.size >= 3) add_polygon(polygon, of_A.pressure, of_B, want, sums);
      }
    }
  };
  const PressureCulling keep{A.tree_extent_ranges, B.tree_extent_ranges,
                             static_cast<float>(config.modulus_A / config.modulus_B)};
  bvh::visit_overlaps(A.tree, B.tree, X_BA.template cast<double>(), keep, leaf);
  return sums;
}

template SurfaceSums<double> contact_surface<double>(const asset::VolumeView&, const asset::VolumeView&,
                                                     const Pose<double>&, const PressureFieldConfig&, Want,
                                                     PressureFieldWorkspace<double>&);
template SurfaceSums<long double> contact_surface<long double>(const asset::VolumeView&,
                                                               const asset::VolumeView&,
                                                               const Pose<long double>&,
                                                               const PressureFieldConfig&, Want,
                                                               PressureFieldWorkspace<long double>&);

std::unique_ptr<Model> make_pressure_field_model(const PressureFieldConfig& config) {
  require_modulus(config.modulus_A, "modulus_A");
  require_modulus(config.modulus_B, "modulus_B");
  return std::make_unique<PressureFieldModel>(config);
}

}  // namespace abut::contact
