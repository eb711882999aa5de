#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "runtime/core/decimal.h"

namespace abut::cli {

// Accepts a number, and no other text, that `fits`; the error message says that the text is not `what`.
template <class Number, class Fits>
CLI::Validator number_that(Fits fits, const std::string& what) {
  return {[=](const std::string& text) {
            const std::optional<Number> value = decimal<Number>(text);
            return value && fits(*value) ? std::string()
                                         : fmt::format("'{}' is not {}{}", text, what, decimal_hint(text));
          },
          ""};
}

template <class Number>
CLI::Validator in_range(Number low, Number high, const std::string& what) {
  return number_that<Number>([=](Number value) { return value >= low && value <= high; }, what);
}

}  // namespace abut::cli
