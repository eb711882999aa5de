#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "python/source/answers.h"
#include "python/source/arguments.h"
#include "python/source/control.h"
#include "python/source/handle_mutex.h"
#include "python/source/interruptible.h"
#include "python/source/module.h"
#include "python/source/released.h"
#include "runtime/core/table.h"
#include "runtime/dynamics/step/integrator.h"
#include "runtime/dynamics/step/recording.h"
#include "runtime/dynamics/step/scene_page.h"
#include "runtime/dynamics/step/simulation.h"
#include "runtime/dynamics/system/system_tree.h"

namespace abut::python {
namespace {

using dynamics::ContactForce;
using dynamics::Control;
using dynamics::Integrator;
using dynamics::Recording;
using dynamics::Simulation;
using dynamics::State;
using dynamics::StepDerivatives;
using dynamics::StepReport;
using dynamics::System;

// A simulation of one scene, and its recording.
class SimulationHandle {
 public:
  SimulationHandle(const System& system, const py::dict& config)
      : simulation_(system.scene(), config_of(system, config)) {}

  // Calls ask(simulation, recording) without the interpreter lock, between steps that another thread takes.
  template <class Ask>
  auto between_steps(Ask&& ask) {
    const Released release;
    const std::lock_guard lock(mutex_);
    return ask(simulation_, recording_);
  }

  // Takes steps, and records a frame after every `every` steps (0: none).
  void run(py::handle steps, py::handle wrenches, py::handle joint_force, py::handle joint_target,
           py::handle every) {
    const std::int64_t count = whole_number({kWho, "steps"}, steps, 0);
    const std::int64_t interval = whole_number({kWho, "every"}, every, 0);
    const Controls controls(kWho, simulation_.system(), wrenches, joint_force, joint_target);
    if (interval > 0)
      between_steps([](const Simulation& now, Recording& recording) {
        if (recording.times.empty()) recording.add_frame(now);
      });
    unsolved_ = 0;
    in_pieces(count, [&](std::int64_t begin, std::int64_t end) {
      const std::lock_guard lock(mutex_);
      const auto start = std::chrono::steady_clock::now();
      for (std::int64_t k = begin; k < end; ++k) {
        if (simulation_.step(controls.control()).status() != Status::kOk) ++unsolved_;
        if (interval > 0 && simulation_.steps() % interval == 0) recording_.add_frame(simulation_);
        if (std::chrono::steady_clock::now() - start > kLongPiece) return k + 1;
      }
      return end;
    });
  }

  std::int64_t unsolved() const { return unsolved_; }

 private:
  static constexpr const char* kWho = "run";
  Simulation simulation_;
  std::atomic<std::int64_t> unsolved_ = 0;  // steps, in the most recent run
  Recording recording_;
  HandleMutex mutex_;  // never held while waiting for the interpreter lock
};

py::object frames(const Recording& recording, const std::vector<double>& values, py::ssize_t width) {
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(recording.times.size())};
  if (width > 0) shape.insert(shape.end(), {static_cast<py::ssize_t>(recording.bodies.size()), width});
  return py::array_t<double>(shape, values.data());
}

py::tuple all_frames(SimulationHandle& handle) {
  const Recording r =
      handle.between_steps([](const Simulation&, const Recording& recording) { return recording; });
  return py::make_tuple(frames(r, r.times, 0), frames(r, r.positions, 3), frames(r, r.quaternions, 4),
                        frames(r, r.velocities, 3), frames(r, r.angular_velocities, 3));
}

// Throws InvalidInput if no frame was recorded.
void require_frames(const char* who, const Recording& recording) {
  if (recording.times.empty())
    throw InvalidInput(
        std::string(who) +
        ": the simulation has recorded no frame; run(steps, every=k) records one every k steps");
}

py::dict report_of(const StepReport& report, std::int64_t unsolved_steps) {
  using namespace py::literals;
  return py::dict("contacts"_a = report.contacts, "penetration"_a = report.penetration,
                  "kinetic"_a = report.kinetic, "potential"_a = report.potential,
                  "control_work"_a = report.control_work, "stabilisation_work"_a = report.stabilisation_work,
                  "iterations"_a = report.solver.iterations, "residual"_a = report.solver.residual,
                  "status"_a = status_word(report.status()), "stable_dt"_a = report.stable_dt,
                  "substeps"_a = report.substeps, "missed_contacts"_a = report.missed_contacts,
                  "turned_too_far"_a = report.turned_too_far, "unsolved_steps"_a = unsolved_steps);
}

// Returns (pairs, (K, 2); contacts, (K); F_W, (K, 2, 6); names, a list of K pairs of strings).
py::tuple contact_forces_of(const std::vector<ContactForce>& forces, const System& system) {
  const auto count = static_cast<py::ssize_t>(forces.size());
  py::array_t<std::int32_t> pairs({count, py::ssize_t{2}}), contacts(count);
  py::array_t<double> F_W({count, py::ssize_t{2}, py::ssize_t{6}});
  py::list names;
  const auto name = [&](std::int32_t body) -> std::string {
    return body == dynamics::kFixed ? dynamics::kWorld : system.body(static_cast<std::size_t>(body)).name;
  };
  for (py::ssize_t k = 0; k < count; ++k) {
    const ContactForce& force = forces[static_cast<std::size_t>(k)];
    pairs.mutable_at(k, 0) = force.A;
    pairs.mutable_at(k, 1) = force.B;
    contacts.mutable_at(k) = force.contacts;
    for (py::ssize_t on = 0; on < 2; ++on)
      for (py::ssize_t i = 0; i < 6; ++i)
        F_W.mutable_at(k, on, i) = force.F_W[static_cast<std::size_t>(on)][i];
    names.append(py::make_tuple(name(force.A), name(force.B)));
  }
  return py::make_tuple(pairs, contacts, F_W, names);
}

void bind_simulation(py::module_& module) {
  py::class_<SimulationHandle> type(module, "Simulation");
  type.def(py::init<const System&, const py::dict&>(), py::arg("system"), py::arg("config"))
      .def("_run", &SimulationHandle::run)
      .def_property_readonly("_frames", &all_frames);
  const auto asks = [](auto ask) {
    return [ask](SimulationHandle& handle) {
      return handle.between_steps([&](const Simulation& now, const Recording&) { return ask(now); });
    };
  };
  type.def_property(
      "state", asks([](const Simulation& now) { return now.state(); }),
      [](SimulationHandle& handle, py::handle given) {
        if (!py::isinstance<State>(given)) refuse_type({"Simulation", "state"}, "a State", given);
        const State state = py::cast<const State&>(given);
        handle.between_steps([&](Simulation& now, const Recording&) { now.restore(state, now.steps()); });
      },
      "the State, a copy; assign to change it");
  type.def_property_readonly("steps", asks([](const Simulation& now) { return now.steps(); }), "steps done");
  type.def_property_readonly("time", asks([](const Simulation& now) { return now.time(); }), "s");
  type.def_property_readonly("_report", [asks](SimulationHandle& handle) {
    return report_of(asks([](const Simulation& now) { return now.report(); })(handle), handle.unsolved());
  });
  type.def_property_readonly("_contact_forces", [](SimulationHandle& handle) {
    std::vector<ContactForce> forces;
    const System system = handle.between_steps([&](const Simulation& now, const Recording&) {
      now.contact_forces(forces);
      return now.system();
    });
    return contact_forces_of(forces, system);
  });
  type.def("_page", [](SimulationHandle& handle) {
    return handle.between_steps([&](const Simulation& now, const Recording& recording) {
      require_frames("show", recording);
      return dynamics::scene_page(now.scene(), recording);
    });
  });
  type.def("_write_page", [](SimulationHandle& handle, py::handle file) {
    const std::string name = path({"write_page", "path"}, file);
    handle.between_steps([&](const Simulation& now, const Recording& recording) {
      require_frames("write_page", recording);
      dynamics::write_scene_page(now.scene(), recording, name);
    });
  });
}

// An integrator of one system.
class IntegratorHandle {
 public:
  IntegratorHandle(System system, const py::dict& config)
      : system_(std::move(system)),
        integrator_(dynamics::make_integrator(system_, config_of(system_, config))) {}

