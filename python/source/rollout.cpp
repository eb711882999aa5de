#include "runtime/dynamics/rollout/rollout.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "python/source/answers.h"
#include "python/source/batch.h"
#include "python/source/control.h"
#include "python/source/coordinates.h"
#include "python/source/handle_mutex.h"
#include "python/source/interruptible.h"
#include "python/source/module.h"
#include "python/source/sequences.h"
#include "runtime/core/parallel.h"
#include "runtime/core/thread_pool.h"

namespace abut::python {
namespace {

using dynamics::ControlSequence;
using dynamics::MatX;
using dynamics::Rollout;
using dynamics::RolloutGradient;
using dynamics::State;
using dynamics::System;
using dynamics::VecX;

constexpr const char* kWho = "rollout";
constexpr const char *kDof = "degree of freedom", *kCoordinate = "coordinate of the joints";
constexpr const char* kOtherPickle = "the pickle is of another version of abut";
constexpr Eigen::Index kMaxRows = 100'000'000;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Rollouts of one system, with memory for each thread. One call at a time; other threads wait.
class Workers {
 public:
  Workers(System system, dynamics::StepConfig config, int steps_per_control, int threads)
      : coordinates(system),
        system_(std::move(system)),
        config_(std::move(config)),
        steps_(steps_per_control),
        rollouts_(static_cast<std::size_t>(threads > 0 ? threads : default_threads())) {
    config_.threads = 1;
    rollouts_.front() = std::make_unique<Rollout>(system_, config_, steps_);
  }

  const System& system() const { return system_; }
  Eigen::Index parameters() const { return static_cast<Eigen::Index>(config_.parameters.size()); }

  // Calls work(i, rollout) for each i below `count`, interruptible by Ctrl-C between steps.
  template <class Work>
  void each(std::size_t count, Work&& work) {
    Interruption interruption;
    in_pieces(
        static_cast<std::int64_t>(count),
        [&](std::int64_t begin, std::int64_t end) {
          const std::lock_guard lock(mutex_);
          parallel_for(end - begin, static_cast<int>(rollouts_.size()), [&](std::int64_t i, int thread) {
            auto& rollout = rollouts_[static_cast<std::size_t>(thread)];
            if (!rollout) rollout = std::make_unique<Rollout>(system_, config_, steps_);
            rollout->before_each_step([&] { interruption.check(); });
            try {
              work(static_cast<std::size_t>(begin + i), *rollout);
            } catch (const Interruption::Interrupted&) {  // in_pieces finds the exception
            }
          });
        },
        static_cast<std::int64_t>(rollouts_.size()));
  }

  const Coordinates coordinates;

 private:
  System system_;
  dynamics::StepConfig config_;
  int steps_;
  std::vector<std::unique_ptr<Rollout>> rollouts_;
  HandleMutex mutex_;
};

// The results of one rollout or many.
struct Runs {
  std::shared_ptr<Workers> workers;
  bool many = false;
  Eigen::Index rows = 0;
  std::vector<State> starts;
  std::vector<ControlSequence> controls;
  std::vector<std::vector<State>> states;  // after each row; empty for a failed rollout
  std::vector<std::string> errors;         // empty if there was none
  std::vector<int> not_converged;          // number of unreliable steps of each

  // The shape (N, shape...), or (shape...) of a single one.
  std::vector<py::ssize_t> shape(std::initializer_list<Eigen::Index> of_one) const {
    std::vector<py::ssize_t> shape(of_one.begin(), of_one.end());
    if (many) shape.insert(shape.begin(), static_cast<py::ssize_t>(starts.size()));
    return shape;
  }
};

class RolloutHandle {
 public:
  RolloutHandle(const System& system, const py::dict& config, py::handle steps_per_control,
                py::handle threads)
      : workers_(
            std::make_shared<Workers>(system, config_of(system, config),
                                      static_cast<int>(std::min<std::int64_t>(
                                          whole_number({kWho, "steps_per_control"}, steps_per_control, 1),
                                          std::numeric_limits<int>::max())),
                                      thread_count(kWho, threads))) {}

