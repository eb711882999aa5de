#include <pybind11/pybind11.h>

#include <array>

#include "python/source/answers.h"
#include "python/source/arguments.h"
#include "python/source/module.h"
#include "runtime/dynamics/system/state.h"

namespace abut::python {
namespace {

using dynamics::State;

// Makes a copy read-only, so that writing to it fails instead of leaving the state unchanged.
py::array read_only(py::array array) {
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

template <class Get>
py::array copied(const State& state, py::ssize_t width, Get get) {
  py::array_t<double> array({static_cast<py::ssize_t>(state.bodies.size()), width});
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const auto values = get(state.bodies[i]);
    for (py::ssize_t k = 0; k < width; ++k) array.mutable_at(static_cast<py::ssize_t>(i), k) = values[k];
  }
  return read_only(array);
}

template <class Set>
void assign(State& state, const char* argument, py::ssize_t width, py::handle value, Set set) {
  const Name name{"State", argument};
  const py::array array = numbers(name, value);
  if (array.ndim() != 2 || array.shape(0) != static_cast<py::ssize_t>(state.bodies.size()) ||
      array.shape(1) != width)
    refuse(name, "has shape " + shape_words(array) + "; it must be (" + std::to_string(state.bodies.size()) +
                     ", " + std::to_string(width) + ")");
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    set(state.bodies[i], [&](py::ssize_t k) { return entry(array, static_cast<py::ssize_t>(i), k); });
}

py::array joint_values(const dynamics::VecX<double>& values) {
  return read_only(py::array_t<double>(values.size(), values.data()));
}
void assign_joints(dynamics::VecX<double>& values, const char* argument, py::handle given) {
  const Name name{"State", argument};
  const py::array array = numbers(name, given);
  if (array.ndim() != 1 || array.shape(0) != values.size())
    refuse(name, "has shape " + shape_words(array) + "; it must be (" + std::to_string(values.size()) + ",)");
  for (Eigen::Index k = 0; k < values.size(); ++k) values[k] = entry(array, k);
}

using Member = Vec3<double> dynamics::BodyState::*;

void bind_vectors(py::class_<State>& type, const char* name, Member member, const char* doc) {
  type.def_property(
      name,
      [member](const State& state) {
        return copied(state, 3, [&](const dynamics::BodyState& b) { return b.*member; });
      },
      [member, name](State& state, py::handle value) {
        assign(state, name, 3, value, [&](dynamics::BodyState& b, auto at) {
          b.*member = {at(0), at(1), at(2)};
        });
      },
      doc);
}

}  // namespace

void bind_state(py::module_& module) {
  py::class_<State> type(
      module, "State",
      "What moves of a system's N bodies, in the world's axes. Properties are read-only copies; to change "
      "one, assign a whole array.");
  bind_vectors(type, "p_WB", &dynamics::BodyState::p_WB, "(N, 3) centres of mass, m");
  bind_vectors(type, "v_WB", &dynamics::BodyState::v_WB, "(N, 3) their velocities, m/s");
  bind_vectors(
      type, "L_W", &dynamics::BodyState::L_W,
      "(N, 3) angular momenta about them, kg m^2/s; in a system with other moments of inertia they are "
      "another spin: give that one System.vector(state)");
  type.def_property(
      "q_WB",
      [](const State& state) {
        return copied(state, 4, [](const dynamics::BodyState& b) {
          return std::array{b.q_WB.w(), b.q_WB.x(), b.q_WB.y(), b.q_WB.z()};
        });
      },
      [](State& state, py::handle value) {
        assign(state, "q_WB", 4, value, [](dynamics::BodyState& b, auto at) {
          b.q_WB = Eigen::Quaterniond(at(0), at(1), at(2), at(3));
        });
      },
      "(N, 4) unit quaternions (w, x, y, z)");
  type.def_property(
      "q", [](const State& state) { return joint_values(state.q); },
      [](State& state, py::handle value) { assign_joints(state.q, "q", value); },
      "(nq,) coordinates of joints; where bodies on joints are follows as a Simulation takes the state, "
      "at the next step, or by System.placed");
  type.def_property(
      "v", [](const State& state) { return joint_values(state.v); },
      [](State& state, py::handle value) { assign_joints(state.v, "v", value); },
      "(nv,) velocities of joints");
  type.def("__len__", [](const State& state) { return state.bodies.size(); })
      .def("copy", [](const State& state) { return state; })
      .def("__copy__", [](const State& state) { return state; })
      .def("__deepcopy__", [](const State& state, py::handle) { return state; })
      .def(py::pickle(
          [](const State& state) {
            return py::make_tuple(to_bytes(state.bodies), to_bytes(state.impulses), to_bytes(state.q),
                                  to_bytes(state.v));
          },
          [](const py::tuple& pickled) {
            State state;
            from_bytes(pickled[0], state.bodies);
            from_bytes(pickled[1], state.impulses);
            from_bytes(pickled[2], state.q);
            from_bytes(pickled[3], state.v);
            return state;
          }));
}

}  // namespace abut::python
