#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <string>

#include "python/source/answers.h"
#include "python/source/arguments.h"
#include "python/source/batch.h"
#include "python/source/interruptible.h"
#include "python/source/module.h"
#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/step/recording.h"
#include "runtime/dynamics/step/scene_page.h"
#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/scene_file.h"

namespace abut::python {
namespace {

using dynamics::Control;
using dynamics::Integrator;
using dynamics::Recording;
using dynamics::Simulation;
using dynamics::State;
using dynamics::StepConfig;
using dynamics::StepReport;
using dynamics::System;

// A scene of a file; `assets` is called with the name of each asset and gives a Geometry.
System read_scene(py::handle file, py::function assets) {
  return System(dynamics::read_scene(path({"read_scene", "path"}, file), [&](const std::string& name) {
    const py::object found = assets(name);
    if (!py::isinstance<body::Geometry>(found))
      refuse_type({"read_scene", "assets"}, "giving a Geometry", found);
    return py::cast<body::Geometry>(found);
  }));
}

StepConfig config_of(const py::dict& given) {
  constexpr const char* kWho = "simulation";
  StepConfig config;
  config.dt = number({kWho, "dt"}, given["dt"]);
  config.integrator = text({kWho, "integrator"}, given["integrator"]);
  config.solver = text({kWho, "solver"}, given["solver"]);
  config.threads = thread_count(kWho, given["threads"]);
  config.integrator_settings = settings({kWho, "integrator_settings"}, given["integrator_settings"]);
  config.solver_settings = settings({kWho, "solver_settings"}, given["solver_settings"]);
  config.source.settings = settings({kWho, "model_settings"}, given["model_settings"]);
  if (!given["model"].is_none()) config.source.model = text({kWho, "model"}, given["model"]);
  return config;
}

// Wrenches on the bodies, (N, 6), or none.
class Wrenches {
 public:
  Wrenches(const char* function, py::handle given, std::size_t bodies) {
    if (given.is_none()) return;
    const Name name{function, "control"};
    const py::array array = numbers(name, given);
    if (array.ndim() != 2 || array.shape(0) != static_cast<py::ssize_t>(bodies) || array.shape(1) != 6)
      refuse(name, "has shape " + shape_words(array) + "; it must be (" + std::to_string(bodies) +
                       ", 6): (moment; force) on each body in the world's axes");
    wrenches_.resize(bodies);
    for (std::size_t i = 0; i < bodies; ++i)
      for (py::ssize_t k = 0; k < 6; ++k) wrenches_[i][k] = entry(array, static_cast<py::ssize_t>(i), k);
  }
  Control control() const { return {wrenches_}; }

 private:
  std::vector<Vec6<double>> wrenches_;
};

template <class Get>
py::array copied(const State& state, py::ssize_t width, Get get) {
  py::array_t<double> array({static_cast<py::ssize_t>(state.bodies.size()), width});
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const auto values = get(state.bodies[i]);
    for (py::ssize_t k = 0; k < width; ++k) array.mutable_at(static_cast<py::ssize_t>(i), k) = values[k];
  }
  return array;
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

void bind_state(py::module_& module) {
  py::class_<State> type(
      module, "State",
      "What moves of a system's N bodies, in the world's axes. Properties are copies; assign to change.");
  bind_vectors(type, "p_WB", &dynamics::BodyState::p_WB, "(N, 3) centres of mass, m");
  bind_vectors(type, "v_WB", &dynamics::BodyState::v_WB, "(N, 3) their velocities, m/s");
  bind_vectors(type, "L_W", &dynamics::BodyState::L_W, "(N, 3) angular momenta about them, kg m^2/s");
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
  type.def("__len__", [](const State& state) { return state.bodies.size(); })
      .def("copy", [](const State& state) { return state; })
      .def("__copy__", [](const State& state) { return state; })
      .def("__deepcopy__", [](const State& state, py::handle) { return state; })
      .def(py::pickle(
          [](const State& state) { return py::make_tuple(to_bytes(state.bodies), to_bytes(state.impulses)); },
          [](const py::tuple& pickled) {
            State state;
            from_bytes(pickled[0], state.bodies);
            from_bytes(pickled[1], state.impulses);
            return state;
          }));
}

void bind_system(py::module_& module) {
  py::class_<System>(module, "System")
      .def(py::init(&read_scene))
      .def_property_readonly("names",
                             [](const System& system) {
                               std::vector<std::string> names;
                               for (const auto& body : system.scene().bodies) names.push_back(body.name);
                               return names;
                             })
      .def_property_readonly("masses",
                             [](const System& system) {
                               std::vector<double> masses;
                               for (const auto& body : system.scene().bodies) masses.push_back(body.mass);
                               return py::array_t<double>(static_cast<py::ssize_t>(masses.size()),
                                                          masses.data());
                             })
      .def_property_readonly("duration", [](const System& system) { return system.scene().duration; })
      .def("initial_state", &System::initial_state)
      .def("angular_velocity",
           [](const System& system, const State& state) {
             system.require_valid(state);
             py::array_t<double> w({static_cast<py::ssize_t>(state.bodies.size()), py::ssize_t{3}});
             for (std::size_t i = 0; i < state.bodies.size(); ++i) {
               const Vec3<double> w_WB = system.angular_velocity(state, i);
               for (int k = 0; k < 3; ++k) w.mutable_at(static_cast<py::ssize_t>(i), k) = w_WB[k];
             }
             return w;
           })
      .def("energy", [](const System& system, const State& state) {
        system.require_valid(state);
        double energy = 0;
        for (std::size_t i = 0; i < state.bodies.size(); ++i)
          energy += system.kinetic_energy(state, i) + system.potential_energy(state, i);
        return energy;
      });
}

// One scene in motion and what was recorded of it.
class SimulationHandle {
 public:
  SimulationHandle(const System& system, const py::dict& config)
      : simulation_(system.scene(), config_of(config)) {}

