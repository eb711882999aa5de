#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "python/source/room.h"
#include "runtime/core/error.h"
#include "runtime/core/status.h"
#include "runtime/math/pose.h"

// Results as named arrays: views of the structs that the library filled, which keep these alive.
namespace abut::python {

namespace py = pybind11;

// Parts of an answer that exist only on request, as bits.
using Part = unsigned;
inline constexpr Part kFirst = 1, kSecond = 2, kPotential = 4;  // derivatives; energy of wrenches
inline constexpr Part kAllParts = kFirst | kSecond | kPotential;

// Thrown for a part that was not requested; in Python it is an InvalidInput and an AttributeError.
class NotAsked : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

// A part of answers, and how to request it.
struct Asked {
  Part part;
  const char* by;
};

// Throws NotAsked, naming the property, unless `parts` has it.
inline void require_asked(Part parts, const Asked& asked, const char* type, const char* property) {
  if ((parts & asked.part) == 0)
    throw NotAsked(std::string(type) + "." + property + " was not asked for; " + asked.by);
}

// Answers to one question or, if `many`, to several: arrays then have one more axis, the first.
template <class T>
struct Answers {
  Room<T> items;
  bool many = false;
  Part parts = kAllParts;  // those that were requested

  explicit Answers(std::size_t count, bool is_many) : items(count), many(is_many) {}
};

// The memory layout of a member: its shape and, in bytes, its strides.
struct Layout {
  std::vector<py::ssize_t> shape, strides;
};

template <class Member>
struct MemberOf {
  using Number = Member;
  static Layout layout() { return {}; }
};
template <class S, int rows, int columns, int options>
struct MemberOf<Eigen::Matrix<S, rows, columns, options>> {
  using Number = S;
  static Layout layout() {
    constexpr py::ssize_t size = sizeof(S);
    if (columns == 1) return {{rows}, {size}};
    if (rows == 1) return {{columns}, {size}};
    return {{rows, columns},
            (options & Eigen::RowMajor) != 0 ? std::vector<py::ssize_t>{columns * size, size}
                                             : std::vector<py::ssize_t>{size, rows * size}};
  }
};
template <>
struct MemberOf<Status> {
  using Number = std::uint8_t;
  static Layout layout() { return {}; }
};
template <class Member, std::size_t count>
struct MemberOf<std::array<Member, count>> {
  using Number = typename MemberOf<Member>::Number;
  static Layout layout() {
    Layout layout = MemberOf<Member>::layout();
    layout.shape.insert(layout.shape.begin(), static_cast<py::ssize_t>(count));
    layout.strides.insert(layout.strides.begin(), sizeof(Member));
    return layout;
  }
};
template <class Member, std::size_t count>
struct MemberOf<Member[count]> : MemberOf<std::array<Member, count>> {};

py::object status_word(Status status);  // a member of the enumeration abut.Status

// A member of all items as an array without a copy, (N, shape...), or of a single one, (shape...). For a
// single one, a number becomes a Python number and a status a member of abut.Status. `owner` owns the items.
template <class Items, class Get = std::identity>
py::object view(py::handle owner, Items& items, bool many, Get get = {}) {
  using Member = std::remove_reference_t<decltype(get(items.front()))>;
  using Number = typename MemberOf<Member>::Number;
  Layout layout = MemberOf<Member>::layout();
  if (!many && layout.shape.empty()) {
    if constexpr (std::is_same_v<Member, Status>)
      return status_word(get(items.front()));
    else if constexpr (std::is_arithmetic_v<Member>)
      return py::cast(get(items.front()));
  }
  if (many) {
    layout.shape.insert(layout.shape.begin(), static_cast<py::ssize_t>(items.size()));
    layout.strides.insert(layout.strides.begin(), sizeof(items.front()));
  }
  if (items.empty()) return py::array(py::dtype::of<Number>(), layout.shape);
  return py::array(py::dtype::of<Number>(), layout.shape, layout.strides,
                   static_cast<const void*>(&get(items.front())), owner);
}

// Makes get(answer) a property of the class of answers.
template <class AnswersType, class Class, class Get>
void define(Class& type, const char* name, Get get, const char* doc) {
  type.def_property_readonly(
      name,
      [get](py::handle self) {
        auto& answers = py::cast<AnswersType&>(self);
        return view(self, answers.items, answers.many, get);
      },
      doc);
}

// The same for a part that exists only on request.
template <class AnswersType, class Class, class Get>
void define_asked(Class& type, const char* name, const Asked& asked, Get get, const char* doc) {
  const std::string owner = py::str(type.attr("__name__"));
  type.def_property_readonly(
      name,
      [=](py::handle self) {
        auto& answers = py::cast<AnswersType&>(self);
        require_asked(answers.parts, asked, owner.c_str(), name);
        return view(self, answers.items, answers.many, get);
      },
      doc);
}

// A matrix copied to a new array, (rows, columns).
template <class Matrix>
py::array matrix(const Matrix& values) {
  static_assert(Matrix::IsRowMajor);
  return py::array_t<double>({values.rows(), values.cols()}, values.data());
}

// Convert items to bytes and back, for pickles between processes of the same build. Throws InvalidInput if
// the number of bytes does not fit.
template <class Items>
py::bytes to_bytes(const Items& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(items[0])};
}
template <class Items>
void from_bytes(py::handle pickled, Items& items) {
  using T = std::remove_cvref_t<decltype(items[0])>;
  const std::string_view bytes = py::cast<std::string_view>(pickled);
  if (bytes.size() % sizeof(T) != 0) throw InvalidInput("the pickle is of another version of abut");
  items.resize(bytes.size() / sizeof(T));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(items.data()));
}

// A class of answers with the members that all have: len() of many, copies and pickles.
template <class AnswersType>
py::class_<AnswersType> answers_class(py::module_& module, const char* name, const char* doc) {
  py::class_<AnswersType> type(module, name, doc);
  type.def("__len__", [](const AnswersType& answers) {
    if (!answers.many) throw py::type_error("the answer to one question has no length");
    return answers.items.size();
  });
  type.def("__deepcopy__", [](const AnswersType& answers, py::handle) { return AnswersType(answers); });
  type.def(py::pickle(
      [](const AnswersType& answers) {
        py::bytes more;
        if constexpr (requires { answers.hessians; }) more = to_bytes(answers.hessians);
        if constexpr (requires { answers.bounds; }) more = to_bytes(answers.bounds);
        if constexpr (requires { answers.offsets; }) more = to_bytes(answers.offsets);
        return py::make_tuple(answers.many, to_bytes(answers.items), answers.parts, more);
      },
      [](const py::tuple& pickled) {
        AnswersType answers(0, py::cast<bool>(pickled[0]));
        from_bytes(pickled[1], answers.items);
        answers.parts = py::cast<Part>(pickled[2]);
        if (!answers.many && answers.items.size() != 1)
          throw InvalidInput("the pickle is of another version of abut");
        if constexpr (requires { answers.hessians; }) from_bytes(pickled[3], answers.hessians);
        if constexpr (requires { answers.bounds; }) from_bytes(pickled[3], answers.bounds);
        if constexpr (requires { answers.offsets; }) from_bytes(pickled[3], answers.offsets);
        return answers;
      }));
  return type;
}

}  // namespace abut::python
