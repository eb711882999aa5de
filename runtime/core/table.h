#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/core/error.h"

namespace abut {

// The names of a table's rows that `wanted` takes, with commas between.
template <class Row, class Wanted>
std::string names_of(std::span<const Row> rows, const Wanted& wanted) {
  std::string names;
  for (const Row& row : rows)
    if (wanted(row)) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

// The row of a table by name. Throws InvalidInput, naming the rows that there are, for an unknown one; `kind`
// says what they are: "contact solver".
template <class Row>
const Row& find_row(std::span<const Row> rows, std::string_view kind, std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return row;
  throw InvalidInput("no " + std::string(kind) + " is called '" + std::string(name) +
                     "'; there are: " + names_of(rows, [](const Row&) { return true; }));
}

}  // namespace abut
