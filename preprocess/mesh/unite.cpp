#include "preprocess/mesh/unite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "preprocess/index/index.h"
#include "preprocess/mesh/close_part.h"
#include "preprocess/mesh/parts.h"
#include "preprocess/mesh/repair.h"
#include "preprocess/mesh/shells.h"
#include "preprocess/mesh/sound_union.h"
#include "preprocess/mesh/wrap.h"
#include "runtime/core/error.h"
#include "runtime/distance/surface_distance.h"

namespace abut::preprocess {
namespace {

void turn_over(TriangleMesh& mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
}

// The faces of a mesh of closed parts, without those that lie inside another part that faces outward.
TriangleMesh outer_faces(const TriangleMesh& mesh) {
  const Components parts = find_components(mesh);
  const std::vector<double> volumes = part_volumes(mesh, parts);
  const std::vector<Eigen::AlignedBox3d> boxes = part_boxes(mesh, parts);
  std::vector<char> keep(mesh.triangles.size(), 1);
  for (std::int32_t p = 0; p < parts.count; ++p) {
    if (volumes[p] <= 0) continue;
    const asset::Surface surface = build_surface(select_part(mesh, parts, p));
    const asset::SurfaceView view = asset::view(surface);
    const auto inside = [&](const Eigen::Vector3d& x) {
      return boxes[p].contains(x) && distance::signed_distance<double>(view, x).distance < 0;
    };
    for (std::size_t f = 0; f < keep.size(); ++f) {
      const Triangle& t = mesh.triangles[f];
      if (keep[f] == 0 || parts.of_face[f] == p || volumes[parts.of_face[f]] < 0) continue;
      const auto &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
      if (inside(a) && inside(b) && inside(c) && inside((a + b + c) / 3)) keep[f] = 0;
    }
  }
  return select_faces(mesh, keep);
}

class Uniter {
 public:
  Uniter(const TriangleMesh& mesh, const CloseParameters& parameters, Report& report)
      : mesh_(mesh), parameters_(parameters), report_(report), parts_(measure_parts(mesh)) {}

  UnitedParts unite() {
    closed_of_.resize(parts_.of.count);
    for (std::int32_t p = 0; p < parts_.of.count; ++p) close_one(p);
    const auto fails =
        static_cast<std::size_t>(std::count(closed_of_.begin(), closed_of_.end(), std::nullopt));
    UnitedParts result;
    result.kept = mesh_;
    // By default, dropping parts is preferable to wrapping everything.
    if (fails > 0 && (parameters_.all_components || !closed_of_[parts_.largest])) {
      if (std::optional<TriangleMesh> wrapped = wrap_all(fails)) {
        result.surface = std::move(*wrapped);
        result.reference = mesh_;
        result.hull_points = mesh_.vertices;
        return result;
      }
    }
    if (fails > 0) drop_failed(result);
    take_messages();
    TriangleMesh solids = assemble();
    const Turned turned = turn_outward(solids);
    if (turned.shells > 0) report_.warnings.emplace_back("the surface was inside out: turned over");
    report_.measures["cavities"] = static_cast<double>(turned.cavities);
    result.surface = unite_solids(solids);
    result.hull_points = std::move(hull_points_);
    result.overlapping = overlapping_;
    result.reference = std::move(solids);
    return result;
  }

 private:
  void close_one(std::int32_t p) {
    TriangleMesh part = select_part(mesh_, parts_.of, p);
    // A part that faces inward may bound a cavity: its orientation is judged later, with all parts.
    const bool inward = count_open_edges(part) == 0 && volume(part) < 0;
    if (inward) turn_over(part);
    Report& report = reports_.emplace_back();
    try {
      if (std::optional<ClosedPart> closed = close_part(part, parameters_, false, report)) {
        if (inward) turn_over(closed->surface);
        hull_points_.insert(hull_points_.end(), closed->hull_points.begin(), closed->hull_points.end());
        closed_of_[p] = std::move(closed->surface);
      }
    } catch (const InvalidInput& error) {
      report.warnings = {error.what()};
    }
  }

