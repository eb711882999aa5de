#include "preprocess/mesh/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "preprocess/mesh/box_tree.h"
#include "preprocess/mesh/intersect.h"
#include "preprocess/mesh/shells.h"
#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/distance/triangle_point.h"

namespace abut::preprocess {
namespace {

// Number of triangle pairs tested before two parts are assumed to be separate.
constexpr std::size_t kMaxPairs = 5'000'000;
constexpr std::size_t kLooseFaces = 2;  // a part of so few faces is a triangle or a quadrilateral

BoxTree::Box box_of(const Corners& c) { return BoxTree::Box(c[0]).extend(c[1]).extend(c[2]); }

double distance2(const Corners& c, const Eigen::Vector3d& p) {
  return distance::closest_on_triangle<double>(c[0], c[1], c[2], p).distance2;
}

// Spatial relation of two parts.
enum class Contact { kNone, kNear, kCross };

class Neighbours {
 public:
  Neighbours(const TriangleMesh& mesh, const Parts& parts, double gap)
      : mesh_(mesh),
        gap_(gap),
        faces_(parts.of.count),
        trees_(parts.of.count),
        boxes_(part_boxes(mesh, parts.of)) {
    for (std::size_t f = 0; f < mesh.triangles.size(); ++f)
      if (!is_flat(corners_of(mesh, mesh.triangles[f])))
        faces_[parts.of.of_face[f]].push_back(static_cast<std::int32_t>(f));
  }

  Contact contact(std::int32_t p, std::int32_t q) {
    const Eigen::Vector3d margin = Eigen::Vector3d::Constant(gap_);
    const auto grown = [&](BoxTree::Box box) { return BoxTree::Box(box.min() - margin, box.max() + margin); };
    if (!grown(boxes_[p]).intersects(boxes_[q])) return Contact::kNone;
    if (faces_[p].size() < faces_[q].size()) std::swap(p, q);
    const BoxTree& tree = tree_of(p);
    Contact contact = Contact::kNone;
    std::size_t pairs = 0;
    for (const std::int32_t g : faces_[q]) {
      const Corners c = corners_of(mesh_, mesh_.triangles[g]);
      const BoxTree::Box box = grown(box_of(c));
      const bool done = tree.any([&](const BoxTree::Box& other) { return box.intersects(other); },
                                 [&](std::int32_t i) {
                                   const std::int32_t f = faces_[p][i];
                                   const Corners d = corners_of(mesh_, mesh_.triangles[f]);
                                   if (meet_improperly(mesh_.triangles[f], d, mesh_.triangles[g], c))
                                     contact = Contact::kCross;
                                   else if (contact == Contact::kNone && within_gap(c, d))
                                     contact = Contact::kNear;
                                   return contact == Contact::kCross || ++pairs > kMaxPairs;
                                 });
      if (done) break;
    }
    return contact;
  }

 private:
  const BoxTree& tree_of(std::int32_t p) {
    if (trees_[p].empty()) {
      std::vector<BoxTree::Box> boxes;
      for (const std::int32_t f : faces_[p]) boxes.push_back(box_of(corners_of(mesh_, mesh_.triangles[f])));
      trees_[p].emplace_back().build(boxes);
    }
    return trees_[p].front();
  }

  // Tests vertices only: pairs of edges that come near each other are missed.
  bool within_gap(const Corners& c, const Corners& d) const {
    for (int k = 0; k < 3; ++k)
      if (distance2(c, d[k]) <= gap_ * gap_ || distance2(d, c[k]) <= gap_ * gap_) return true;
    return false;
  }

  const TriangleMesh& mesh_;
  double gap_;
  std::vector<std::vector<std::int32_t>> faces_;  // of each part, without degenerate faces
  std::vector<std::vector<BoxTree>> trees_;       // of each part: one tree, or none if not yet built
  std::vector<Eigen::AlignedBox3d> boxes_;
};

std::vector<char> closed_parts(const TriangleMesh& mesh, const Parts& parts) {
  std::vector<char> closed(parts.of.count, 1);
  std::vector<char> at_rim(mesh.vertices.size(), 0);
  for (const auto& edge : open_edges(mesh)) at_rim[edge[0]] = at_rim[edge[1]] = 1;
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f)
    for (const std::int32_t v : mesh.triangles[f])
      if (at_rim[v] != 0) closed[parts.of.of_face[f]] = 0;
  return closed;
}

// The outermost closed part around the largest one; the largest if there is none.
std::int32_t outermost_around(const TriangleMesh& mesh, const Parts& parts) {
  const std::vector<Eigen::AlignedBox3d> boxes = part_boxes(mesh, parts.of);
  std::vector<char> closed;
  std::int32_t outermost = parts.largest;
  for (std::int32_t p = 0; p < parts.of.count; ++p) {
    if (!boxes[p].contains(boxes[outermost]) || !(parts.extents[p] > parts.extents[outermost])) continue;
    if (closed.empty()) closed = closed_parts(mesh, parts);
    if (closed[p] != 0 && lies_within(mesh, parts.of, outermost, p)) outermost = p;
  }
  return outermost;
}

}  // namespace

