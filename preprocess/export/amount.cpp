#include "preprocess/export/amount.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <iterator>

#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/core/settings.h"

namespace abut::preprocess {
namespace {

struct Material {
  std::string_view name;
  double density;  // kg/m^3
};

// Midpoints of the ranges in [Ashby2011, Appendix A]; for foods and liquids the value of water.
constexpr Material kMaterials[] = {
    {"abs", 1110},   {"aluminium", 2700}, {"cardboard", 670},     {"ceramic", 2450},
    {"foam", 30},    {"glass", 2470},     {"polypropylene", 900}, {"rubber", 925},
    {"steel", 7850}, {"water", 1000},     {"wood", 520},
};

double positive_number(const std::string& text) {
  double value = 0;
  if (!abut::detail::read_number(text, value) || !kMagnitude.contains(value))
    throw InvalidInput(fmt::format("'{}' is not a number {}", text, kMagnitude.words()));
  return value;
}

Amount amount_from(const std::string& quantity, const std::string& value) {
  if (quantity == "density") return {.density = positive_number(value)};
  if (quantity == "mass") return {.mass = positive_number(value)};
  if (quantity == "material") return amount_of_material(value);
  throw InvalidInput(fmt::format("'{}' is none of density, mass and material", quantity));
}

}  // namespace

Inertial inertial_of(const asset::MassProperties& mass, const Amount& amount) {
  const Eigen::Matrix3d moments = Eigen::Map<const Eigen::Matrix3d>(mass.inertia);
  const Eigen::Vector3d center = Eigen::Map<const Eigen::Vector3d>(mass.center_of_mass);
  constexpr const char* kNoSolid =
      "its mass properties are those of no solid; `abut-preprocess verify` says more";
  if (!(mass.volume > 0) || !std::isfinite(mass.volume) || !moments.allFinite() || !center.allFinite())
    throw InvalidInput(kNoSolid);
  const Eigen::Vector3d principal =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(moments, Eigen::EigenvaluesOnly).eigenvalues();
  constexpr double kRounding = 1e-12;  // relative to the largest moment
  if (!(principal[0] > 0) || principal[2] > (1 + kRounding) * (principal[0] + principal[1]))
    throw InvalidInput(kNoSolid);
  const double density = amount.mass > 0 ? amount.mass / mass.volume : amount.density;
  return {amount.mass > 0 ? amount.mass : density * mass.volume, center, density * moments};
}

std::vector<std::string_view> material_names() {
  std::vector<std::string_view> names;
  for (const Material& material : kMaterials) names.push_back(material.name);
  return names;
}

Amount amount_of_material(std::string_view name) {
  for (const Material& material : kMaterials)
    if (material.name == name) return {.density = material.density};
  throw InvalidInput(
      fmt::format("unknown material '{}': use one of {}", name, fmt::join(material_names(), ", ")));
}

std::map<std::string, Amount> read_amounts(const std::filesystem::path& file) {
  InputStream in(file);
  std::map<std::string, Amount> amounts;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    const bool is_comment = line == "#" || line.starts_with("# ");  // an object's name may begin with #
    if (line.empty() || is_comment || (number == 1 && line == "object,quantity,value")) continue;
    const auto refuse = [&](const std::string& why) {
      throw InvalidInput(fmt::format("{}, line {}: {}", file.string(), number, why));
    };
    const std::size_t second = line.rfind(',');
    const std::size_t first =
        second == std::string::npos || second == 0 ? second : line.rfind(',', second - 1);
    if (second == std::string::npos || first == std::string::npos || first == 0 || first == second)
      refuse("expected OBJECT,density|mass|material,VALUE");
    try {
      const Amount amount = amount_from(line.substr(first + 1, second - first - 1), line.substr(second + 1));
      if (!amounts.emplace(line.substr(0, first), amount).second)
        refuse(fmt::format("'{}' comes twice", line.substr(0, first)));
    } catch (const InvalidInput& error) {
      if (std::string_view(error.what()).starts_with(file.string())) throw;
      refuse(error.what());
    }
  }
  if (in.bad()) throw IoError(file.string() + ": cannot be read to its end");
  return amounts;
}

}  // namespace abut::preprocess
