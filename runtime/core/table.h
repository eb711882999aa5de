#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/core/error.h"

namespace abut {

// Returns the names of those rows for which wanted(row) is true, separated by commas.
template <class Row, class Wanted>
std::string names_of(std::span<const Row> rows, const Wanted& wanted) {
  std::string names;
  for (const Row& row : rows)
    if (wanted(row)) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

// Returns the row with the given name. Throws InvalidInput, which lists the existing rows, for an unknown
// name; `kind` says what the rows are, such as "contact solver".
template <class Row>
const Row& find_row(std::span<const Row> rows, std::string_view kind, std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return row;
  throw InvalidInput("no " + std::string(kind) + " is called '" + std::string(name) +
                     "'; there are: " + names_of(rows, [](const Row&) { return true; }));
}

}  // namespace abut
