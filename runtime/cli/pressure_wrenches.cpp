#include "runtime/cli/pressure_wrenches.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "runtime/contact/rigid_primitive.h"
#include "runtime/core/error.h"
#include "runtime/core/parallel.h"

namespace abut::cli {
namespace {

constexpr double kDeviation = 1e-3;       // of a round primitive's triangles, of its radius
constexpr double kLeastDeviation = 1e-6;  // m

[[noreturn]] void refuse(const std::string& name) {
  throw InvalidInput("'" + name +
                     "' is no body: there are @sphere:R, @box:X:Y:Z, @cylinder:R:H, @capsule:R:H (m; half "
                     "sizes) and @half_space");
}

// The numbers after the first colon.
std::vector<double> sizes_of(const std::string& name) {
  std::vector<double> sizes;
  for (std::size_t at = name.find(':'); at != std::string::npos; at = name.find(':', at + 1)) {
    const std::string_view word = std::string_view(name).substr(at + 1, name.find(':', at + 1) - at - 1);
    double size = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc() || end != word.data() + word.size()) refuse(name);
    sizes.push_back(size);
  }
  return sizes;
}

asset::Asset primitive(const std::string& name) {
  const std::string kind = name.substr(0, name.find(':'));
  const std::vector<double> s = sizes_of(name);
  if (kind == "@half_space" && s.empty()) return {};
  std::optional<contact::RigidPrimitive> shape;
  if (kind == "@box" && s.size() == 3) shape = witness::Box<double>{{s[0], s[1], s[2]}};
  if (kind == "@sphere" && s.size() == 1) shape = witness::Capsule<double>{0, s[0]};
  if (kind == "@capsule" && s.size() == 2) shape = witness::Capsule<double>{s[1], s[0]};
  if (kind == "@cylinder" && s.size() == 2) shape = witness::Cylinder<double>{s[1], s[0]};
  if (!shape) refuse(name);
  constexpr double kLeastRadius = 2 * kLeastDeviation;
  if (kind != "@box" && s[0] > 0 && s[0] < kLeastRadius)
    throw InvalidInput(fmt::format("'{}': the radius must be at least {:g} m", name, kLeastRadius));
  try {
    return contact::rigid_primitive(*shape, std::max(kLeastDeviation, kDeviation * s[0]));
  } catch (const InvalidInput& error) {
    throw InvalidInput("'" + name + "': " + error.what());
  }
}

bool has_volume(const asset::AssetView& view) { return view.volume.tetrahedron_count > 0; }
bool is_half_space(const asset::AssetView& view) {
  return !has_volume(view) && view.surface.triangle_count == 0;
}

contact::HalfSpace half_space(const PressureOptions& options) { return {options.half_space_thickness}; }

}  // namespace

const asset::AssetView& PrimitiveBodies::operator[](const std::string& name) {
  for (const auto& [known, body] : bodies_)
    if (known == name) return body->view;
  auto body = std::make_unique<Body>();
  body->asset = primitive(name);
  body->view = asset::view(body->asset);
  bodies_.emplace_back(name, std::move(body));
  return bodies_.back().second->view;
}

contact::PressureFieldConfig config_for(const asset::PosedPair& pair, const PressureOptions& options) {
  contact::PressureFieldConfig config = options.config;
  if (!has_volume(*pair.A)) config.A.modulus = contact::kRigid;
  if (!has_volume(*pair.B) && !is_half_space(*pair.B)) config.B.modulus = contact::kRigid;
  return config;
}

void require_valid(const asset::PosedPair& pair, const PressureOptions& options) {
  if (is_half_space(*pair.A))
    throw InvalidInput(
        "'@half_space' as objA; a half-space must be objB: exchange the two and give the pose of "
        "the half-space in the body's frame");
  const contact::PressureFieldConfig config = config_for(pair, options);
  if (is_half_space(*pair.B)) {
    contact::require_valid(config, *pair.A, half_space(options), pair.X_AB);
  } else {
    contact::require_valid(config);
    contact::require_valid(config, pair);
  }
}

contact::ContactMesh pressure_surface(const asset::PosedPair& pair, const PressureOptions& options) {
  const contact::PressureFieldConfig config = config_for(pair, options);
  return is_half_space(*pair.B) ? contact::half_space_mesh(*pair.A, half_space(options), pair.X_AB, config)
                                : contact::contact_mesh(pair, config);
}

PressureWrenches::PressureWrenches(const PressureOptions& options, int threads) : options_(options) {
  contact::require_valid(options.config);
  workers_.resize(static_cast<std::size_t>(threads > 0 ? threads : default_threads()));
}

contact::PairWrench PressureWrenches::answer(Worker& worker, const asset::PosedPair& pair,
                                             const Vec6<double>& V_AB_B, contact::Want want) const {
  const contact::PressureFieldConfig config = config_for(pair, options_);
  const Vec6<double> V_A = Vec6<double>::Zero();
  if (is_half_space(*pair.B))
    return contact::half_space_wrench(*pair.A, half_space(options_), pair.X_AB, V_A, V_AB_B, config, want);
  auto& model = worker.model[config.A.modulus == contact::kRigid][config.B.modulus == contact::kRigid];
  if (!model) model = contact::make_pressure_field_model(config);
  return model->wrench(pair, V_A, V_AB_B, want);
}

void PressureWrenches::operator()(const Questions& questions, contact::Want want,
                                  std::span<contact::PairWrench> results) {
  parallel_for(
      static_cast<std::int64_t>(questions.pairs.size()), static_cast<int>(workers_.size()),
      [&](std::int64_t i, int thread) {
        const auto at = static_cast<std::size_t>(i);
        results[at] = answer(workers_[static_cast<std::size_t>(thread)], questions.pairs[at],
                             questions.twists[at], want);
      },
      16);
}

}  // namespace abut::cli
