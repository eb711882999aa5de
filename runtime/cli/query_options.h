#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "runtime/cli/quantity.h"

// The command line of abut-query.
namespace abut::cli {

struct QueryArguments {
  std::string assets, poses, what, method, out = "-", surfaces, surface_format = "vtk";
  int jobs = 0;
  PressureOptions pressure;
  std::vector<std::string> pressure_flags;  // those given
  SettingValues settings;                   // those given of the method

  bool pressure_field() const { return method == "pressure_field"; }
  QuantityOptions options() const { return {jobs, pressure, settings}; }
};

// Makes `app` fill `arguments`, which must outlive it.
void add_query_options(CLI::App& app, QueryArguments& arguments);

}  // namespace abut::cli
