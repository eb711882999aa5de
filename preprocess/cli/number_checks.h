#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "runtime/cli/number_checks.h"

// Validators of numbers on the command line.
namespace abut::preprocess {

inline CLI::Validator from_to(double low, double high, const std::string& what) {
  return cli::in_range(low, high, what);
}

inline CLI::Validator between(double low, double high, const std::string& what) {
  return cli::number_that<double>([=](double value) { return value > low && value < high; }, what);
}

inline CLI::Validator positive() {
  return between(0, std::numeric_limits<double>::infinity(), "a positive number");
}

// Accepts a size such as 4GiB and converts it to bytes.
inline CLI::Validator decimal_size() {
  return {[](std::string& text) {
            const std::string given = text;
            std::string number = given.substr(0, given.find_first_of("bBkKmMgGtTpPeE"));
            if (number.ends_with(' ')) number.pop_back();
            try {
              if (decimal<std::uint64_t>(number) && CLI::AsSizeValue(false)(text).empty())
                return std::string();
            } catch (const CLI::ValidationError&) {  // unknown unit, or too large
            }
            return fmt::format("'{}' is no size such as 4GiB{}", given, decimal_hint(number));
          },
          ""};
}

}  // namespace abut::preprocess
