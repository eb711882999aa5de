#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/core/error.h"

namespace abut {

// The row of a table by name. Throws InvalidInput, naming the rows that there are, for an unknown one; `kind`
// says what they are: "contact solver".
template <class Row>
const Row& find_row(std::span<const Row> rows, std::string_view kind, std::string_view name) {
  std::string known;
  for (const Row& row : rows) {
    if (row.name == name) return row;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw InvalidInput("no " + std::string(kind) + " is called '" + std::string(name) +
                     "'; there are: " + known);
}

}  // namespace abut