  // Runs rollouts from the states z, (nz) or (N, nz). `whole` is the full State of a single z, whose impulses
  // warm-start the contacts, or None.
  Runs run(py::handle start, py::handle joint_force, py::handle joint_target, py::handle rows,
           py::handle whole) {
    const std::int64_t count = rows.is_none() ? 0 : whole_number({kWho, "rows"}, rows, 0);
    const py::object starts = ready({kWho, "start"}, start),
                     forces = ready({kWho, "joint_force"}, joint_force, true),
                     targets = ready({kWho, "joint_target"}, joint_target, true);
    Runs runs = prepared(starts, forces, targets, rows.is_none() ? nullptr : &count);
    if (!whole.is_none()) std::fill(runs.starts.begin(), runs.starts.end(), py::cast<const State&>(whole));
    workers_->each(runs.starts.size(), [&](std::size_t i, Rollout& rollout) {
      if (!runs.errors[i].empty()) return;
      try {
        const auto states = rollout.run(runs.starts[i], runs.controls[i]);
        runs.states[i].assign(states.begin(), states.end());
        runs.not_converged[i] = rollout.not_converged();
      } catch (const InvalidInput& error) {
        runs.errors[i] = error.what();
      }
    });
    if (!runs.many && !runs.errors[0].empty()) throw InvalidInput(runs.errors[0]);
    return runs;
  }

  // Rebuilds the run from the result of parts().
  Runs restored(const py::tuple& parts) const;

 private:
  Runs prepared(py::handle start, py::handle joint_force, py::handle joint_target,
                const std::int64_t* rows) const {
    const System& system = workers_->system();
    const Eigen::Index nv = system.first_v(system.body_count()), nq = system.first_q(system.body_count());
    const Vectors z({kWho, "start"}, start, workers_->coordinates.nz());
    const Sequences force({kWho, "joint_force"}, joint_force, nv, kDof),
        target({kWho, "joint_target"}, joint_target, nq, kCoordinate);
    Runs runs;
    runs.workers = workers_;
    runs.many = z.many() || force.many() || target.many();
    runs.rows = std::max(force.rows(), target.rows());
    if (force.given() && target.given() && force.rows() != target.rows())
      refuse({kWho, "joint_force"}, "has " + std::to_string(force.rows()) + " rows, but joint_target " +
                                        std::to_string(target.rows()));
    if (rows) {
      if ((force.given() || target.given()) && *rows != runs.rows)
        refuse({kWho, "rows"},
               "is " + std::to_string(*rows) + ", but the controls have " + std::to_string(runs.rows));
      runs.rows = *rows;
    } else if (!force.given() && !target.given()) {
      refuse({kWho, "rows"}, "is missing: without controls, say how many rows");
    }
    if (runs.rows > kMaxRows) refuse({kWho, "rows"}, "is more than " + std::to_string(kMaxRows));
    std::size_t count = 1;
    bool any = false;
    for (const auto& [many, size] : {std::pair{z.many(), z.count()}, std::pair{force.many(), force.count()},
                                     std::pair{target.many(), target.count()}}) {
      if (!many) continue;
      if (any && size != count)
        refuse({kWho, "start"}, "and the controls are of different numbers of rollouts");
      count = size;
      any = true;
    }
    fill(runs, count, z, force, target);
    return runs;
  }

  void fill(Runs& runs, std::size_t count, const Vectors& z, const Sequences& force,
            const Sequences& target) const {
    const Coordinates& coordinates = workers_->coordinates;
    std::vector<double> row(static_cast<std::size_t>(coordinates.nz()));
    runs.starts.resize(count);
    runs.states.resize(count);
    runs.errors.resize(count);
    runs.not_converged.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < row.size(); ++k) row[k] = z(i, static_cast<py::ssize_t>(k));
      try {
        runs.starts[i] = coordinates.unpack(row.data());
      } catch (const InvalidInput& error) {
        runs.errors[i] = error.what();
      }
      ControlSequence& controls = runs.controls.emplace_back();
      controls.joint_force = force[i];
      controls.joint_target = target[i];
      const System& system = workers_->system();
      if (controls.rows() < runs.rows)
        controls.joint_force.setZero(runs.rows, system.first_v(system.body_count()));
    }
  }

  std::shared_ptr<Workers> workers_;
};

// The parts from which a run can be rebuilt, together with its rollout: numbers, lists and states.
py::tuple parts(const Runs& runs) {
  py::list forces, targets;
  const auto rows_of = [](const MatX<double>& m) {
    return m.rows() > 0 ? py::object(matrix(m)) : py::none();
  };
  for (const ControlSequence& controls : runs.controls) {
    forces.append(rows_of(controls.joint_force));
    targets.append(rows_of(controls.joint_target));
  }
  return py::make_tuple(runs.many, runs.rows, runs.starts, forces, targets, runs.states, runs.errors,
                        runs.not_converged);
}

