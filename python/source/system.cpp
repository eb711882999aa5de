#include "runtime/dynamics/system/system.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <sstream>

#include "python/source/control.h"
#include "python/source/coordinates.h"
#include "python/source/module.h"
#include "runtime/dynamics/system/scene_file.h"
#include "runtime/dynamics/tree/kinematics.h"
#include "runtime/math/adjoint.h"

namespace abut::python {
namespace {

using dynamics::State;
using dynamics::System;

// A call of the Python function `assets` in this thread. The frames of scenes that are read in turn by it are
// large: Python's own limit of depth is beyond a stack of 8 MB.
class Nested {
 public:
  Nested() {
    if (++depth_ <= kDeepest) return;
    --depth_;
    PyErr_SetString(PyExc_RecursionError, "read_scene: `assets` reads scenes that ask for assets, and so on");
    throw py::error_already_set();
  }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
  ~Nested() { --depth_; }

 private:
  static constexpr int kDeepest = 20;
  static thread_local int depth_;
};
thread_local int Nested::depth_ = 0;

// Calls the Python function `assets`; rethrows abut's own exceptions as those of the library, so that readers
// can add file and line.
dynamics::AssetSource asset_source(const py::function& assets) {
  return [assets](const std::string& name) {
    const Nested nested;
    py::object found;
    try {
      found = assets(name);
    } catch (const py::error_already_set& error) {
      const py::module_ module = py::module_::import("abut");
      const std::string words = py::str(error.value());
      if (error.matches(module.attr("InvalidInput"))) throw InvalidInput(words);
      if (error.matches(module.attr("IoError"))) throw IoError(words);
      throw;
    }
    if (!py::isinstance<body::Geometry>(found))
      refuse_type({"read_scene", "assets"}, "giving a Geometry", found);
    return py::cast<body::Geometry>(found);
  };
}

// Raises the warnings of a scene as Python warnings.
System warned(const char* function, dynamics::Scene scene) {
  for (const std::string& warning : scene.warnings)
    if (PyErr_WarnEx(PyExc_UserWarning, (std::string(function) + ": " + warning).c_str(), 2) < 0)
      throw py::error_already_set();
  return System(std::move(scene));
}

// Reads a scene file; `assets` is called with the name of each asset and returns a Geometry. `robots` is the
// folder of robot files that are not next to the scene, or None.
System read_file(py::handle file, const py::function& assets, py::handle robots) {
  return warned("read_scene",
                dynamics::read_scene(path({"read_scene", "path"}, file), asset_source(assets),
                                     robots.is_none() ? "" : path({"read_scene", "assets"}, robots)));
}

// Reads a text in the format of scene files.
System read_text(py::handle lines, const py::function& assets) {
  std::istringstream in(text({"Scene", "text"}, lines));
  return warned("Scene", dynamics::read_scene(in, "scene", asset_source(assets)));
}

System with_values(const System& system, py::handle given, py::handle values) {
  const std::vector<dynamics::Parameter> parameters = parameters_of(system, given);
  const Name name{"with_values", "values"};
  const py::array array = numbers(name, values);
  if (array.ndim() != 1 || array.shape(0) != static_cast<py::ssize_t>(parameters.size()))
    refuse(name, "has shape " + shape_words(array) + "; it must be (" + std::to_string(parameters.size()) +
                     ",), as there are parameters");
  dynamics::Scene scene = system.scene();
  for (std::size_t k = 0; k < parameters.size(); ++k)
    dynamics::set_value(scene.bodies[static_cast<std::size_t>(parameters[k].body)], parameters[k].quantity,
                        entry(array, static_cast<py::ssize_t>(k)));
  return System(std::move(scene));
}

py::list values(const System& system, py::handle given) {
  py::list result;
  for (const dynamics::Parameter& parameter : parameters_of(system, given))
    result.append(
        dynamics::value_of(system.body(static_cast<std::size_t>(parameter.body)), parameter.quantity));
  return result;
}

// [(name, begin of q in z, its end, begin of v in z, its end, joint), ...] of all bodies. The joint is None
// of one that moves freely, otherwise (name, type, q begin, q end, v begin, v end, lower, upper, stiffness,
// damping); one that mimics another has an empty range in z (coordinates.h).
py::list bodies(const System& system) {
  py::list rows;
  const auto kind_in_z = [&](std::size_t i) {
    const auto& joint = system.body(i).joint;
    if (joint && joint->joint.mimic) return dynamics::joint_kind(dynamics::JointType::kFixed);
    return dynamics::joint_kind(joint ? joint->joint.type : dynamics::JointType::kFree);
  };
  int at_q = 0, at_v = 0;
  for (std::size_t i = 0; i < system.body_count(); ++i) at_v += kind_in_z(i).nq;
  for (std::size_t i = 0; i < system.body_count(); ++i) {
    const dynamics::JointKind kind = kind_in_z(i);
    const dynamics::Body& body = system.body(i);
    py::object carried = py::none();
    if (body.joint) {
      const dynamics::Joint& joint = body.joint->joint;
      carried = py::make_tuple(joint.name, dynamics::joint_kind(joint.type).name, system.first_q(i),
                               system.first_q(i + 1), system.first_v(i), system.first_v(i + 1), joint.lower,
                               joint.upper, joint.stiffness, joint.damping);
    }
    rows.append(py::make_tuple(body.name, at_q, at_q + kind.nq, at_v, at_v + kind.nv, carried));
    at_q += kind.nq;
    at_v += kind.nv;
  }
  return rows;
}

// [(body, or `world` for what is fixed, geometry, X_BS (4, 4)), ...]
py::list shapes(const System& system) {
  py::list rows;
  const auto add = [&](const std::string& name, const dynamics::Shape& shape) {
    py::array_t<double> X_BS({4, 4});
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 4; ++k)
        X_BS.mutable_at(i, k) = i == 3 ? k == 3 : k == 3 ? shape.X_BS.p[i] : shape.X_BS.R(i, k);
    rows.append(py::make_tuple(name, shape.geometry, X_BS));
  };
  for (const dynamics::Shape& shape : system.scene().fixed) add(dynamics::kWorld, shape);
  for (const dynamics::Body& body : system.scene().bodies)
    for (const dynamics::Shape& shape : body.shapes) add(body.name, shape);
  return rows;
}

py::array angular_velocity(const System& system, const State& state) {
  system.require_valid(state);
  py::array_t<double> w({static_cast<py::ssize_t>(state.bodies.size()), py::ssize_t{3}});
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const Vec3<double> w_WB = system.angular_velocity(state, i);
    for (int k = 0; k < 3; ++k) w.mutable_at(static_cast<py::ssize_t>(i), k) = w_WB[k];
  }
  return w;
}

