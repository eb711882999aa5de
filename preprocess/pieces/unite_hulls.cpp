#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "preprocess/pieces/search.h"
#include "runtime/core/parallel.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

struct Union {
  std::size_t a, b;
  Polytope hull;
  Overreach over;
};

bool neighbours(const Polytope& a, const Polytope& b, double gap) {
  return ((a.low - b.high).array() <= gap).all() && ((b.low - a.high).array() <= gap).all();
}

Polytope united(const Polytope& a, const Polytope& b) {
  std::vector<Vector3d> points = a.vertices;
  points.insert(points.end(), b.vertices.begin(), b.vertices.end());
  return make_polytope(points);
}

}  // namespace

std::vector<United> unite_hulls(const OutsideLattice& lattice, double allowed, std::size_t most,
                                std::vector<Polytope> hulls, const PieceProgress& progress) {
  std::vector<Union> unions;
  const auto add = [&](std::vector<Union> more) {
    parallel_for(static_cast<std::int64_t>(more.size()), 0, [&](std::int64_t i, int) {
      Union& u = more[i];
      u.hull = united(hulls[u.a], hulls[u.b]);
      u.over = lattice.overreach(u.hull, allowed);
    });
    std::move(more.begin(), more.end(), std::back_inserter(unions));
  };
  std::vector<char> alive(hulls.size(), 1);
  std::vector<std::vector<std::size_t>> parts(hulls.size());
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = {i};
  const auto with = [&](std::size_t b, std::size_t end) {
    std::vector<Union> more;
    for (std::size_t a = 0; a < end; ++a)
      if (a != b && alive[a] != 0 && neighbours(hulls[a], hulls[b], lattice.spacing()))
        more.push_back({std::min(a, b), std::max(a, b), {}, {}});
    return more;
  };
  for (std::size_t b = 0; b < hulls.size(); ++b) {
    progress(fmt::format("{} hulls to unite, {} compared", hulls.size(), b));
    add(with(b, b));
  }
  std::size_t count = hulls.size();
  while (!unions.empty()) {
    const auto best = std::min_element(unions.begin(), unions.end(), [](const Union& x, const Union& y) {
      return std::tie(x.over.worst, x.a, x.b) < std::tie(y.over.worst, y.a, y.b);
    });
    if (best->over.worst > allowed && count <= most) break;
    const std::size_t a = best->a, b = best->b;
    hulls[a] = std::move(best->hull);
    alive[b] = 0;
    parts[a].insert(parts[a].end(), parts[b].begin(), parts[b].end());
    --count;
    progress(fmt::format("{} pieces left", count));
    std::erase_if(unions, [&](const Union& u) { return u.a == a || u.b == a || u.a == b || u.b == b; });
    add(with(a, hulls.size()));
  }
  std::vector<United> result;
  for (std::size_t i = 0; i < hulls.size(); ++i) {
    if (alive[i] == 0) continue;
    std::sort(parts[i].begin(), parts[i].end());
    result.push_back({std::move(hulls[i]), std::move(parts[i])});
  }
  return result;
}

}  // namespace abut::preprocess
