#include "python/source/arguments.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace abut::python {
namespace {

using Flags = py::detail::npy_api;

bool is_plain_double(const py::array& array) {
  const auto* const type = py::detail::array_descriptor_proxy(py::detail::array_proxy(array.ptr())->descr);
  return type->type_num == Flags::NPY_DOUBLE_ && type->byteorder == '=' &&
         py::detail::check_flags(array.ptr(), Flags::NPY_ARRAY_ALIGNED_);
}

std::string type_words(py::handle value) { return py::str(py::type::handle_of(value).attr("__name__")); }

// Fetches the exception that the Python code of an argument raised and returns its message if its type says
// that the argument is unsuitable (torch raises a RuntimeError for a tensor that requires a gradient);
// rethrows any other.
std::string words_of_refusal() {
  const py::error_already_set error;
  for (PyObject* const kind : {PyExc_TypeError, PyExc_ValueError, PyExc_RuntimeError})
    if (error.matches(kind)) return py::str(error.value());
  throw error;
}

// The items of a sequence, kept alive by the tuple.
py::tuple items_of(const Name& name, py::handle value) {
  const auto items = py::reinterpret_steal<py::tuple>(PySequence_Tuple(value.ptr()));
  if (items) return items;
  words_of_refusal();
  refuse_type(name, "a Body, a Geometry, a sequence of them, or (sequence, indices)", value);
}

// An array of any numeric type; a masked array must not have masked entries.
py::array any_array(const Name& name, py::handle value) {
  const auto& numpy = Flags::get();
  if (py::isinstance<py::array>(value) && Py_TYPE(value.ptr()) != numpy.PyArray_Type_ &&
      py::cast<bool>(py::module_::import("numpy.ma").attr("is_masked")(value)))
    refuse(name, "has masked entries; give .filled(...) or .compressed()");
  auto array = py::reinterpret_steal<py::array>(
      numpy.PyArray_FromAny_(value.ptr(), nullptr, 0, 0, Flags::NPY_ARRAY_ENSUREARRAY_, nullptr));
  if (!array)
    refuse(name, "is no array of numbers: its rows differ in length, or it holds something else (" +
                     words_of_refusal() + ")");
  return array;
}

// The result of the argument's __index__; empty if it has none or refuses because it is not a whole number
// (arrays have __index__ for any type of numbers).
py::object index_of(py::handle value) {
  if (PyIndex_Check(value.ptr()) == 0) return {};
  auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index) words_of_refusal();
  return index;
}

// For bool and numpy.bool_, the only types that pybind11 converts without an implicit conversion.
std::optional<bool> truth_of(py::handle value) {
  py::detail::make_caster<bool> caster;
  if (!caster.load(value, false)) return {};
  return py::detail::cast_op<bool>(caster);
}

std::string place_words(std::int64_t place) { return place < 0 ? "" : "[" + std::to_string(place) + "]"; }

}  // namespace

void refuse(const Name& name, const std::string& what) { throw InvalidInput(name.words() + " " + what); }

void refuse_type(const Name& name, const char* wanted, py::handle value) {
  throw py::type_error(name.words() + " must be " + wanted + ", not " + type_words(value));
}

py::array numbers(const Name& name, py::handle value) {
  if (Py_TYPE(value.ptr()) == Flags::get().PyArray_Type_) {
    auto array = py::reinterpret_borrow<py::array>(value);
    if (is_plain_double(array)) return array;
  }
  if (value.is_none() || py::isinstance<py::str>(value) || py::isinstance<py::bytes>(value))
    refuse_type(name, "an array of numbers", value);
  const py::array array = any_array(name, value);
  const char kind = array.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u')
    throw py::type_error(name.words() + " must be an array of real numbers, not of " +
                         std::string(py::str(array.dtype())));
  // Raises MemoryError if it does not fit.
  return py::array_t<double, static_cast<int>(py::array::forcecast) | Flags::NPY_ARRAY_ALIGNED_>(array);
}

