#include <cmath>

#include "runtime/witness/separation.h"
#include "runtime/witness/shapes.h"
#include "tests/contract/extremes/witness_answer.h"

// Witness points of shapes in closed form with hulls, half-spaces and one another.
namespace abut::test {

namespace {

using Vector = Vec3<double>;
using witness::Witness;

// One of the shapes in closed form, as large as a body: with a curved core (ellipsoid, cylinder, cone) or
// not.
template <bool curved, class Use>
void with_shape(Random& random, double size, Use&& use) {
  const auto part = [&] { return size * std::pow(10.0, random.uniform(-3, 0)); };
  const Vector three(part(), part(), part());
  if constexpr (curved) {
    switch (random.below(3)) {
      case 0:
        return use(witness::Ellipsoid<double>{three});
      case 1:
        return use(witness::Cylinder<double>{three[0], three[1]});
      default:
        return use(witness::Cone<double>{three[0], three[1]});
    }
  } else {
    switch (random.below(4)) {
      case 0:
        return use(witness::Sphere<double>{three[0]});
      case 1:
        return use(witness::Capsule<double>{random.below(4) == 0 ? 0 : three[0], three[1]});
      case 2:
        return use(witness::Swept<double, witness::Box<double>>{{three}, random.below(2) ? 0 : three[1]});
      default:
        return use(witness::Box<double>{three});
    }
  }
}

// A turn, and for a half-space a shift, that takes a shape into itself.
Pose<double> symmetry(const auto& shape, Random& random, double size) {
  using Shape = std::remove_cvref_t<decltype(shape)>;
  Pose<double> X;
  if constexpr (std::is_same_v<Shape, asset::ConvexView>) {
    return X;
  } else if constexpr (std::is_same_v<Shape, witness::Sphere<double>>) {
    X.R = random_rotation(random);
  } else if constexpr (std::is_same_v<Shape, witness::Box<double>> ||
                       std::is_same_v<Shape, witness::Swept<double, witness::Box<double>>> ||
                       std::is_same_v<Shape, witness::Ellipsoid<double>>) {
    X.R.diagonal() << -1, -1, 1;
  } else {
    X.R = exp_rotation<double>({0, 0, random.uniform(-3, 3)});
    if constexpr (witness::detail::kHalfSpace<Shape>)
      X.p << size * random.normal(), size * random.normal(), 0;
  }
  return X;
}

template <bool curved>
class Shapes final : public Asker {
 public:
  void ask(const Query& query, Judge& judge) override {
    Random random = query.random();
    with_shape<curved>(random, query.A->reach, [&](const auto& A) {
      const double size = query.B->reach;
      switch (random.below(3)) {
        case 0:
          return ask(query, A, query.B->hull(), judge);
        case 1:
          return ask(query, A, witness::HalfSpace<double>{}, judge);
        default:
          if constexpr (curved)
            return ask(query, A, witness::Cone<double>{size * random.uniform(), size / 2}, judge);
          else
            return ask(query, A, witness::Box<double>{{size * random.uniform(), size / 2, size}}, judge);
      }
    });
  }

 private:
  template <class ShapeA, class ShapeB>
  void ask(const Query& query, const ShapeA& A, const ShapeB& B, Judge& judge) {
    const Pose<double>& X_AB = query.X_AB;
    Random random = query.random();
    const Pose<double> X_AM = symmetry(A, random, query.A->reach), X_BN = symmetry(B, random, query.A->reach);
    const auto w = judge.timed([&] { return witness::separation(A, B, X_AB, work_); });
    const auto swapped = judge.timed([&] { return witness::separation(B, A, X_AB.inverse(), work_); });
    const auto moved =
        judge.timed([&] { return witness::separation(A, B, X_AM.inverse() * X_AB * X_BN, work_); });
    for (const auto* answer : {&w, &swapped, &moved})
      if (!judge_witness(*answer, query.length, judge)) return;
    judge.same(Again::kExchanged, "distance", std::abs(w.distance - swapped.distance), query.length);
    judge.same(Again::kMoved, "distance", std::abs(w.distance - moved.distance), query.length);
  }

  witness::Workspace<double> work_;
};

}  // namespace

void add_shape_properties(std::vector<Property>& list) {
  list.push_back({"separation_shapes", 1, [](std::string_view) -> std::unique_ptr<Asker> {
                    return std::make_unique<Shapes<false>>();
                  }});
  list.push_back({"separation_curved", 1, [](std::string_view) -> std::unique_ptr<Asker> {
                    return std::make_unique<Shapes<true>>();
                  }});
}

}  // namespace abut::test
