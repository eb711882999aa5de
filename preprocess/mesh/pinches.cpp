#include "preprocess/mesh/pinches.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "preprocess/mesh/lids.h"
#include "preprocess/mesh/repair.h"

namespace abut::preprocess {
namespace {

using Rim = std::vector<std::int32_t>;
using Position = std::array<double, 3>;

// Which islands (rims that touch the surrounding rim in single points) are joined to that rim.
enum class Islands { kAll, kInSmallHoles, kNone };

class PinchFiller {
 public:
  PinchFiller(TriangleMesh& mesh, double largest_extent) : mesh_(mesh), largest_extent_(largest_extent) {}

  // Returns false if an island that was joined to its surroundings is not attached on a second side.
  bool run(Islands islands) {
    islands_ = islands;
    std::vector<Rim> rims = find_rims(mesh_);
    leave_pinched(rims);
    if (rims.empty()) return true;
    for (const Triangle& t : mesh_.triangles) add_edges(t);
    for (const auto& [edge, faces] : edges_)
      if (faces > 2) crowded_.insert({edge.first, edge.second});
    while (islands != Islands::kNone && join_islands(rims)) {
    }
    bool apart = true;
    for (const Rim& rim : rims) apart &= follow(rim);
    for (Triangle& t : mesh_.triangles)
      for (std::int32_t& v : t)
        if (const auto one = merged_.find(v); one != merged_.end()) v = one->second;
    return apart;
  }

  const FilledPinches& done() const { return done_; }

 private:
  Position position(std::int32_t v) const {
    const Eigen::Vector3d& p = mesh_.vertices[v];
    return {p.x(), p.y(), p.z()};
  }

  bool comes_back(const Rim& rim) const {
    std::set<Position> seen;
    return std::any_of(rim.begin(), rim.end(),
                       [&](std::int32_t v) { return !seen.insert(position(v)).second; });
  }

  void leave_pinched(std::vector<Rim>& rims) const {
    std::map<Position, int> times;
    for (const Rim& rim : rims)
      for (const std::int32_t v : rim) ++times[position(v)];
    std::erase_if(rims, [&](const Rim& rim) {
      return std::all_of(rim.begin(), rim.end(), [&](std::int32_t v) { return times[position(v)] == 1; });
    });
  }

  bool fits(const Rim& rim) const {
    Eigen::AlignedBox3d box;
    for (const std::int32_t v : rim) box.extend(mesh_.vertices[v]);
    return box.diagonal().norm() <= largest_extent_;
  }

  // Joins islands: faces that touch their surroundings in at least two single points. From the first of these
  // points the surrounding rim continues along the island's rim; it passes that point twice and returns to
  // the others. Joins as many islands as are independent of each other; returns whether there were any.
  bool join_islands(std::vector<Rim>& rims) {
    std::map<Position, std::vector<std::pair<std::size_t, std::size_t>>> places;  // (rim, index in it)
    for (std::size_t i = 0; i < rims.size(); ++i)
      for (std::size_t k = 0; k < rims[i].size(); ++k) places[position(rims[i][k])].emplace_back(i, k);
    std::map<std::pair<std::size_t, std::size_t>, Position> first;  // first common position of two rims
    std::vector<std::map<std::size_t, Rim>> islands(rims.size());   // for each rim: index on it -> island
                                                                    // that joins there
    std::vector<char> joined(rims.size(), 0);
    for (const auto& [p, at] : places) {
      if (at.size() != 2 || at[0].first == at[1].first || crowded_.contains(p)) continue;
      const auto [known, is_new] = first.try_emplace({at[0].first, at[1].first}, p);
      if (is_new) continue;
      auto [around, place] = places[known->second][0];
      auto [island, start] = places[known->second][1];
      if (rims[island].size() > rims[around].size()) std::swap(around, island), std::swap(place, start);
      if (joined[around] || joined[island] || !islands[island].empty()) continue;
      // In a chain of holes each may be small.
      if (islands_ == Islands::kInSmallHoles && !fits(rims[around])) continue;
      if (!fits(rims[island])) continue;
      Rim turned = rims[island];
      std::rotate(turned.begin(), turned.begin() + static_cast<std::ptrdiff_t>(start), turned.end());
      merged_[turned[0]] = rims[around][place];
      turned[0] = rims[around][place];
      islands[around].emplace(place, std::move(turned));
      joined[island] = 1;
    }
    std::vector<Rim> result;
    for (std::size_t i = 0; i < rims.size(); ++i) {
      if (joined[i]) continue;
      Rim& rim = result.emplace_back();
      for (std::size_t k = 0; k < rims[i].size(); ++k) {
        if (const auto island = islands[i].find(k); island != islands[i].end())
          rim.insert(rim.end(), island->second.begin(), island->second.end());
        rim.push_back(rims[i][k]);
      }
    }
    const bool any = result.size() < rims.size();
    rims = std::move(result);
    return any;
  }

