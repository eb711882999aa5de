#include "runtime/body/primitive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "runtime/body/tessellation.h"
#include "runtime/core/error.h"
#include "tests/support/primitives.h"

namespace {

using namespace abut;
using namespace abut::body;

std::string message(const std::string& text) {
  try {
    parse_primitive(text);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(Primitive, WordsComeBackAsSizes) {
  ASSERT_EQ(primitives().size(), std::variant_size_v<Primitive>);
  for (std::size_t i = 0; i < primitives().size(); ++i) {
    const PrimitiveRow& row = primitives()[i];
    const auto colons = std::count(row.sizes.begin(), row.sizes.end(), ':');
    EXPECT_EQ(row.size_count, row.sizes.empty() ? 0 : static_cast<std::size_t>(colons) + 1) << row.name;
    std::string text(row.name);
    std::vector<double> given;
    for (std::size_t k = 0; k < row.size_count; ++k) {
      given.push_back(0.25 * static_cast<double>(k + 1));
      text += ":" + std::to_string(given.back());
    }
    const Primitive parsed = parse_primitive(text);
    EXPECT_EQ(parsed.index(), i) << text;
    EXPECT_EQ(row_of(parsed).name, row.name);
    EXPECT_EQ(sizes(parsed), given) << text;
    EXPECT_EQ(sizes(row.make(given)), given) << text;
  }
}

TEST(Primitive, SizesHaveTheirPlaces) {
  const auto cylinder = std::get<Cylinder<double>>(parse_primitive("cylinder:0.03:0.1"));
  EXPECT_EQ(cylinder.radius, 0.03);
  EXPECT_EQ(cylinder.half_length, 0.1);
  const auto capsule = std::get<Capsule<double>>(parse_primitive("capsule:2e-2:0"));
  EXPECT_EQ(capsule.radius, 0.02);
  EXPECT_EQ(capsule.half_length, 0);
  const auto cone = std::get<Cone<double>>(parse_primitive("cone:0.02:0.05"));
  EXPECT_EQ(cone.radius, 0.02);
  EXPECT_EQ(cone.half_length, 0.05);
  EXPECT_EQ(std::get<Box<double>>(parse_primitive("box:1:2:3")).half, Vec3<double>(1, 2, 3));
  EXPECT_EQ(std::get<Ellipsoid<double>>(parse_primitive("ellipsoid:1:2:3")).semi_axes, Vec3<double>(1, 2, 3));
  EXPECT_EQ(std::get<HalfSpace<double>>(parse_primitive("half_space")).thickness,
            HalfSpace<double>{}.thickness);
}

TEST(Primitive, TextsThatAreNoneSayWhichThereAre) {
  for (const std::string text :
       {"", ":", "torus:1", "Sphere:1", "sphere", "sphere:", "sphere:1:2", "sphere:1:", "sphere:a",
        "sphere:1m", "sphere: 1", "sphere:1e400", " sphere:1", "box:1:2", "box:1:2:3:4", "half_space:1"})
    EXPECT_EQ(message(text), "'" + text +
                                 "' is no primitive; there are: sphere:R, ellipsoid:X:Y:Z, box:X:Y:Z, "
                                 "capsule:R:H, cylinder:R:H, cone:R:H, half_space (m; sizes are half sizes)");
}

TEST(Primitive, SizesOutOfRangeAreRefused) {
  for (const std::string text :
       {"sphere:0", "sphere:-0.1", "sphere:inf", "sphere:nan", "ellipsoid:1:0:1", "box:1:1:-1", "capsule:0:1",
        "cylinder:inf:1", "cylinder:1:0", "cone:nan:1"}) {
    const std::string said = message(text), name = text.substr(0, text.find(':'));
    EXPECT_EQ(said.rfind("'" + text + "': " + name + ": a size is ", 0), 0u) << said;
    EXPECT_NE(said.find(" m; it must be positive and finite"), std::string::npos) << said;
  }
  for (const std::string text : {"capsule:1:-1", "capsule:1:inf", "capsule:1:nan"})
    EXPECT_NE(message(text).find(" m; it must be 0 or more and finite"), std::string::npos);
  for (const double bad : {0.0, -1.0, std::nan("")})
    EXPECT_THROW(require_valid(HalfSpace<double>{bad}), InvalidInput);
  EXPECT_NO_THROW(require_valid(HalfSpace<double>{1e4}));
}

// f over [a, b] by composite Gauss quadrature of degree 9.
template <class F>
double integral(const F& f, double a, double b, int parts = 64) {
  constexpr double kNodes[] = {0, 0.538469310105683, 0.906179845938664};
  constexpr double kWeights[] = {0.568888888888889, 0.478628670499366, 0.236926885056189};
  const double half = (b - a) / (2 * parts);
  double sum = 0;
  for (int i = 0; i < parts; ++i) {
    const double middle = a + (2 * i + 1) * half;
    sum += kWeights[0] * f(middle);
    for (int k = 1; k < 3; ++k)
      sum += kWeights[k] * (f(middle - half * kNodes[k]) + f(middle + half * kNodes[k]));
  }
  return half * sum;
}

// The level section of a solid: half sizes of an ellipse or a rectangle.
struct Section {
  double x, y;
  bool rectangle;
};

Section section(const Primitive& primitive, double z) {
  struct Visitor {
    double z;
    static Section round(double r) { return {r, r, false}; }
    Section operator()(const Sphere<double>& s) const {
      return round(std::sqrt(s.radius * s.radius - z * z));
    }
    Section operator()(const Ellipsoid<double>& e) const {
      const double s = std::sqrt(1 - std::pow(z / e.semi_axes.z(), 2));
      return {s * e.semi_axes.x(), s * e.semi_axes.y(), false};
    }
    Section operator()(const Box<double>& b) const { return {b.half.x(), b.half.y(), true}; }
    Section operator()(const Capsule<double>& c) const {
      const double over = std::max(std::abs(z) - c.half_length, 0.0);
      return round(std::sqrt(c.radius * c.radius - over * over));
    }
    Section operator()(const Cylinder<double>& c) const { return round(c.radius); }
    Section operator()(const Cone<double>& c) const {
      return round(c.radius * (c.half_length - z) / (2 * c.half_length));
    }
    Section operator()(const HalfSpace<double>&) const { return {}; }
  };
  return std::visit(Visitor{z}, primitive);
}

// Where the sections of solid_primitives() and of a capsule begin, change their formula, and end.
std::vector<double> levels(const Primitive& primitive) {
  const std::vector<double> size = sizes(primitive);
  if (const auto* capsule = std::get_if<Capsule<double>>(&primitive)) {
    const double h = capsule->half_length, end = h + capsule->radius;
    return {-end, -h, h, end};
  }
  return {-size.back(), size.back()};
}

void expect_sections(const Primitive& primitive) {
  SCOPED_TRACE(row_of(primitive).name);
  const std::vector<double> ends = levels(primitive);
  const auto sum = [&](const auto& f) {
    double total = 0;
    for (std::size_t i = 1; i < ends.size(); ++i)
      total += integral([&](double z) { return f(section(primitive, z), z); }, ends[i - 1], ends[i]);
    return total;
  };
  const auto area = [](const Section& s) { return s.x * s.y * (s.rectangle ? 4 : std::numbers::pi); };
  const auto over = [](const Section& s) { return s.rectangle ? 3.0 : 4.0; };
  const double volume = sum([&](const Section& s, double) { return area(s); });
  const double height = sum([&](const Section& s, double z) { return z * area(s); }) / volume;
  const double xx = sum([&](const Section& s, double) { return area(s) * s.x * s.x / over(s); });
  const double yy = sum([&](const Section& s, double) { return area(s) * s.y * s.y / over(s); });
  const double zz = sum([&](const Section& s, double z) { return area(s) * std::pow(z - height, 2); });
  const asset::MassProperties mass = mass_properties(primitive);
  EXPECT_NEAR(mass.volume, volume, 1e-12 * volume);
  EXPECT_EQ(mass.center_of_mass[0], 0);
  EXPECT_EQ(mass.center_of_mass[1], 0);
  EXPECT_NEAR(mass.center_of_mass[2], height, 1e-12 * ends.back());
  const double expected[] = {yy + zz, 0, 0, 0, xx + zz, 0, 0, 0, xx + yy};
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(mass.inertia[k], expected[k], 1e-11 * (xx + yy + zz)) << k;
}

TEST(PrimitiveMass, IsTheIntegralOverLevelSections) {
  for (const Primitive& primitive : test::solid_primitives()) expect_sections(primitive);
  expect_sections(Capsule<double>{0, 0.02});
  expect_sections(Ellipsoid<double>{{0.03, 0.03, 0.03}});
}

// Volume and area of a fine tessellation.
TEST(PrimitiveMass, IsThatOfFineTriangles) {
  for (const Primitive& primitive : test::solid_primitives()) {
    SCOPED_TRACE(row_of(primitive).name);
    constexpr double kDeviation = 5e-4;
    const asset::Surface made = tessellate(primitive, kDeviation);
    const asset::SurfaceView surface = asset::view(made);
    double volume = 0, area = 0;
    for (std::int32_t t = 0; t < surface.triangle_count; ++t) {
      const std::array<Vec3<double>, 3> p = test::corners(surface, t);
      volume += test::volume_under(p);
      area += (p[1] - p[0]).cross(p[2] - p[0]).norm() / 2;
    }
    const asset::MassProperties mass = mass_properties(primitive);
    EXPECT_NEAR(mass.volume, volume, 2 * kDeviation * volume);
    EXPECT_NEAR(mass.area, area, 2 * kDeviation * area);
  }
}

// Over the unit ball's heights and angles, where an ellipsoid stretches areas by abc |(x/a; y/b; z/c)|.
double ellipsoid_area(const Vec3<double>& semi_axes) {
  constexpr int kAngles = 256;
  return integral(
      [&](double z) {
        double sum = 0;
        for (int i = 0; i < kAngles; ++i) {
          const double angle = 2 * std::numbers::pi * i / kAngles, r = std::sqrt(1 - z * z);
          sum += Vec3<double>(r * std::cos(angle), r * std::sin(angle), z).cwiseQuotient(semi_axes).norm();
        }
        return semi_axes.prod() * sum * 2 * std::numbers::pi / kAngles;
      },
      -1, 1);
}

TEST(PrimitiveMass, AreaOfEllipsoids) {
  for (const Vec3<double>& axes :
       {Vec3<double>(3, 2, 1), Vec3<double>(1, 2, 3), Vec3<double>(2, 3, 1), Vec3<double>(2, 2, 1),
        Vec3<double>(1, 2, 2), Vec3<double>(2, 1, 1), Vec3<double>(1, 1, 1), Vec3<double>(1, 1, 0.999999),
        Vec3<double>(1, 1 - 1e-12, 1 - 2e-12), Vec3<double>(1, 0.999999999, 0.5), Vec3<double>(5, 4, 1)}) {
    const double expected = 1e-4 * ellipsoid_area(axes);
    EXPECT_NEAR(mass_properties(Ellipsoid<double>{1e-2 * axes}).area, expected, 1e-10 * expected)
        << axes.transpose();
  }
  // A disc has two sides, a needle none; the rim of thickness c adds pi c^2 ln(4 / c^2), 9e-11 at most.
  for (const double thin : {1e-6, 1e-7, 1e-8, 1e-9, 1e-12}) {
    const double disc = mass_properties(Ellipsoid<double>{{1, 1, thin}}).area,
                 oval = mass_properties(Ellipsoid<double>{{1, thin, 0.5}}).area,
                 needle = mass_properties(Ellipsoid<double>{{thin, thin, 1}}).area;
    EXPECT_NEAR(disc, 2 * std::numbers::pi, 2e-10) << thin;
    EXPECT_NEAR(oval, std::numbers::pi, 2e-10) << thin;
    EXPECT_NEAR(needle, std::numbers::pi * std::numbers::pi * thin, 1e-5 * thin) << thin;
  }
}

TEST(PrimitiveMass, OfAHalfSpaceIsNone) {
  const asset::MassProperties mass = mass_properties(HalfSpace<double>{});
  EXPECT_EQ(mass.volume, 0);
  EXPECT_EQ(mass.area, 0);
  for (const double moment : mass.inertia) EXPECT_EQ(moment, 0);
}

}  // namespace