py::object ready(const Name& name, py::handle value, bool optional) {
  return optional && value.is_none() ? py::none() : py::object(numbers(name, value));
}

std::string text(const Name& name, py::handle value) {
  if (!py::isinstance<py::str>(value)) refuse_type(name, "a str", value);
  py::ssize_t size = 0;
  const char* const words = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (words == nullptr) {
    words_of_refusal();
    refuse(name, "has a lone surrogate, which is half of a character");
  }
  return {words, static_cast<std::size_t>(size)};
}

double number(const Name& name, py::handle value) {
  if (truth_of(value) || py::isinstance<py::str>(value)) refuse_type(name, "a number", value);
  const double result = PyFloat_AsDouble(value.ptr());
  if (result == -1 && PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_OverflowError) != 0) {
      PyErr_Clear();
      refuse(name, "is larger than any number that a double holds");
    }
    words_of_refusal();
    refuse_type(name, "a number", value);
  }
  return result;
}

std::int64_t whole_number(const Name& name, py::handle value, std::int64_t low) {
  if (truth_of(value)) refuse_type(name, "a whole number", value);
  const py::object index = index_of(value);
  if (!index) refuse_type(name, "a whole number", value);
  int overflow = 0;
  const std::int64_t result = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0 || result < low || result > INT64_MAX / 2)
    refuse(name, "is " + std::string(py::str(index)) +
                     (overflow > 0 || result > low ? " and too large"
                                                   : "; it must be " + std::to_string(low) + " or more"));
  return result;
}

bool truth(const Name& name, py::handle value) {
  const std::optional<bool> flag = truth_of(value);
  if (!flag) refuse_type(name, "True or False", value);
  return *flag;
}

std::string path(const Name& name, py::handle value) {
  const auto plain = py::reinterpret_steal<py::object>(PyOS_FSPath(value.ptr()));
  if (!plain) {
    words_of_refusal();
    refuse_type(name, "a path (str or os.PathLike)", value);
  }
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(plain.ptr(), &bytes) == 0) {
    words_of_refusal();
    refuse(name, "has a character that no path can have");
  }
  return py::cast<std::string>(py::reinterpret_steal<py::bytes>(bytes));
}

SettingValues settings(const Name& name, py::handle dict) {
  SettingValues values;
  for (const auto& [key, value] : py::cast<py::dict>(dict)) {
    const std::string setting = text({name.function, "settings' name"}, key);
    const std::string words = "setting '" + setting + "'";
    const Name of{name.function, words.c_str()};
    if (py::isinstance<py::str>(value))
      values.emplace_back(setting, text(of, value));
    else if (const std::optional<bool> flag = truth_of(value))
      values.emplace_back(setting, std::string(*flag ? "yes" : "no"));
    else if (const py::object index = index_of(value))
      values.emplace_back(setting, std::string(py::str(index)));
    else
      values.emplace_back(setting, number(of, value));
  }
  return values;
}

std::string shape_words(const py::array& array) {
  std::string words = "(";
  for (py::ssize_t k = 0; k < array.ndim(); ++k)
    words += (k > 0 ? ", " : "") + std::to_string(array.shape(k));
  return words + (array.ndim() == 1 ? ",)" : ")");
}

Bodies::Bodies(const Name& name, py::handle value) {
  if (py::isinstance<body::Body>(value) || py::isinstance<body::Geometry>(value)) {
    keep_ = py::reinterpret_borrow<py::object>(value);
    add(name, value, -1);
    return;
  }
  if (!py::isinstance<py::sequence>(value) || py::isinstance<py::str>(value) ||
      py::isinstance<py::bytes>(value))
    refuse_type(name, "a Body, a Geometry, a sequence of them, or (sequence, indices)", value);
  many_ = true;
  py::tuple items = items_of(name, value);
  py::object index;
  if (py::isinstance<py::tuple>(value) && items.size() == 2 && !py::isinstance<body::Body>(items[0]) &&
      !py::isinstance<body::Geometry>(items[0])) {
    if (!py::isinstance<py::sequence>(items[0])) refuse_type(name, "(sequence of bodies, indices)", items[0]);
    index = items[1];
    items = items_of(name, py::object(items[0]));
  }
  keep_ = items;
  bodies_.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) add(name, items[i], static_cast<std::int64_t>(i));
  if (index) set_index(name, index);
}

