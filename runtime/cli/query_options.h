#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "runtime/cli/quantity.h"
#include "runtime/cli/query_bodies.h"

// The command line of abut-query.
namespace abut::cli {

struct QueryArguments {
  std::string assets, poses, what, method, model, out = "-", surfaces, surface_format = "vtk";
  std::string method_option = "--method";  // the option that gave the method
  int jobs = 0;
  bool energy = false, all_contacts = false;
  double margin = 0;  // m
  BodyOptions bodies;
  std::vector<std::string> wrench_flags;  // given options that only wrenches use
  SettingValues settings;                 // those given, of the method

  QuantityOptions options() const {
    return {jobs, energy, settings, all_contacts, margin, model, method_option};
  }
};

// Makes `app` fill `arguments`, which must outlive it.
void add_query_options(CLI::App& app, QueryArguments& arguments);

}  // namespace abut::cli
