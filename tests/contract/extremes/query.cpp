#include "tests/contract/extremes/query.h"

#include <time.h>

#include <cmath>
#include <cstdio>

#include "runtime/bvh/build.h"
#include "runtime/witness/separation.h"
#include "tests/contract/contract.h"

#ifdef ABUT_TEST_PREPROCESS
#include "preprocess/pieces/pieces.h"
#include "tests/support/pressure_field_data.h"
#endif

namespace abut::test {

namespace {

using Vector = Vec3<double>;

// Tetrahedra, before they are scaled and moved, and a hull of its own where there is a better one.
struct Source {
  std::string name;
  asset::Asset asset;
  std::vector<asset::ConvexPiece> pieces;  // of the tetrahedra
};

// Real objects where their data is there, and shapes made by code.
std::vector<Source> sources() {
  std::vector<Source> list;
  const auto add = [&](const char* name, const asset::ConvexPiece& hull) {
    list.push_back({name, convex_asset(hull), {hull}});
  };
  add("box", box_hull({0.08, 0.05, 0.03}));
  add("cube", box_hull({0.05, 0.05, 0.05}));
  add("ellipsoid", tessellated_ellipsoid(1, {0.10, 0.07, 0.04}));
#ifdef ABUT_TEST_PREPROCESS
  for (const char* name : {"011_banana", "025_mug", "035_power_drill", "003_cracker_box"}) {
    if (!std::filesystem::exists(pressure_field_folder() / (std::string(name) + "_300.tet"))) continue;
    Source source{name, read_reference_volume(name, 300), {}};
    for (NamedAsset& real : real_assets({name})) source.asset.convex = std::move(real.asset.convex);
    const preprocess::TriangleMesh skin = boundary(source.asset.volumes.front());
    preprocess::Report report;
    source.pieces = preprocess::make_pieces(skin, asset::view(preprocess::build_surface(skin)),
                                            {.kind = preprocess::PieceParameters::Kind::kAuto, .error = 6e-3},
                                            report, [](const std::string&) {})
                        .convex;
    list.push_back(std::move(source));
  }
#endif
  return list;
}

Vector vertex(const std::vector<double>& vertices, std::size_t i) {
  return {vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]};
}

// The same vertices and triangles elsewhere.
asset::ConvexPiece in_frame(const asset::ConvexPiece& piece, const auto& place) {
  const asset::ConvexView hull = asset::view(piece);
  std::vector<Vector> vertices;
  for (int i = 0; i < hull.vertex_count; ++i)
    vertices.push_back(place(Vector(hull.x[i], hull.y[i], hull.z[i])));
  Triangles triangles;
  for (int t = 0; t < hull.triangle_count; ++t)
    triangles.push_back({hull.triangles[3 * t], hull.triangles[3 * t + 1], hull.triangles[3 * t + 2]});
  return make_piece(vertices, triangles);
}

struct Extent {
  Vector low = Vector::Constant(1e300), high = -low;
};
Extent extent(const asset::ConvexView& hull, const Mat3<double>& R) {
  Extent box;
  for (int i = 0; i < hull.vertex_count; ++i) {
    const Vector v = R * Vector(hull.x[i], hull.y[i], hull.z[i]);
    box.low = box.low.cwiseMin(v);
    box.high = box.high.cwiseMax(v);
  }
  return box;
}

// The same pieces elsewhere, after the hull, with a tree over them.
void add_pieces(const std::vector<asset::ConvexPiece>& pieces, const auto& place, asset::Asset& asset) {
  std::vector<asset::ConvexPiece> moved;
  std::vector<bvh::Box> boxes;
  for (const asset::ConvexPiece& piece : pieces) {
    moved.push_back(in_frame(piece, place));
    const Extent box = extent(asset::view(moved.back()), Mat3<double>::Identity());
    boxes.push_back({box.low, box.high});
  }
  const bvh::BuiltTree built = bvh::build_tree(boxes, 1);
  for (const std::int32_t i : built.order) asset.convex.push_back(std::move(moved[i]));
  asset::Pieces index;
  index.errors = {0, 0};
  index.adjacency_offsets.assign(pieces.size() + 1, 0);
  index.tree = built.tree;
  asset.pieces = {std::move(index)};
}

#ifdef ABUT_TEST_PREPROCESS
// The hull of the object's own hull, or of its tetrahedra.
asset::ConvexPiece scaled_hull(const asset::Asset& asset, double scale) {
  std::vector<Vector> vertices;
  const auto add = [&](double x, double y, double z) { vertices.emplace_back(scale * Vector(x, y, z)); };
  const asset::Volume& volume = asset.volumes.front();
  if (asset.convex.empty())
    for (std::size_t i = 0; i < volume.extent.size(); ++i)
      add(volume.vertices[3 * i], volume.vertices[3 * i + 1], volume.vertices[3 * i + 2]);
  else
    for (int i = 0; i < asset::view(asset.convex.front()).vertex_count; ++i) {
      const asset::ConvexView hull = asset::view(asset.convex.front());
      add(hull.x[i], hull.y[i], hull.z[i]);
    }
  return preprocess::build_convex_piece(vertices);
}

// All other parts, made anew from the tetrahedra.
asset::Asset rebuilt(const asset::Volume& volume, const auto& place) {
  preprocess::TetrahedralMesh mesh;
  for (std::size_t i = 0; i < volume.extent.size(); ++i)
    mesh.vertices.push_back(place(vertex(volume.vertices, i)));
  for (std::size_t t = 0; t < volume.tetrahedra.size(); t += 4)
    mesh.tetrahedra.push_back(
        {volume.tetrahedra[t], volume.tetrahedra[t + 1], volume.tetrahedra[t + 2], volume.tetrahedra[t + 3]});
  asset::Asset result;
  result.volumes.push_back(
      preprocess::build_volume(mesh, preprocess::with_gradients(mesh, std::vector<double>(volume.extent))));
  const preprocess::TriangleMesh skin = boundary(result.volumes.front());
  result.surfaces.push_back(preprocess::build_surface(skin));
  // A point to each triangle: a cloud as rough as one may be.
  std::vector<Vector> positions, normals;
  std::vector<double> areas;
  std::vector<Corners> quads;
  for (const auto& [a, b, c] : skin.triangles) {
    const Vector n = (skin.vertices[b] - skin.vertices[a]).cross(skin.vertices[c] - skin.vertices[a]);
    areas.push_back(n.norm() / 2);
    quads.push_back({skin.vertices[a], skin.vertices[b], skin.vertices[c], skin.vertices[c]});
    positions.emplace_back((skin.vertices[a] + skin.vertices[b] + skin.vertices[c]) / 3);
    normals.emplace_back(n.normalized());
  }
  result.points.push_back(make_points(positions, normals, areas, quads));
  return result;
}
#else
asset::ConvexPiece scaled_hull(const asset::Asset& asset, double scale) {
  return in_frame(asset.convex.front(), [&](const Vector& x) -> Vector { return scale * x; });
}

asset::Asset rebuilt(const asset::Volume& volume, const auto& place) {
  std::vector<Vector> vertices;
  for (std::size_t i = 0; i + 1 < volume.extent.size(); ++i)
    vertices.push_back(place(vertex(volume.vertices, i)));
  Triangles triangles;  // star_volume: a tetrahedron to each triangle, seen from inside
  for (std::size_t t = 0; t < volume.tetrahedra.size(); t += 4)
    triangles.push_back({volume.tetrahedra[t], volume.tetrahedra[t + 2], volume.tetrahedra[t + 1]});
  return convex_asset(make_piece(vertices, triangles));
}
#endif

std::unique_ptr<Body> make_body(const Source& source, double scale, Random& random) {
  const asset::Volume& volume = source.asset.volumes.front();
  char name[64];
  std::snprintf(name, sizeof name, "%s x %a", source.name.c_str(), scale);
  asset::Asset own = rebuilt(volume, [&](const Vector& x) -> Vector { return scale * x; });
  own.convex = {scaled_hull(source.asset, scale)};
  add_pieces(
      source.pieces, [&](const Vector& x) -> Vector { return scale * x; }, own);
  double reach = 0;
  for (std::size_t i = 0; i < volume.extent.size(); ++i)
    reach = std::max(reach, scale * vertex(volume.vertices, i).norm());
  const asset::ConvexView hull = asset::view(own.convex.front());
  for (int i = 0; i < hull.vertex_count; ++i)
    reach = std::max(reach, Vector(hull.x[i], hull.y[i], hull.z[i]).norm());
  const Pose<double> X_MO{
      random_rotation(random),
      0.5 * reach * Vector(random.normal(), random.normal(), random.normal()).normalized()};
  asset::Asset moved = rebuilt(volume, [&](const Vector& x) -> Vector { return X_MO * Vector(scale * x); });
  moved.convex = {in_frame(own.convex.front(), [&](const Vector& x) -> Vector { return X_MO * x; })};
  add_pieces(
      source.pieces, [&](const Vector& x) -> Vector { return X_MO * Vector(scale * x); }, moved);
  asset::Asset bare = own;
  bare.points.clear();
  const auto made = [](asset::Asset& asset) { return body::Geometry(std::move(asset)); };
  return std::make_unique<Body>(Body{name, 1.5 * reach, {made(own)}, {made(moved)}, X_MO, made(bare)});
}

double log_uniform(Random& random, double low, double high) {
  return std::pow(10.0, random.uniform(std::log10(low), std::log10(high)));
}

Vector random_direction(Random& random) {
  if (random.below(4) == 0)
    return (random.below(2) ? 1.0 : -1.0) * Vector::Unit(Eigen::Index(random.below(3)));
  return Vector(random.normal(), random.normal(), random.normal()).normalized();
}

// A turn of the box into itself.
Mat3<double> square_turn(Random& random) {
  Mat3<double> R = Mat3<double>::Identity();
  for (std::uint64_t k = random.below(4); k > 0; --k) {
    const auto axis = Eigen::Index(random.below(3));
    Mat3<double> quarter = Mat3<double>::Zero();
    quarter(axis, axis) = 1;
    quarter((axis + 1) % 3, (axis + 2) % 3) = -1;
    quarter((axis + 2) % 3, (axis + 1) % 3) = 1;
    R = quarter * R;
  }
  return R;
}

Mat3<double> draw_rotation(Random& random) {
  switch (random.below(4)) {
    case 0:
      return square_turn(random);
    case 1: {  // nearly so
      const Vector w = log_uniform(random, 1e-17, 1e-3) * random_direction(random);
      return square_turn(random) * exp_rotation<double>(w);
    }
    default:
      return random_rotation(random);
  }
}

// A little or nothing, m.
double small_shift(Random& random, double size) {
  switch (random.below(4)) {
    case 0:
      return 0;
    case 1:
      return (random.below(2) ? 1 : -1) * log_uniform(random, 1e-14, 1e-11);
    default:
      return (random.below(2) ? 1 : -1) * size * log_uniform(random, 1e-17, 1e-1);
  }
}

void draw_offset(Random& random, Query& query) {
  const double a = query.A->reach, b = query.B->reach, small = std::min(a, b), both = a + b;
  Vector& p = query.X_AB.p;
  switch (random.below(7)) {
    case 0:
      query.kind = "coincident";
      p = small_shift(random, small) * random_direction(random);
      return;
    case 1:
      query.kind = "nested";
      p = std::abs(a - b) * random.uniform() * random_direction(random);
      return;
    case 2:
      query.kind = "overlapping";
      p = both * random.uniform(0.1, 1.0) * random_direction(random);
      return;
    case 3: {
      query.kind = "touching";
      p = both * random_direction(random);
      const auto w = witness::separation<double>(query.A->hull(), query.B->hull(), query.X_AB);
      if (std::isfinite(w.distance)) p -= (w.distance + small_shift(random, small)) * w.n;
      return;
    }
    case 4: {
      query.kind = "axis-aligned";
      const Extent A = extent(query.A->hull(), Mat3<double>::Identity()),
                   B = extent(query.B->hull(), query.X_AB.R);
      const auto k = Eigen::Index(random.below(3));
      for (Eigen::Index i = 0; i < 3; ++i) {
        const double aligned[] = {0, A.high[i] - B.high[i], A.low[i] - B.low[i], A.high[i] - B.low[i],
                                  both * random.uniform(-0.5, 0.5)};
        p[i] = i == k ? A.high[i] - B.low[i] : aligned[random.below(5)];
        p[i] += i == k || random.below(3) == 0 ? small_shift(random, small) : 0;
      }
      return;
    }
    case 5:
      query.kind = "apart";
      p = both * log_uniform(random, 1, 1e18) * random_direction(random);
      return;
    default:
      query.kind = "anywhere";
      p = log_uniform(random, 1e-20, 1e300) * random_direction(random);
  }
}

}  // namespace