double energy(const System& system, const State& given) {
  system.require_valid(given);
  const State state = system.placed(given);
  double energy = 0;
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    energy += system.kinetic_energy(state, i) + system.potential_energy(state, i);
  return energy;
}

// Maps each row of a matrix with `from` columns to a row with `to` columns.
template <class Map>
py::array each_row(const Name& name, py::handle given, Eigen::Index from, Eigen::Index to, Map&& map) {
  const Vectors rows(name, given, from);
  std::vector<py::ssize_t> shape{to};
  if (rows.many()) shape.insert(shape.begin(), static_cast<py::ssize_t>(rows.count()));
  py::array_t<double> result(shape);
  std::vector<double> row(static_cast<std::size_t>(from));
  for (std::size_t i = 0; i < rows.count(); ++i) {
    for (Eigen::Index k = 0; k < from; ++k) row[static_cast<std::size_t>(k)] = rows(i, k);
    map(i, row.data(), result.mutable_data() + static_cast<Eigen::Index>(i) * to);
  }
  return result;
}

py::array pack(const Coordinates& coordinates, const State& state) {
  py::array_t<double> z(coordinates.nz());
  coordinates.pack(state, z.mutable_data());
  return z;
}

State unpack(const Coordinates& coordinates, py::handle given, py::handle function) {
  const std::string who = text({"state", "function"}, function);
  const Name name{who.c_str(), "state"};
  if (!py::isinstance<py::array>(given) && PySequence_Check(given.ptr()) == 0)
    refuse_type(name, ("a State or a vector of " + std::to_string(coordinates.nz()) + " numbers").c_str(),
                given);
  const Vectors z(name, given, coordinates.nz());
  if (z.many()) refuse(name, "is of many states; give one");
  std::vector<double> row(static_cast<std::size_t>(coordinates.nz()));
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = z(0, static_cast<py::ssize_t>(k));
  return coordinates.unpack(row.data());
}

py::array difference(const Coordinates& coordinates, const State& from, const State& to) {
  const System& system = coordinates.tree().system();
  system.require_valid(from);
  system.require_valid(to);
  const dynamics::VecX<double> x = coordinates.tree().difference(from, to);
  return py::array_t<double>(x.size(), x.data());
}

