#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <string>

// What a number on the command line must be.
namespace abut::preprocess {

// Whether a number is written in decimal digits: ones that begin with 0 would be read as octal or
// hexadecimal.
inline bool decimal(const std::string& text) {
  const std::size_t first = text.find_first_not_of("+-");
  return first != std::string::npos &&
         (text[first] != '0' || text.find_first_of(".eE", first + 1) == first + 1 ||
          first + 1 == text.size());
}

// A number that `fits`; what it is not says the message.
inline CLI::Validator number_that(const std::function<bool(double)>& fits, const std::string& what) {
  return {[=](const std::string& text) {
            double value = 0;
            const bool good = decimal(text) && CLI::detail::lexical_cast(text, value) && fits(value);
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

}  // namespace abut::preprocess