std::vector<std::unique_ptr<Body>> make_bodies(int sizes) {
  std::vector<std::unique_ptr<Body>> bodies;
  Random random(29);
  const std::vector<Source> list = sources();
  for (int k = 0; k < sizes; ++k)
    for (const Source& source : list) {
      // Each object's own size is about 0.1 m.
      const double exponent = sizes > 1 ? -5 + 12 * (k + random.uniform(-0.5, 0.5)) / (sizes - 1) : 0;
      bodies.push_back(make_body(source, std::pow(10.0, std::clamp(exponent, -5.0, 7.0)), random));
    }
  return bodies;
}

Query draw_query(const std::vector<std::unique_ptr<Body>>& bodies, std::uint64_t seed, std::uint64_t index) {
  Random random(seed, index);
  Query query{seed, index, nullptr, nullptr, {}, "", 0};
  query.A = bodies[random.below(bodies.size())].get();
  // Of the same size more often than chance has it.
  do query.B = bodies[random.below(bodies.size())].get();
  while (random.below(2) == 0 && std::abs(std::log(query.B->reach / query.A->reach)) > 1.5);
  query.X_AB.R = draw_rotation(random);
  draw_offset(random, query);
  query.length = std::max({query.A->reach, query.B->reach, query.X_AB.p.stableNorm()});
  return query;
}

std::string describe(const Query& query) {
  char text[1024];
  const Mat3<double>& R = query.X_AB.R;
  const Vector& p = query.X_AB.p;
  std::snprintf(
      text, sizeof text,
      "--seed %llu --from %llu --count 1 (%s; %s, %s; R_AB rows %a %a %a, %a %a %a, %a %a %a; p_AB %a %a %a)",
      static_cast<unsigned long long>(query.seed), static_cast<unsigned long long>(query.index), query.kind,
      query.A->name.c_str(), query.B->name.c_str(), R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2),
      R(2, 0), R(2, 1), R(2, 2), p.x(), p.y(), p.z());
  return text;
}

double Judge::thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace abut::test