  // Calls ask(simulation, recording) between the steps of another thread.
  template <class Ask>
  auto between_steps(Ask&& ask) {
    const std::lock_guard lock(mutex_);
    return ask(simulation_, recording_);
  }

  // Moves on, recording a frame after every `every` steps (0: none).
  void run(py::handle steps, py::handle control, py::handle every) {
    const std::int64_t count = whole_number({kWho, "steps"}, steps, 0);
    const std::int64_t interval = whole_number({kWho, "every"}, every, 0);
    const Wrenches wrenches(kWho, control, simulation_.system().body_count());
    if (interval > 0)
      between_steps([](const Simulation& now, Recording& recording) {
        if (recording.times.empty()) recording.add_frame(now);
      });
    in_pieces(count, [&](std::int64_t begin, std::int64_t end) {
      const std::lock_guard lock(mutex_);
      for (std::int64_t k = begin; k < end; ++k) {
        simulation_.step(wrenches.control());
        if (interval > 0 && simulation_.steps() % interval == 0) recording_.add_frame(simulation_);
      }
    });
  }

 private:
  static constexpr const char* kWho = "run";
  Simulation simulation_;
  Recording recording_;
  std::mutex mutex_;  // never held by who waits for the interpreter lock
};

py::object frames(const Recording& recording, const std::vector<double>& values, py::ssize_t width) {
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(recording.times.size())};
  if (width > 0) shape.insert(shape.end(), {static_cast<py::ssize_t>(recording.bodies.size()), width});
  return py::array_t<double>(shape, values.data());
}

py::tuple all_frames(SimulationHandle& handle) {
  return handle.between_steps([](const Simulation&, const Recording& r) {
    return py::make_tuple(frames(r, r.times, 0), frames(r, r.positions, 3), frames(r, r.quaternions, 4),
                          frames(r, r.velocities, 3), frames(r, r.angular_velocities, 3));
  });
}

py::dict report_of(const StepReport& report) {
  using namespace py::literals;
  return py::dict("contacts"_a = report.contacts, "penetration"_a = report.penetration,
                  "kinetic"_a = report.kinetic, "potential"_a = report.potential,
                  "control_work"_a = report.control_work, "stabilisation_work"_a = report.stabilisation_work,
                  "iterations"_a = report.solver.iterations, "residual"_a = report.solver.residual,
                  "status"_a = status_word(report.status()), "stable_dt"_a = report.stable_dt);
}

void bind_simulation(py::module_& module) {
  py::class_<SimulationHandle> type(module, "Simulation");
  type.def(py::init<const System&, const py::dict&>())
      .def("_run", &SimulationHandle::run)
      .def_property_readonly("_frames", &all_frames);
  const auto asks = [](auto ask) {
    return [ask](SimulationHandle& handle) {
      return handle.between_steps([&](const Simulation& now, const Recording&) { return ask(now); });
    };
  };
  type.def_property(
      "state", asks([](const Simulation& now) { return now.state(); }),
      [](SimulationHandle& handle, const State& state) {
        handle.between_steps([&](Simulation& now, const Recording&) { now.restore(state, now.steps()); });
      },
      "the State, a copy; assign to change it");
  type.def_property_readonly("steps", asks([](const Simulation& now) { return now.steps(); }), "steps done");
  type.def_property_readonly("time", asks([](const Simulation& now) { return now.time(); }), "s");
  type.def_property_readonly("_report", asks([](const Simulation& now) { return report_of(now.report()); }));
  type.def("_write_page", [](SimulationHandle& handle, py::handle file) {
    const std::string name = path({"write_page", "path"}, file);
    handle.between_steps([&](const Simulation& now, const Recording& recording) {
      dynamics::write_scene_page(now.scene(), recording, name);
    });
  });
}

// An integrator of one system.
struct IntegratorHandle {
  IntegratorHandle(System its_system, const py::dict& config)
      : system(std::move(its_system)), integrator(dynamics::make_integrator(system, config_of(config))) {}

  // The state dt later; the one that was given stays.
  State step(const State& state, py::handle control) {
    const Wrenches wrenches("step", control, system.body_count());
    State next = state;
    const py::gil_scoped_release release;
    const std::lock_guard lock(mutex);
    integrator->step(next, wrenches.control());
    return next;
  }

  System system;
  std::unique_ptr<Integrator> integrator;
  std::mutex mutex;
};

}  // namespace

void bind_dynamics(py::module_& module) {
  bind_state(module);
  bind_system(module);
  bind_simulation(module);
  py::class_<IntegratorHandle>(module, "Integrator")
      .def(py::init<System, const py::dict&>())
      .def("_step", &IntegratorHandle::step);
}

}  // namespace abut::python
