#include "runtime/body/primitive.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/core/settings.h"

namespace abut::body {

namespace {

template <class Shape>
PrimitiveRow row() {
  const PrimitiveKind<Shape>& of = kind<Shape>();
  return {of.name, of.sizes, of.help, of.size_count,
          [](std::span<const double> sizes) -> Primitive { return kind<Shape>().make(sizes); }};
}

template <class... Shapes>
std::vector<PrimitiveRow> rows(std::type_identity<std::variant<Shapes...>>) {
  return {row<Shapes>()...};
}

std::string spelled(const PrimitiveRow& row) {
  return std::string(row.name) + (row.sizes.empty() ? "" : ":") + std::string(row.sizes);
}

[[noreturn]] void refuse(const std::string& text) {
  std::string known;
  for (const PrimitiveRow& row : primitives()) known += (known.empty() ? "" : ", ") + spelled(row);
  throw InvalidInput("'" + text + "' is no primitive; there are: " + known + " (m; sizes are half sizes)");
}

}  // namespace

std::span<const PrimitiveRow> primitives() {
  static const std::vector<PrimitiveRow> all = rows(std::type_identity<Primitive>{});
  return all;
}

const PrimitiveRow& row_of(const Primitive& primitive) { return primitives()[primitive.index()]; }

Primitive parse_primitive(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  const std::span<const PrimitiveRow> known = primitives();
  const auto row = std::find_if(known.begin(), known.end(),
                                [&](const PrimitiveRow& candidate) { return candidate.name == name; });
  std::vector<double> sizes;
  for (std::size_t at = text.find(':'); at != std::string::npos; at = text.find(':', at + 1)) {
    const std::string_view word = std::string_view(text).substr(at + 1, text.find(':', at + 1) - at - 1);
    double& size = sizes.emplace_back();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc() || end != word.data() + word.size()) refuse(text);
  }
  if (row == known.end() || sizes.size() != row->size_count) refuse(text);
  Primitive primitive = row->make(sizes);
  try {
    require_valid(primitive);
  } catch (const InvalidInput& error) {
    throw InvalidInput("'" + text + "': " + error.what());
  }
  return primitive;
}

std::vector<double> sizes(const Primitive& primitive) {
  return std::visit([](const auto& shape) { return kind_of(shape).sizes_of(shape); }, primitive);
}

void require_valid(const Primitive& primitive) {
  const std::vector<double> all = sizes(primitive);
  const int may_vanish = std::visit([](const auto& shape) { return kind_of(shape).may_vanish; }, primitive);
  const auto check = [&](double size, bool may_be_0) {
    if (std::isfinite(size) && (size > 0 || (may_be_0 && size == 0))) return;
    throw InvalidInput(std::string(row_of(primitive).name) + ": a size is " + abut::number_text(size) +
                       " m; it must be " + (may_be_0 ? "0 or more" : "positive") + " and finite");
  };
  for (std::size_t k = 0; k < all.size(); ++k) check(all[k], static_cast<int>(k) == may_vanish);
  if (const auto* plane = std::get_if<HalfSpace<double>>(&primitive)) check(plane->thickness, false);
}

asset::MassProperties mass_properties(const Primitive& primitive) {
  const Solid s = std::visit([](const auto& shape) { return kind_of(shape).solid(shape); }, primitive);
  asset::MassProperties result;
  result.volume = s.volume;
  result.area = s.area;
  result.center_of_mass[2] = s.height;
  const double sum = s.moments.sum();
  for (int k = 0; k < 3; ++k) result.inertia[4 * k] = sum - s.moments[k];
  return result;
}

}  // namespace abut::body
