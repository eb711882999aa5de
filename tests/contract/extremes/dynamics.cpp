#include <cmath>
#include <limits>

#include "runtime/dynamics/collide/asset_contact.h"
#include "runtime/dynamics/collide/convex_contact.h"
#include "tests/contract/extremes/query.h"

// Contact points of the dynamics' own shapes, in the world.
namespace abut::test {

namespace {

using dynamics::PlacedShape;
using dynamics::ShapeKind;
using dynamics::SurfacePoint;

class ShapeContacts final : public Asker {
 public:
  void ask(const Query& query, Judge& judge) override {
    Random random = query.random();
    const bool assets = random.below(3) == 0 && query.A->has_surface();
    PlacedShape A(draw_shape(random, *query.A, assets)), B(draw_shape(random, *query.B, false));
    if (!assets && random.below(4) == 0) A = PlacedShape({body::Geometry(body::HalfSpace<double>{}), {}});
    const double size = std::min(query.A->reach, query.B->reach);
    const double margin = random.below(2) ? 0 : size * std::pow(10.0, random.uniform(-9, 1));
    const Pose<double> X_WA{random_rotation(random), query.length * std::pow(10.0, random.uniform(-3, 0)) *
                                                         random_rotation(random).col(0)};
    const double here = deepest(A, B, Pose<double>(), query.X_AB, margin, judge);
    const double there = deepest(A, B, X_WA, X_WA * query.X_AB, margin, judge);
    judge.meets(here < 0);
    // Between axes that are nearly as good the normal, and with it the gap, goes by preference.
    if (A.kind == ShapeKind::kAsset || B.kind == ShapeKind::kPoint)
      judge.same(Again::kMoved, "deepest gap", std::abs(here - there), query.length);
  }

 private:
  // As an asset its samples are the vertices of its surface.
  static dynamics::Shape draw_shape(Random& random, const Body& body, bool as_asset) {
    if (as_asset) return {body.bare, {}};
    const auto part = [&] { return body.reach * std::pow(10.0, random.uniform(-3, 0)); };
    const Vec3<double> half(part(), part(), part());
    const body::Primitive kinds[] = {body::Box<double>{half},
                                     body::Cylinder<double>{half[1], half[0]},
                                     body::Cone<double>{half[1], half[0]},
                                     body::Capsule<double>{half[1], half[0]},
                                     body::Ellipsoid<double>{half},
                                     body::Sphere<double>{half[0]}};
    return {body::Geometry(kinds[random.below(std::size(kinds))]), {}};
  }

  double deepest(PlacedShape& A, PlacedShape& B, const Pose<double>& X_WA, const Pose<double>& X_WB,
                 double margin, Judge& judge) {
    A.place(X_WA, margin);
    B.place(X_WB, margin);
    points_.clear();
    judge.timed([&] {
      find(A, B, margin);
      return 0;
    });
    double least = margin;
    for (const SurfacePoint& point : points_) {
      judge.holds("finite numbers",
                  point.p_W.allFinite() && point.n_W.allFinite() && std::isfinite(point.gap));
      judge.at_most("|n| - 1", std::abs(point.n_W.norm() - 1), 1e-9);
      judge.at_most("gap", point.gap, margin);
      least = std::min(least, point.gap);
    }
    return least;
  }

  void find(const PlacedShape& A, const PlacedShape& B, double margin) {
    const auto either = [&](ShapeKind kind) { return A.kind == kind || B.kind == kind; };
    if (either(ShapeKind::kAsset)) {
      dynamics::AssetMemory memory;
      memory.forget();
      asset_points(A, B, margin, memory, asset_, points_);
    } else if (A.kind == ShapeKind::kPlane) {
      plane_points(A, B, margin, dynamics::ContactSampling::kVertex, points_);
    } else if (A.kind == ShapeKind::kBox && B.kind == ShapeKind::kBox) {
      box_box_points(A, B, margin, points_);
    } else {
      witness_points(A, B, margin, witness_, points_);
    }
  }

  witness::Workspace<double> witness_;
  dynamics::AssetWorkspace asset_;
  std::vector<SurfacePoint> points_;
};

}  // namespace

void add_dynamics_properties(std::vector<Property>& list) {
  list.push_back({"constraints_shapes", 1, [](std::string_view) -> std::unique_ptr<Asker> {
                    return std::make_unique<ShapeContacts>();
                  }});
}

}  // namespace abut::test