// J_B, (6, nx / 2): V_WB_B = J_B v for the body with this index.
py::array jacobian(const Coordinates& coordinates, const State& state, std::size_t body) {
  const dynamics::SystemTree& tree = coordinates.tree();
  tree.system().require_valid(state);
  dynamics::VecX<double> q, v;
  tree.coordinates(state, q, v);
  dynamics::TreeScratch scratch(tree.tree());
  dynamics::place_links<double>(tree.tree(), q, scratch);
  const dynamics::MatX<double>& J_L = dynamics::body_jacobian(tree.tree(), scratch, static_cast<int>(body));
  const dynamics::MatX<double> J_B = adjoint(tree.pose_in_link(body).inverse()) * J_L * tree.independent();
  py::array_t<double> result({J_B.rows(), J_B.cols()});
  for (Eigen::Index i = 0; i < J_B.rows(); ++i)
    for (Eigen::Index k = 0; k < J_B.cols(); ++k) result.mutable_at(i, k) = J_B(i, k);
  return result;
}

// Converts gradients at states z, (nz) or (N, nz).
py::array gradients(const Coordinates& coordinates, py::handle states, py::handle given, bool to_tangent) {
  const char* const function = to_tangent ? "gradient_by_x" : "gradient_by_z";
  const Name of_states{function, "z"}, name{function, "gradient"};
  const py::object all = ready(of_states, states), values = ready(name, given);
  const Vectors z(of_states, all, coordinates.nz());
  std::vector<double> at(static_cast<std::size_t>(coordinates.nz()));
  const Eigen::Index nz = coordinates.nz(), nx = coordinates.nx();
  if (Vectors(name, values, to_tangent ? nz : nx).count() != z.count())
    refuse(name, "has another number of rows than z");
  return each_row(name, values, to_tangent ? nz : nx, to_tangent ? nx : nz,
                  [&](std::size_t i, const double* from, double* to) {
                    for (Eigen::Index k = 0; k < nz; ++k) at[static_cast<std::size_t>(k)] = z(i, k);
                    if (to_tangent)
                      coordinates.by_tangent(at.data(), from, to);
                    else
                      coordinates.by_vector(at.data(), from, to);
                  });
}

void bind_coordinates(py::module_& module) {
  py::class_<Coordinates>(module, "Coordinates")
      .def(py::init<const System&>(), py::arg("system"))
      .def_property_readonly("nz", &Coordinates::nz)
      .def_property_readonly("nx", &Coordinates::nx)
      .def_property_readonly("nq", &Coordinates::nq)
      .def("pack", &pack, py::arg("state"))
      .def("unpack", &unpack, py::arg("z"), py::arg("function"))
      .def("difference", &difference, py::arg("start"), py::arg("end"))
      .def("jacobian", &jacobian, py::arg("state"), py::arg("body"))
      .def("gradients", &gradients, py::arg("z"), py::arg("gradient"), py::arg("to_tangent"));
}

}  // namespace

void bind_system(py::module_& module) {
  py::class_<System> type(module, "System");
  type.def(py::init([](py::handle source, const py::function& assets, bool is_text, py::handle robots) {
    return is_text ? read_text(source, assets) : read_file(source, assets, robots);
  }));
  type.def(py::init(&with_values));
  type.def_property_readonly(
      "names",
      [](const System& system) {
        std::vector<std::string> names;
        for (const auto& body : system.scene().bodies) names.push_back(body.name);
        return names;
      },
      "of the bodies");
  type.def_property_readonly(
      "masses",
      [](const System& system) {
        std::vector<double> masses;
        for (const auto& body : system.scene().bodies) masses.push_back(body.mass);
        return py::array_t<double>(static_cast<py::ssize_t>(masses.size()), masses.data());
      },
      "(N,) kg");
  type.def_property_readonly(
          "duration", [](const System& system) { return system.scene().duration; },
          "how long it is meant to run, s")
      .def_property_readonly("_bodies", &bodies)
      .def_property_readonly("_shapes", &shapes)
      .def_property_readonly("_robot_assets",
                             [](const System& system) {
                               py::dict files;  // by asset id
                               for (const auto& [file, asset] : system.scene().robot_assets)
                                 files[py::cast(asset.id())] = file.string();
                               return files;
                             })
      .def("initial_state", &System::initial_state, "as the scene has it")
      .def("angular_velocity", &angular_velocity, py::arg("state"),
           "(N, 3) of a state's bodies, in the world's axes, rad/s")
      .def("energy", &energy, py::arg("state"), "kinetic and potential, of a state, J")
      .def("_values", &values);
  bind_coordinates(module);
}

}  // namespace abut::python