  // Empty if the parts, wrapped together, outline no solid and the largest one closed separately.
  std::optional<TriangleMesh> wrap_all(std::size_t fails) {
    try {
      Report report;
      TriangleMesh wrapped = wrap_surface({mesh_, mesh_, 0}, report);
      report_.warnings.push_back(fmt::format("{} of {} parts do not close on their own: all wrapped together",
                                             fails, parts_.of.count));
      for (std::string& warning : report.warnings) report_.warnings.push_back(std::move(warning));
      report_.measures.merge(report.measures);
      return wrapped;
    } catch (const InvalidInput&) {
      if (!closed_of_[parts_.largest]) throw;
      return std::nullopt;
    }
  }

  void drop_failed(UnitedParts& result) {
    std::vector<char> keep(parts_.of.count);
    for (std::int32_t p = 0; p < parts_.of.count; ++p) keep[p] = closed_of_[p] ? 1 : 0;
    result.kept = drop_parts(mesh_, parts_, keep,
                             parameters_.all_components
                                 ? ": they close neither on their own nor wrapped with the others"
                                 : ": they do not close; --keep-all-components wraps them",
                             report_);
  }

  // Merges the parts' reports. Counts add up, dropped shares are weighted by the parts' areas, and of other
  // percentages and lengths the largest counts.
  void take_messages() {
    std::map<std::string, double> dropped;  // percent of the area of the kept parts
    double kept = 0;
    for (std::int32_t p = 0; p < parts_.of.count; ++p) kept += closed_of_[p] ? parts_.areas[p] : 0;
    for (std::int32_t p = 0; p < parts_.of.count; ++p) {
      if (!closed_of_[p]) continue;
      for (const std::string& warning : reports_[p].warnings)
        report_.warnings.push_back(fmt::format("part {} of {} ({:.2g} % of the area): {}", p + 1,
                                               parts_.of.count, 100 * parts_.areas[p] / parts_.area,
                                               warning));
      for (const auto& [name, value] : reports_[p].measures) {
        if (name.starts_with("dropped_")) {
          dropped[name] += parts_.areas[p] / kept * value;
          continue;
        }
        double& all = report_.measures[name];
        const bool counts = !name.ends_with("_percent") && !name.ends_with("_m");
        all = counts ? all + value : std::max(all, value);
      }
    }
    for (const auto& [name, percent] : dropped) add_dropped(name, percent, report_);
  }

  TriangleMesh assemble() const {
    TriangleMesh solids = closed_of_[parts_.largest].value();
    for (std::int32_t p = 0; p < parts_.of.count; ++p)
      if (p != parts_.largest && closed_of_[p]) append_mesh(solids, *closed_of_[p]);
    return solids;
  }

  TriangleMesh unite_solids(const TriangleMesh& solids) {
    const std::int32_t count = find_components(solids).count;
    std::optional<SoundUnion> united = sound_union(solids);
    overlapping_ =
        !united || !united->growth.empty() || united->mesh.triangles.size() != solids.triangles.size();
    if (!united) {
      report_.warnings.push_back(fmt::format("the {} parts could not be united exactly", count));
      return wrap_surface({solids, outer_faces(solids), 0}, report_);
    }
    if (overlapping_)
      report_.warnings.push_back(fmt::format("{} parts united that overlap{}", count, united->growth));
    return std::move(united->mesh);
  }

  const TriangleMesh& mesh_;
  const CloseParameters& parameters_;
  Report& report_;
  Parts parts_;
  std::vector<Report> reports_;                         // one for each part
  std::vector<std::optional<TriangleMesh>> closed_of_;  // solid of each part, if it closes
  std::vector<Eigen::Vector3d> hull_points_;            // of the parts that close
  bool overlapping_ = false;                            // whether the union differs from its parts
};

}  // namespace

UnitedParts close_and_unite(const TriangleMesh& mesh, const CloseParameters& parameters, Report& report) {
  return Uniter(mesh, parameters, report).unite();
}

}  // namespace abut::preprocess
