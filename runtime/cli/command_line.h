#pragma once

#include <CLI/CLI.hpp>
#include <string>

// Parts that the command lines of all programs share.
namespace abut::cli {

// Reads the arguments. Returns true to go on, and false if help or a version was requested and printed.
// Throws InvalidInput, with a message of one line, for arguments that cannot be used.
bool parse(CLI::App& app, int argc, const char* const* argv);

// Accepts only numbers in [low, high], not NaN; `what` names what to give instead, such as "a time step from
// 1e-9 to 10 s".
CLI::Validator number_from(double low, double high, const std::string& what);

// The same for whole numbers.
CLI::Validator whole_number_from(std::int64_t low, std::int64_t high, const std::string& what);

// Adds --jobs: 0 or absent means one thread per core, unless `purpose` says otherwise.
void add_jobs(CLI::App& app, int& jobs, const std::string& purpose);

}  // namespace abut::cli
