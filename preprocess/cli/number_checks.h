#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <string>

#include "runtime/cli/decimal.h"

// What a number on the command line must be.
namespace abut::preprocess {

// A number that `fits`; what it is not says the message.
inline CLI::Validator number_that(const std::function<bool(double)>& fits, const std::string& what) {
  return {[=](const std::string& text) {
            double value = 0;
            const bool good = cli::decimal(text) && CLI::detail::lexical_cast(text, value) && fits(value);
            return good ? std::string() : fmt::format("'{}' is not {}", text, what);
          },
          ""};
}

// Unlike CLI::Range, not NaN either.
inline CLI::Validator from_to(double low, double high, const std::string& what) {
  return number_that([=](double value) { return value >= low && value <= high; }, what);
}

inline CLI::Validator between(double low, double high, const std::string& what) {
  return number_that([=](double value) { return value > low && value < high; }, what);
}

inline CLI::Validator positive() {
  return between(0, std::numeric_limits<double>::infinity(), "a positive number");
}

// A size in bytes, such as 4GiB, in bytes afterwards.
inline CLI::Validator decimal_size() {
  return {[](std::string& text) {
            if (!cli::decimal(text.substr(0, text.find_first_of("bBkKmMgGtTpPeE"))))
              return fmt::format("'{}' is no size such as 4GiB", text);
            return CLI::AsSizeValue(false)(text);
          },
          ""};
}

}  // namespace abut::preprocess
