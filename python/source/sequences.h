#pragma once

#include <optional>
#include <string>

#include "python/source/answers.h"
#include "python/source/batch.h"
#include "runtime/dynamics/rollout/rollout.h"

namespace abut::python {

// Sequences of rows: (rows, width) or many, (N, rows, width); None gives no rows.
class Sequences {
 public:
  // `columns` names what each column belongs to, for messages.
  Sequences(const Name& name, py::handle given, Eigen::Index width, const std::string& columns) {
    if (given.is_none()) return;
    array_ = numbers(name, given);
    const py::ssize_t dimensions = array_->ndim();
    if (dimensions < 2 || dimensions > 3 || array_->shape(dimensions - 1) != width)
      refuse(name, "has shape " + shape_words(*array_) + "; it must be (rows, " + std::to_string(width) +
                       ") or (N, rows, " + std::to_string(width) + ")" +
                       (width > 0 ? ", a column for each " + columns
                                  : ": no body has a joint; give one of type free (add_joint) to what is "
                                    "to be pushed"));
    many_ = dimensions == 3;
    rows_ = array_->shape(dimensions - 2);
    count_ = many_ ? static_cast<std::size_t>(array_->shape(0)) : 1;
  }

  bool given() const { return array_.has_value(); }
  bool many() const { return many_; }
  std::size_t count() const { return count_; }
  Eigen::Index rows() const { return rows_; }
  dynamics::MatX<double> operator[](std::size_t i) const {
    if (!array_) return {};
    dynamics::MatX<double> matrix(rows_, array_->shape(array_->ndim() - 1));
    for (Eigen::Index r = 0; r < rows_; ++r)
      for (Eigen::Index c = 0; c < matrix.cols(); ++c)
        matrix(r, c) = many_ ? entry(*array_, static_cast<py::ssize_t>(i), r, c) : entry(*array_, r, c);
    return matrix;
  }

 private:
  std::optional<py::array> array_;
  bool many_ = false;
  Eigen::Index rows_ = 0;
  std::size_t count_ = 1;
};

}  // namespace abut::python