  // Returns the state dt later; `state` does not change.
  State step(const State& state, py::handle wrenches, py::handle joint_force, py::handle joint_target) {
    return next("step", state, wrenches, joint_force, joint_target,
                [&](State& moved, const Control& control) { integrator_->step(moved, control); });
  }

  // Those of the most recent step; none where it threw.
  py::tuple contact_forces() {
    std::vector<ContactForce> forces;
    {
      const Released release;
      const std::lock_guard lock(mutex_);
      if (stepped_) integrator_->contact_forces(forces);
    }
    return contact_forces_of(forces, system_);
  }

  // Returns (next state, its (2 ni) difference from the previous one, dx'/dx, dx'/df, dx'/dp, status, kinks).
  py::tuple differentiate(const State& state, py::handle wrenches, py::handle joint_force,
                          py::handle joint_target) {
    constexpr const char* kWho = "step_derivatives";
    StepDerivatives found;
    const auto step = [&](State& to, const Control& control) {
      try {
        integrator_->step(to, control, found);
      } catch (const std::logic_error& error) {  // the integrator has no derivatives
        throw InvalidInput(std::string(kWho) + ": " + error.what() + "; take one of: " +
                           names_of(dynamics::integrators(),
                                    [](const dynamics::IntegratorRow& row) { return row.has_derivatives; }));
      }
    };
    const State moved = next(kWho, state, wrenches, joint_force, joint_target, step);
    const dynamics::VecX<double> x = dynamics::SystemTree(system_).difference(state, moved);
    py::list kinks;
    for (const dynamics::StepKink& kink : found.kinks)
      kinks.append(py::make_tuple(std::string(dynamics::to_string(kink.kind)), kink.contact));
    return py::make_tuple(moved, py::array_t<double>(x.size(), x.data()), matrix(found.state),
                          matrix(found.force), matrix(found.parameter), status_word(found.status), kinks);
  }

 private:
  template <class Step>
  State next(const char* function, const State& state, py::handle wrenches, py::handle joint_force,
             py::handle joint_target, Step&& step) {
    const Controls controls(function, system_, wrenches, joint_force, joint_target);
    State moved = state;
    const Released release;
    const std::lock_guard lock(mutex_);
    stepped_ = false;
    step(moved, controls.control());
    stepped_ = true;
    return moved;
  }

  System system_;
  std::unique_ptr<Integrator> integrator_;
  bool stepped_ = false;  // whether the most recent step did not throw
  HandleMutex mutex_;
};

}  // namespace

void bind_dynamics(py::module_& module) {
  bind_simulation(module);
  py::class_<IntegratorHandle>(module, "Integrator")
      .def(py::init<System, const py::dict&>())
      .def("_step", &IntegratorHandle::step)
      .def_property_readonly("_contact_forces", &IntegratorHandle::contact_forces)
      .def("_differentiate", &IntegratorHandle::differentiate);
}

}  // namespace abut::python