// Throws InvalidInput for parts that are not a run of this system.
void require_whole(const Runs& runs, const System& system) {
  const std::size_t count = runs.starts.size();
  bool whole = runs.rows >= 0 && runs.controls.size() == count && runs.states.size() == count &&
               runs.errors.size() == count && runs.not_converged.size() == count && (runs.many || count == 1);
  for (std::size_t i = 0; whole && i < count; ++i) {
    const bool failed = !runs.errors[i].empty();
    whole = runs.controls[i].rows() == runs.rows &&
            runs.states[i].size() == (failed ? 0 : static_cast<std::size_t>(runs.rows));
    for (const MatX<double>* given : {&runs.controls[i].joint_force, &runs.controls[i].joint_target})
      whole = whole && (given->rows() == 0 || given->rows() == runs.rows);
    if (!whole || failed) continue;
    system.require_valid(runs.starts[i]);
    for (const State& state : runs.states[i]) system.require_valid(state);
  }
  if (!whole) throw InvalidInput(kOtherPickle);
}

Runs RolloutHandle::restored(const py::tuple& parts) const {
  if (parts.size() != 8) throw InvalidInput(kOtherPickle);
  const System& system = workers_->system();
  Runs runs;
  runs.workers = workers_;
  runs.many = py::cast<bool>(parts[0]);
  runs.rows = py::cast<Eigen::Index>(parts[1]);
  runs.starts = py::cast<std::vector<State>>(parts[2]);
  const auto forces = py::cast<std::vector<py::object>>(parts[3]);
  const auto targets = py::cast<std::vector<py::object>>(parts[4]);
  for (std::size_t i = 0; i < std::min(forces.size(), targets.size()); ++i)
    runs.controls.push_back(
        {Sequences({kWho, "joint_force"}, forces[i], system.first_v(system.body_count()), kDof)[0],
         Sequences({kWho, "joint_target"}, targets[i], system.first_q(system.body_count()), kCoordinate)[0]});
  runs.states = py::cast<std::vector<std::vector<State>>>(parts[5]);
  runs.errors = py::cast<std::vector<std::string>>(parts[6]);
  runs.not_converged = py::cast<std::vector<int>>(parts[7]);
  require_whole(runs, system);
  return runs;
}

// (N, rows, nz) states after each row; NaN for a failed rollout.
py::array vectors(const Runs& runs) {
  const Coordinates& coordinates = runs.workers->coordinates;
  py::array_t<double> result(runs.shape({runs.rows, coordinates.nz()}));
  double* to = result.mutable_data();
  for (const std::vector<State>& states : runs.states) {
    if (states.empty()) to = std::fill_n(to, runs.rows * coordinates.nz(), kNaN);
    for (const State& state : states) {
      coordinates.pack(state, to);
      to += coordinates.nz();
    }
  }
  return result;
}

State state(const Runs& runs, py::handle row, py::handle item) {
  const auto i = static_cast<std::size_t>(whole_number({kWho, "item"}, item, 0));
  const auto k = static_cast<std::size_t>(whole_number({kWho, "row"}, row, 0));
  if (i >= runs.states.size()) refuse({kWho, "item"}, "is beyond the last rollout");
  if (!runs.errors[i].empty()) throw InvalidInput(runs.errors[i]);
  if (k >= runs.states[i].size()) refuse({kWho, "row"}, "is beyond the last row");
  return runs.states[i][k];
}

// Gradient of sum costates . dx with respect to (start, joint_force, joint_target, parameter), and the number
// of kinks; costates (N, rows, nx). Of many, one that failed or whose gradient overflows is NaN.
py::tuple gradient(const Runs& runs, py::handle given) {
  Workers& workers = *runs.workers;
  const System& system = workers.system();
  const Eigen::Index nx = workers.coordinates.nx();
  const Sequences costates({kWho, "costates"}, given, nx,
                           "number of x: System.gradient_by_x makes them of gradients by z");
  if (costates.many() != runs.many || costates.count() != (runs.many ? runs.starts.size() : 1) ||
      costates.rows() != runs.rows || !costates.given())
    refuse({kWho, "costates"},
           "must be of the shape of the run's states, the last axis " + std::to_string(nx));
  std::vector<MatX<double>> of(runs.starts.size());
  for (std::size_t i = 0; i < of.size(); ++i) of[i] = costates[i];
  std::vector<std::optional<RolloutGradient>> found(runs.starts.size());
  workers.each(found.size(), [&](std::size_t i, Rollout& rollout) {
    if (!runs.errors[i].empty()) return;
    try {
      found[i] = rollout.gradient(runs.starts[i], runs.controls[i], runs.states[i], of[i]);
    } catch (const InvalidInput&) {
      if (!runs.many) throw;
    }
  });
  const auto stacked = [&](std::initializer_list<Eigen::Index> shape, auto get) {
    Eigen::Index size = 1;
    for (const Eigen::Index extent : shape) size *= extent;
    py::array_t<double> result(runs.shape(shape));
    double* to = result.mutable_data();
    for (std::size_t i = 0; i < found.size(); ++i)
      to = found[i] ? std::copy_n(get(*found[i]).data(), size, to) : std::fill_n(to, size, kNaN);
    return result;
  };
  const Eigen::Index nv = system.first_v(system.body_count()), nq = system.first_q(system.body_count());
  return py::make_tuple(
      stacked({nx}, [](const RolloutGradient& g) -> const VecX<double>& { return g.start; }),
      stacked({runs.rows, nv}, [](const RolloutGradient& g) -> const MatX<double>& { return g.joint_force; }),
      stacked({runs.rows, nq},
              [](const RolloutGradient& g) -> const MatX<double>& { return g.joint_target; }),
      stacked({workers.parameters()},
              [](const RolloutGradient& g) -> const VecX<double>& { return g.parameter; }),
      stacked({}, [](const RolloutGradient& g) { return VecX<double>::Constant(1, g.kinks).eval(); }));
}