void Bodies::add(const Name& name, py::handle value, std::int64_t place) {
  if (py::isinstance<body::Body>(value)) {
    bodies_.push_back(py::cast<const body::Body*>(value));
  } else if (py::isinstance<body::Geometry>(value)) {
    made_.push_back(std::make_unique<body::Body>(body::Body{py::cast<const body::Geometry&>(value)}));
    bodies_.push_back(made_.back().get());
  } else {
    const std::string at = name.argument + place_words(place);
    refuse_type({name.function, at.c_str()}, "a Body or a Geometry", value);
  }
}

void Bodies::set_index(const Name& name, py::handle value) {
  const std::string words = std::string(name.argument) + "'s indices";
  const Name of{name.function, words.c_str()};
  const py::array array = any_array(of, value);
  if (array.dtype().kind() != 'i' && array.dtype().kind() != 'u')
    throw py::type_error(of.words() + " must be an array of whole numbers");
  const py::array_t<std::int64_t, py::array::forcecast> whole(array);
  if (whole.ndim() != 1) refuse(of, "have shape " + shape_words(whole) + "; it must be (N,)");
  indexed_ = true;
  index_.resize(static_cast<std::size_t>(whole.size()));
  for (py::ssize_t i = 0; i < whole.size(); ++i) {
    const std::int64_t k = whole.at(i);
    if (k < 0 || k >= static_cast<std::int64_t>(bodies_.size()))
      refuse(of, "have " + std::to_string(k) + " at " + std::to_string(i) + "; there are " +
                     std::to_string(bodies_.size()) + " bodies, from 0 on");
    index_[static_cast<std::size_t>(i)] = k;
  }
}

Poses::Poses(const Name& name, py::handle value) : name_(name), array_(numbers(name, value)) {
  const py::ssize_t dimensions = array_.ndim();
  const auto ends_in = [&](py::ssize_t k, py::ssize_t size) {
    return dimensions >= k && array_.shape(dimensions - k) == size;
  };
  matrices_ = (dimensions == 2 || dimensions == 3) && ends_in(1, 4) && ends_in(2, 4);
  if (!matrices_ && !((dimensions == 1 || dimensions == 2) && ends_in(1, 7)))
    refuse(name, "has shape " + shape_words(array_) +
                     "; poses are (4, 4) or (N, 4, 4) matrices, or (7,) or (N, 7): quaternion (w, x, y, z), "
                     "then translation");
  many_ = dimensions == (matrices_ ? 3 : 2);
  if (many_) count_ = static_cast<std::size_t>(array_.shape(0));
}

void Poses::refuse_pose(std::size_t i, const std::string& what) const {
  const std::string at = name_.argument + place_words(many_ ? static_cast<std::int64_t>(i) : -1);
  refuse({name_.function, at.c_str()}, what);
}

