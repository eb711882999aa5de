#include "runtime/body/primitive.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/core/settings.h"

namespace abut::body {

namespace {

constexpr double kPi = std::numbers::pi;

using Sizes = std::span<const double>;

constexpr PrimitiveRow kPrimitives[] = {
    {"sphere", "R", "radius", 1, [](Sizes s) -> Primitive { return Sphere<double>{s[0]}; }},
    {"ellipsoid", "X:Y:Z", "semi-axes", 3,
     [](Sizes s) -> Primitive {
       return Ellipsoid<double>{{s[0], s[1], s[2]}};
     }},
    {"box", "X:Y:Z", "half sizes", 3,
     [](Sizes s) -> Primitive {
       return Box<double>{{s[0], s[1], s[2]}};
     }},
    {"capsule", "R:H", "radius and half of the axis's length", 2,
     [](Sizes s) -> Primitive {
       return Capsule<double>{s[1], s[0]};
     }},
    {"cylinder", "R:H", "radius and half height", 2,
     [](Sizes s) -> Primitive {
       return Cylinder<double>{s[1], s[0]};
     }},
    {"cone", "R:H", "radius and half height", 2,
     [](Sizes s) -> Primitive {
       return Cone<double>{s[1], s[0]};
     }},
    {"half_space", "", "", 0, [](Sizes) -> Primitive { return HalfSpace<double>{}; }},
};
static_assert(std::size(kPrimitives) == std::variant_size_v<Primitive>);

std::string spelled(const PrimitiveRow& row) {
  return std::string(row.name) + (row.sizes.empty() ? "" : ":") + std::string(row.sizes);
}

[[noreturn]] void refuse(const std::string& text) {
  std::string known;
  for (const PrimitiveRow& row : kPrimitives) known += (known.empty() ? "" : ", ") + spelled(row);
  throw InvalidInput("'" + text + "' is no primitive; there are: " + known + " (m; sizes are half sizes)");
}

// Solids of which mass properties are a formula: volume (m^3), area (m^2), height of the centre of mass (m)
// and second moments int x^2, int y^2, int z^2 about it (m^5).
struct Solid {
  double volume, area, height;
  Vec3<double> moments;
};

Solid solid(const Ellipsoid<double>& e) {
  std::array<double, 3> s{e.semi_axes.x(), e.semi_axes.y(), e.semi_axes.z()};
  std::sort(s.begin(), s.end(), std::greater<>());
  const auto [a, b, c] = s;
  const double volume = 4 * kPi / 3 * a * b * c;
  // Legendre's form of the area, cos phi = c / a, k^2 = (1 - c^2/b^2) / (1 - c^2/a^2).
  double area = 4 * kPi * a * a;
  if (c < a) {
    const double sine = std::sqrt((1 - c / a) * (1 + c / a)), phi = std::acos(c / a);
    const double k = std::min(1.0, std::sqrt((1 - c / b) * (1 + c / b)) / sine);
    const double F = k < 1 ? std::ellint_1(k, phi) : std::log((1 + sine) * a / c);
    area = 2 * kPi * (c * c + a * b / sine * (std::ellint_2(k, phi) * sine * sine + F * c * c / (a * a)));
  }
  return {volume, area, 0, volume / 5 * e.semi_axes.cwiseAbs2()};
}

Solid solid(const Sphere<double>& s) { return solid(Ellipsoid<double>{Vec3<double>::Constant(s.radius)}); }

Solid solid(const Box<double>& box) {
  const Vec3<double>& h = box.half;
  const double volume = 8 * h.prod();
  return {volume, 8 * (h.x() * h.y() + h.y() * h.z() + h.z() * h.x()), 0, volume / 3 * h.cwiseAbs2()};
}

Solid solid(const Cylinder<double>& c) {
  const double r = c.radius, h = c.half_length, volume = 2 * kPi * r * r * h;
  return {volume, 2 * kPi * r * (r + 2 * h), 0, volume * Vec3<double>(r * r / 4, r * r / 4, h * h / 3)};
}

// A cylinder and two halves of a ball, whose centres of mass are 3/8 r beyond its ends.
Solid solid(const Capsule<double>& c) {
  const double r = c.radius, h = c.half_length;
  const Solid side = solid(Cylinder<double>{h, r}), ball = solid(Sphere<double>{r});
  Solid sum{side.volume + ball.volume, 4 * kPi * r * (r + h), 0, side.moments + ball.moments};
  sum.moments.z() += ball.volume * (h * h + 2 * h * 3 / 8 * r);
  return sum;
}

// Height 2 h, its centre of mass a quarter above the disc.
Solid solid(const Cone<double>& c) {
  const double r = c.radius, height = 2 * c.half_length, volume = kPi * r * r * height / 3;
  return {volume, kPi * r * (r + std::hypot(r, height)), height / 4 - c.half_length,
          volume * Vec3<double>(3 * r * r / 20, 3 * r * r / 20, 3 * height * height / 80)};
}

Solid solid(const HalfSpace<double>&) { return {0, 0, 0, Vec3<double>::Zero()}; }

}  // namespace

std::span<const PrimitiveRow> primitives() { return kPrimitives; }

const PrimitiveRow& row_of(const Primitive& primitive) { return kPrimitives[primitive.index()]; }

Primitive parse_primitive(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  const auto row = std::find_if(std::begin(kPrimitives), std::end(kPrimitives),
                                [&](const PrimitiveRow& candidate) { return candidate.name == name; });
  std::vector<double> sizes;
  for (std::size_t at = text.find(':'); at != std::string::npos; at = text.find(':', at + 1)) {
    const std::string_view word = std::string_view(text).substr(at + 1, text.find(':', at + 1) - at - 1);
    double& size = sizes.emplace_back();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc() || end != word.data() + word.size()) refuse(text);
  }
  if (row == std::end(kPrimitives) || sizes.size() != row->size_count) refuse(text);
  Primitive primitive = row->make(sizes);
  try {
    require_valid(primitive);
  } catch (const InvalidInput& error) {
    throw InvalidInput("'" + text + "': " + error.what());
  }
  return primitive;
}