// Jacobians of x after the last row, or with `every_row` after each, along the first axis, with respect to
// (start, joint_force, joint_target, parameter), and the numbers of kinks so far; for a single rollout.
py::tuple jacobian(const Runs& runs, bool every_row) {
  if (runs.many) refuse({kWho, "jacobian"}, "is of a single rollout");
  const System& system = runs.workers->system();
  const Eigen::Index nx = runs.workers->coordinates.nx(), nv = system.first_v(system.body_count()),
                     nq = system.first_q(system.body_count()), parameters = runs.workers->parameters();
  using Shape = std::vector<Eigen::Index>;
  const auto stacked = [&](Shape shape) {
    if (every_row) shape.insert(shape.begin(), runs.rows);
    return py::array_t<double>(shape);
  };
  py::array_t<double> start = stacked({nx, nx}), force = stacked({nx, runs.rows, nv}),
                      target = stacked({nx, runs.rows, nq}), parameter = stacked({nx, parameters});
  py::array_t<int> kinks(every_row ? Shape{runs.rows} : Shape{});
  const std::array to = {start.mutable_data(), force.mutable_data(), target.mutable_data(),
                         parameter.mutable_data()};
  int* const kinks_to = kinks.mutable_data();
  const auto put = [&](Eigen::Index place, const dynamics::RolloutJacobian& jacobian) {
    const std::array from = {&jacobian.start, &jacobian.joint_force, &jacobian.joint_target,
                             &jacobian.parameter};
    for (std::size_t k = 0; k < from.size(); ++k)
      std::copy_n(from[k]->data(), from[k]->size(), to[k] + place * from[k]->size());
    kinks_to[place] = jacobian.kinks;
  };
  if (!every_row && runs.rows == 0) {
    dynamics::RolloutJacobian none;
    none.start.setIdentity(nx, nx);
    none.parameter.setZero(nx, parameters);
    put(0, none);
  }
  runs.workers->each(1, [&](std::size_t, Rollout& rollout) {
    rollout.differentiate(runs.starts[0], runs.controls[0],
                          [&](Eigen::Index row, const State&, const dynamics::RolloutJacobian& jacobian) {
                            if (every_row || row + 1 == runs.rows) put(every_row ? row : 0, jacobian);
                          });
  });
  return py::make_tuple(start, force, target, parameter,
                        every_row ? py::object(kinks) : kinks.attr("item")());
}

}  // namespace

void bind_rollout(py::module_& module) {
  py::class_<Runs>(module, "RolloutRun",
                   "Rollouts that were run, one or N, and where their gradients come from.")
      .def_property_readonly(
          "z", &vectors,
          "(rows, nz) or (N, rows, nz) states after each row as vectors; NaN of one that failed")
      .def_property_readonly(
          "errors", [](const Runs& runs) { return runs.errors; },
          "of each rollout why it failed; empty: it did not")
      .def_property_readonly(
          "not_converged", [](const Runs& runs) { return runs.not_converged; },
          "of each rollout how many steps are not to be believed (StepReport.status)")
      .def("_state", &state)
      .def("_gradient", &gradient)
      .def("_jacobian", &jacobian)
      .def("_parts", &parts);
  py::class_<RolloutHandle>(module, "Rollout")
      .def(py::init<const System&, const py::dict&, py::handle, py::handle>())
      .def("_run", &RolloutHandle::run)
      .def("_restored", &RolloutHandle::restored);
}

}  // namespace abut::python
