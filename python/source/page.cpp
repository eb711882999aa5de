#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "python/source/arguments.h"
#include "python/source/module.h"
#include "runtime/core/output_file.h"
#include "runtime/dynamics/step/scene_page.h"

namespace abut::python {
namespace {

using dynamics::PageMark;
using dynamics::Recording;

// Converts [(vertices (V, 3), triangles (T, 3), (r, g, b)), ...].
std::vector<PageMark> marks_of(const py::list& given) {
  std::vector<PageMark> marks;
  for (const py::handle one : given) {
    const auto parts = py::cast<py::tuple>(one);
    const py::array_t<float, py::array::c_style | py::array::forcecast> vertices(parts[0]);
    const py::array_t<std::int32_t, py::array::c_style | py::array::forcecast> triangles(parts[1]);
    marks.push_back({{vertices.data(), vertices.data() + vertices.size()},
                     {triangles.data(), triangles.data() + triangles.size()},
                     py::cast<std::array<int, 3>>(parts[2])});
  }
  return marks;
}

// Adds the pose of a body to the last frame of a page; the body need not be a solid as in a simulation.
void add_frame(Recording& recording, const dynamics::Body& body) {
  recording.positions.insert(recording.positions.end(), body.p_WB.begin(), body.p_WB.end());
  recording.quaternions.insert(recording.quaternions.end(), body.q_WB.begin(), body.q_WB.end());
}

// A page that shows geometries at their poses, and marks.
std::string page_of_geometries(const py::list& items, const py::list& marks) {
  dynamics::Scene scene;
  Recording recording;
  recording.times = {0};
  for (const py::handle item : items) {
    const auto parts = py::cast<py::tuple>(item);
    const auto& geometry = py::cast<const body::Geometry&>(parts[0]);
    const Pose<double> X = Poses({"show", "X_AB"}, parts[1])[0];
    if (geometry.half_space()) {
      scene.fixed.push_back({geometry, X});
      continue;
    }
    dynamics::Body& body = scene.bodies.emplace_back();
    body.shapes.push_back({geometry, {}});
    body.p_WB = X.p;
    const Eigen::Quaterniond q(X.R);
    body.q_WB = {q.w(), q.x(), q.y(), q.z()};
    add_frame(recording, body);
  }
  return dynamics::scene_page(scene, recording, marks_of(marks));
}

// A page that shows a system in states that are `dt` apart, s.
std::string page_of_states(const dynamics::System& system, const std::vector<dynamics::State>& states,
                           double dt) {
  Recording recording;
  dynamics::Scene scene = system.scene();
  for (const dynamics::State& state : states) {
    system.require_valid(state);
    recording.times.push_back(dt * static_cast<double>(recording.times.size()));
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
      const Eigen::Quaterniond& q = state.bodies[i].q_WB;
      scene.bodies[i].p_WB = state.bodies[i].p_WB;
      scene.bodies[i].q_WB = {q.w(), q.x(), q.y(), q.z()};
      add_frame(recording, scene.bodies[i]);
    }
  }
  return dynamics::scene_page(scene, recording);
}

// Implements View.save.
void write_page(py::handle file, const std::string& page) {
  OutputFile out(path({"save", "path"}, file));
  out.write(page);
  out.finish();
}

}  // namespace

void bind_page(py::module_& module) {
  module.def("page_of_geometries", &page_of_geometries);
  module.def("page_of_states", &page_of_states);
  module.def("write_page", &write_page);
}

}  // namespace abut::python
