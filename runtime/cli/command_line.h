#pragma once

#include <CLI/CLI.hpp>
#include <string>

// What the command lines of all programs have in common.
namespace abut::cli {

// Reads the arguments. True: go on. False: help or a version was asked for and printed. Throws InvalidInput
// for arguments that cannot be used, in one line.
bool parse(CLI::App& app, int argc, const char* const* argv);

// Numbers in [low, high] and no others, not NaN either; `what` is what to give instead, such as "a time step
// from 1e-9 to 10 s".
CLI::Validator number_from(double low, double high, const std::string& what);

// Whole numbers, likewise.
CLI::Validator whole_number_from(std::int64_t low, std::int64_t high, const std::string& what);

// --jobs: 0 or absent is one thread per core, or as `purpose` says.
void add_jobs(CLI::App& app, int& jobs, const std::string& purpose);

}  // namespace abut::cli