Pose<double> Poses::operator[](std::size_t i) const {
  const auto* const first =
      static_cast<const char*>(array_.data()) + (many_ ? static_cast<py::ssize_t>(i) * array_.strides(0) : 0);
  const py::ssize_t across = array_.strides(array_.ndim() - 1);
  const py::ssize_t down = matrices_ ? array_.strides(array_.ndim() - 2) : 0;
  const auto at = [&](py::ssize_t r, py::ssize_t c) {
    return *reinterpret_cast<const double*>(first + r * down + c * across);
  };
  Pose<double> X;
  if (matrices_) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) X.R(r, c) = at(r, c);
      X.p[r] = at(r, 3);
    }
    if (at(3, 0) != 0 || at(3, 1) != 0 || at(3, 2) != 0 || at(3, 3) != 1)
      refuse_pose(i, "is no pose: its last row is not (0, 0, 0, 1)");
  } else {
    X.p = {at(0, 4), at(0, 5), at(0, 6)};
    X.R = rotation_from_quaternion(at(0, 0), at(0, 1), at(0, 2), at(0, 3));
    const double length = std::abs(at(0, 0)) + std::abs(at(0, 1)) + std::abs(at(0, 2)) + std::abs(at(0, 3));
    if (length == 0) refuse_pose(i, "has a quaternion of length zero");
  }
  if (!X.finite()) refuse_pose(i, "has an entry that is NaN or infinite");
  if (!(rotation_error(X.R) <= body::kRotationTolerance)) {
    std::array<char, 64> found{};
    std::snprintf(found.data(), found.size(), "|R'R - I| = %.3g, determinant %.3g",
                  (X.R.transpose() * X.R - Mat3<double>::Identity()).cwiseAbs().maxCoeff(),
                  X.R.determinant());
    refuse_pose(i, std::string("is no pose: its 3x3 part is not orthonormal with determinant +1 (") +
                       found.data() + ")");
  }
  return X;
}

Vectors::Vectors(const Name& name, py::handle value, py::ssize_t width, bool optional) {
  if (optional && value.is_none()) return;
  array_ = numbers(name, value);
  const py::ssize_t dimensions = array_->ndim();
  if (dimensions < 1 || dimensions > 2 || array_->shape(dimensions - 1) != width)
    refuse(name, "has shape " + shape_words(*array_) + "; it must be (" + std::to_string(width) +
                     ",) or (N, " + std::to_string(width) + ")");
  many_ = dimensions == 2;
  if (many_) count_ = static_cast<std::size_t>(array_->shape(0));
}

double Vectors::operator()(std::size_t i, py::ssize_t k) const {
  if (!array_) return 0;
  return many_ ? entry(*array_, static_cast<py::ssize_t>(i), k) : entry(*array_, k);
}

Pairs::Pairs(const char* function, py::handle A, py::handle B, py::handle X_AB, py::handle V_AB_B)
    : A_({function, "A"}, A), B_({function, "B"}, B) {
  const py::object matrices = ready({function, "X_AB"}, X_AB),
                   vectors = ready({function, "V_AB_B"}, V_AB_B, true);
  const Poses poses({function, "X_AB"}, matrices);
  const Vectors twists({function, "V_AB_B"}, vectors, 6, true);
  struct Argument {
    const char* name;
    bool many;
    std::size_t count;
  };
  const std::array<Argument, 4> arguments{{{"A", A_.many(), A_.count()},
                                           {"B", B_.many(), B_.count()},
                                           {"X_AB", poses.many(), poses.count()},
                                           {"V_AB_B", twists.many(), twists.count()}}};
  std::size_t count = 1;
  const Argument* longest = nullptr;
  for (const Argument& argument : arguments) {
    if (!argument.many) continue;
    if (longest != nullptr && argument.count != count)
      throw InvalidInput(std::string(function) + ": " + longest->name + " has " + std::to_string(count) +
                         " entries but " + argument.name + " has " + std::to_string(argument.count));
    count = argument.count;
    longest = &argument;
  }
  many_ = longest != nullptr;
  const Pose<double> only = poses.many() ? Pose<double>{} : poses[0];
  pairs_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    body::Pair& pair = pairs_[i];
    pair.A = A_[i];
    pair.B = B_[i];
    pair.X_AB = poses.many() ? poses[i] : only;
    for (py::ssize_t k = 0; k < 6; ++k) pair.V_AB_B[k] = twists(i, k);
    if (!pair.V_AB_B.allFinite())
      throw InvalidInput(std::string(function) + ": V_AB_B" +
                         (twists.many() ? "[" + std::to_string(i) + "]" : "") +
                         " has an entry that is NaN or infinite");
  }
}

}  // namespace abut::python