std::vector<double> sizes(const Primitive& primitive) {
  struct Visitor {
    std::vector<double> operator()(const Sphere<double>& s) const { return {s.radius}; }
    std::vector<double> operator()(const Ellipsoid<double>& e) const {
      return {e.semi_axes.begin(), e.semi_axes.end()};
    }
    std::vector<double> operator()(const Box<double>& b) const { return {b.half.begin(), b.half.end()}; }
    std::vector<double> operator()(const Capsule<double>& c) const { return {c.radius, c.half_length}; }
    std::vector<double> operator()(const Cylinder<double>& c) const { return {c.radius, c.half_length}; }
    std::vector<double> operator()(const Cone<double>& c) const { return {c.radius, c.half_length}; }
    std::vector<double> operator()(const HalfSpace<double>&) const { return {}; }
  };
  return std::visit(Visitor{}, primitive);
}

void require_valid(const Primitive& primitive) {
  const std::vector<double> all = sizes(primitive);
  const bool capsule = std::holds_alternative<Capsule<double>>(primitive);
  const auto check = [&](double size, bool may_vanish) {
    if (std::isfinite(size) && (size > 0 || (may_vanish && size == 0))) return;
    throw InvalidInput(std::string(row_of(primitive).name) + ": a size is " + abut::number_text(size) +
                       " m; it must be " + (may_vanish ? "0 or more" : "positive") + " and finite");
  };
  for (std::size_t k = 0; k < all.size(); ++k) check(all[k], capsule && k == 1);
  if (const auto* plane = std::get_if<HalfSpace<double>>(&primitive)) check(plane->thickness, false);
}

asset::MassProperties mass_properties(const Primitive& primitive) {
  const Solid s = std::visit([](const auto& shape) { return solid(shape); }, primitive);
  asset::MassProperties result;
  result.volume = s.volume;
  result.area = s.area;
  result.center_of_mass[2] = s.height;
  const double sum = s.moments.sum();
  for (int k = 0; k < 3; ++k) result.inertia[4 * k] = sum - s.moments[k];
  return result;
}

}  // namespace abut::body