Parts measure_parts(const TriangleMesh& mesh) {
  Parts parts;
  parts.of = find_components(mesh);
  parts.areas.assign(parts.of.count, 0);
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    const Corners c = corners_of(mesh, mesh.triangles[f]);
    parts.areas[parts.of.of_face[f]] += (c[1] - c[0]).cross(c[2] - c[0]).norm() / 2;
  }
  for (const auto& box : part_boxes(mesh, parts.of)) parts.extents.push_back(box.diagonal().norm());
  for (const double a : parts.areas) parts.area += a;
  parts.largest = static_cast<std::int32_t>(std::max_element(parts.areas.begin(), parts.areas.end()) -
                                            parts.areas.begin());
  parts.largest = outermost_around(mesh, parts);
  return parts;
}

std::vector<char> joined_to_largest(const TriangleMesh& mesh, const Parts& parts, double gap, double speck) {
  Neighbours neighbours(mesh, parts, gap);
  const std::vector<char> closed = closed_parts(mesh, parts);
  std::vector<char> joined(parts.of.count, 0);
  std::vector<std::int32_t> queue{parts.largest};
  joined[parts.largest] = 1;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (std::int32_t p = 0; p < parts.of.count; ++p) {
      if (joined[p] != 0 || parts.extents[p] <= speck) continue;
      const Contact contact = neighbours.contact(queue[i], p);
      if (contact == Contact::kNone) continue;
      // A part that is near but open is a loose sheet; one that is near from within is a cavity, or adds
      // nothing.
      if (contact == Contact::kNear &&
          (closed[p] == 0 || (closed[queue[i]] != 0 && lies_within(mesh, parts.of, p, queue[i]))))
        continue;
      joined[p] = 1;
      queue.push_back(p);
    }
  }
  return joined;
}

std::size_t count_dropped_cavities(const TriangleMesh& mesh, const Parts& parts,
                                   const std::vector<char>& keep, double speck) {
  const std::vector<double> volumes = part_volumes(mesh, parts.of);
  std::size_t cavities = 0;
  for (std::int32_t p = 0; p < parts.of.count; ++p) {
    cavities += keep[p] == 0 && parts.extents[p] > speck && volumes[p] * volumes[parts.largest] < 0 &&
                lies_within(mesh, parts.of, p, parts.largest);
  }
  return cavities;
}

double left_out_share(const TriangleMesh& mesh, const Parts& parts, const std::vector<char>& keep) {
  double dropped = 0;
  for (std::int32_t p = 0; p < parts.of.count; ++p) dropped += keep[p] == 0 ? parts.areas[p] : 0;
  if (dropped <= kMaxLeftOut * parts.area || closed_parts(mesh, parts)[parts.largest] == 0)
    return dropped / parts.area;
  double within = 0;
  for (std::int32_t p = 0; p < parts.of.count; ++p)
    if (keep[p] == 0 && lies_within(mesh, parts.of, p, parts.largest)) within += parts.areas[p];
  return (dropped - within) / (parts.area - within);
}

bool leaves_out_loose_faces(const TriangleMesh& mesh, const Parts& parts, const std::vector<char>& keep) {
  std::vector<std::size_t> faces(parts.of.count, 0);
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) ++faces[parts.of.of_face[f]];
  double loose = 0, others = 0;
  for (std::int32_t p = 0; p < parts.of.count; ++p)
    if (keep[p] == 0) (faces[p] <= kLooseFaces ? loose : others) += parts.areas[p];
  return loose > others;
}

void add_dropped(const std::string& measure, double percent, Report& report) {
  double& all = report.measures[measure];
  all += (1 - all / 100) * percent;
}

TriangleMesh drop_parts(const TriangleMesh& mesh, const Parts& parts, const std::vector<char>& keep,
                        const std::string& advice, Report& report) {
  const std::vector<double> volumes = part_volumes(mesh, parts.of);
  const std::vector<char> closed = closed_parts(mesh, parts);
  std::size_t dropped = 0;
  double lost = 0, largest = 0, lost_volume = 0, all_volume = 0;
  for (std::int32_t p = 0; p < parts.of.count; ++p) {
    const double held = closed[p] != 0 ? std::abs(volumes[p]) : 0;
    all_volume += held;
    if (keep[p] != 0) continue;
    ++dropped;
    lost += parts.areas[p];
    lost_volume += held;
    largest = std::max(largest, parts.areas[p]);
  }
  if (const double share = left_out_share(mesh, parts, keep); share > kMaxLeftOut)
    throw InvalidInput(fmt::format(
        "of {} separate parts only {} would be kept, with {:.2g} % of the area, less than {:.0f} %{}",
        parts.of.count, parts.of.count - static_cast<std::int32_t>(dropped), 100 * (1 - share),
        100 * (1 - kMaxLeftOut), advice));
  report.measures["components_dropped"] += static_cast<double>(dropped);
  if (dropped == 0) return mesh;
  const double area_percent = 100 * lost / parts.area,
               volume_percent = all_volume > 0 ? 100 * lost_volume / all_volume : 0;
  add_dropped("dropped_area_percent", area_percent, report);
  add_dropped("dropped_volume_percent", volume_percent, report);
  report.warnings.push_back(
      fmt::format("{} of {} dropped, {:.3g} % of the area (the largest of them {:.3g} %) and {:.3g} % of the "
                  "volume of closed parts{}",
                  dropped, counted(parts.of.count, "separate part"), area_percent, 100 * largest / parts.area,
                  volume_percent, advice));
  std::vector<char> faces(mesh.triangles.size());
  for (std::size_t f = 0; f < faces.size(); ++f) faces[f] = keep[parts.of.of_face[f]];
  return select_faces(mesh, faces);
}

}  // namespace abut::preprocess