  // Follows the rim and fills the hole behind whenever a position recurs; returns whether the remaining path
  // passes through each vertex once.
  bool follow(const Rim& rim) {
    Rim path;
    std::map<Position, std::size_t> places;  // index in the path
    for (const std::int32_t v : rim) {
      const auto [before, is_new] = places.try_emplace(position(v), path.size());
      if (!is_new && path[before->second] != v &&
          fill({path.begin() + static_cast<std::ptrdiff_t>(before->second), path.end()})) {
        merged_[v] = path[before->second];
        while (path.size() > before->second + 1) {
          const auto place = places.find(position(path.back()));
          path.pop_back();
          if (place != places.end() && place->second == path.size()) places.erase(place);
        }
        continue;
      }
      before->second = path.size();
      path.push_back(v);
    }
    return std::set<std::int32_t>(path.begin(), path.end()).size() == path.size();
  }

  bool fill(const Rim& hole) {
    if (hole.size() < 3 || crowded_.contains(position(hole[0])) || comes_back(hole)) return false;
    if (!fits(hole)) return false;
    const std::vector<Triangle> lid =
        hole.size() == 3 ? std::vector<Triangle>{{hole[0], hole[1], hole[2]}} : triangulate_rim(mesh_, hole);
    if (lid.size() + 2 != hole.size() || !is_new(lid, hole)) return false;
    for (const Triangle& t : lid) add_edges(t);
    mesh_.triangles.insert(mesh_.triangles.end(), lid.begin(), lid.end());
    ++done_.count;
    done_.edges += hole.size();
    return true;
  }

  // Whether the inner edges of the lid are new to the mesh.
  bool is_new(const std::vector<Triangle>& lid, const Rim& hole) const {
    std::set<Edge> rim;
    for (std::size_t i = 0; i < hole.size(); ++i) rim.insert(edge(hole[i], hole[(i + 1) % hole.size()]));
    return std::all_of(lid.begin(), lid.end(), [&](const Triangle& t) {
      for (int k = 0; k < 3; ++k) {
        const Edge e = edge(t[k], t[(k + 1) % 3]);
        if (!rim.contains(e) && edges_.contains(e)) return false;
      }
      return true;
    });
  }

  using Edge = std::pair<Position, Position>;
  Edge edge(std::int32_t a, std::int32_t b) const {
    Position p = position(a), q = position(b);
    if (q < p) std::swap(p, q);
    return {p, q};
  }
  void add_edges(const Triangle& t) {
    for (int k = 0; k < 3; ++k) ++edges_[edge(t[k], t[(k + 1) % 3])];
  }

  TriangleMesh& mesh_;
  double largest_extent_;
  Islands islands_ = Islands::kNone;
  std::map<Edge, int> edges_;   // number of faces at each
  std::set<Position> crowded_;  // ends of edges with more than two faces: vertices there stay separate
  std::map<std::int32_t, std::int32_t> merged_;  // merged vertex -> the one that replaces it
  FilledPinches done_;
};

}  // namespace

FilledPinches fill_pinched_holes(TriangleMesh& mesh, double largest_extent) {
  for (const Islands islands : {Islands::kAll, Islands::kInSmallHoles}) {
    TriangleMesh filled = mesh;
    PinchFiller filler(filled, largest_extent);
    if (!filler.run(islands)) continue;
    mesh = std::move(filled);
    return filler.done();
  }
  PinchFiller without_islands(mesh, largest_extent);
  without_islands.run(Islands::kNone);
  return without_islands.done();
}

}  // namespace abut::preprocess
