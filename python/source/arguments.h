#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "python/source/room.h"
#include "runtime/body/body.h"
#include "runtime/core/settings.h"

// Converts the arguments of callers to the types of the library. Everything here needs the interpreter lock,
// and throws InvalidInput or pybind11's type_error, naming the function and the argument.
namespace abut::python {

namespace py = pybind11;

// The name of an argument in messages: "separation: X_AB".
struct Name {
  const char* function;
  const char* argument;

  std::string words() const { return std::string(function) + ": " + argument; }
};
[[noreturn]] void refuse(const Name& name, const std::string& what);                    // throws InvalidInput
[[noreturn]] void refuse_type(const Name& name, const char* wanted, py::handle value);  // throws TypeError

// An argument as an array of doubles: the caller's own array if it is one (with any strides, also read-only),
// else a converted copy of single precision, whole numbers or lists. The shape is unchanged.
py::array numbers(const Name& name, py::handle value);

// The same for one of several arguments. Once all are ready, no Python code of the arguments runs any more,
// which could change the shape of an array that another one names. None stays None if `optional`.
py::object ready(const Name& name, py::handle value, bool optional = false);

// Entry (i, j, ...) of numbers().
template <class... Index>
double entry(const py::array& array, Index... index) {
  return *static_cast<const double*>(array.data(index...));
}

std::string text(const Name& name, py::handle value);
double number(const Name& name, py::handle value);
std::int64_t whole_number(const Name& name, py::handle value, std::int64_t low);
bool truth(const Name& name, py::handle value);
std::string path(const Name& name, py::handle value);  // str, bytes or os.PathLike
SettingValues settings(const Name& name, py::handle dict);

// "(3, 4)", for messages.
std::string shape_words(const py::array& array);

// One body or many: a Body or Geometry, a sequence of them, or (sequence, indices). Keeps them alive.
class Bodies {
 public:
  Bodies(const Name& name, py::handle value);
  bool many() const { return many_; }
  std::size_t count() const { return indexed_ ? index_.size() : bodies_.size(); }
  const body::Body* operator[](std::size_t i) const {
    return bodies_[many_ ? (indexed_ ? static_cast<std::size_t>(index_[i]) : i) : 0];
  }

 private:
  void add(const Name& name, py::handle value, std::int64_t place);
  void set_index(const Name& name, py::handle value);

  std::vector<const body::Body*> bodies_;
  std::vector<std::int64_t> index_;
  py::object keep_;
  std::vector<std::unique_ptr<body::Body>> made_;  // from geometries
  bool many_ = false, indexed_ = false;
};

// Poses X_AB: (4, 4) or (7) = (qw, qx, qy, qz, tx, ty, tz), many: (N, 4, 4) or (N, 7). Quaternions may have
// any length but zero. Throws for an entry that is not finite, a 3x3 part that is not a rotation, and a last
// row that is not (0, 0, 0, 1).
class Poses {
 public:
  Poses(const Name& name, py::handle value);
  bool many() const { return many_; }
  std::size_t count() const { return count_; }
  Pose<double> operator[](std::size_t i) const;

 private:
  [[noreturn]] void refuse_pose(std::size_t i, const std::string& what) const;

  Name name_;
  py::array array_;
  bool many_ = false, matrices_ = false;
  std::size_t count_ = 1;
};

// Vectors of `width` numbers: (width) or many, (N, width). None, if `optional`, gives one vector of zeros.
class Vectors {
 public:
  Vectors(const Name& name, py::handle value, py::ssize_t width, bool optional = false);
  bool many() const { return many_; }
  std::size_t count() const { return count_; }
  double operator()(std::size_t i, py::ssize_t k) const;

 private:
  std::optional<py::array> array_;
  bool many_ = false;
  std::size_t count_ = 1;
};

// The pairs that the arguments describe: one if no argument is many, else N, where single arguments apply to
// all pairs.
class Pairs {
 public:
  Pairs(const char* function, py::handle A, py::handle B, py::handle X_AB, py::handle V_AB_B = py::none());
  std::span<const body::Pair> all() const { return {pairs_.data(), pairs_.size()}; }
  const body::Pair& front() const { return pairs_.front(); }
  bool many() const { return many_; }

 private:
  Bodies A_, B_;
  Room<body::Pair> pairs_;
  bool many_ = false;
};

}  // namespace abut::python
