#pragma once

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "benchmarks/paper/montaut2022/pose_problems.h"
#include "benchmarks/paper/montaut2022/provenance.h"

namespace abut::benchmarks {

struct Curve {
  std::string title;
  std::vector<double> cost;  // median of the best cost so far at each iteration, m^2
};

// Median over the solutions, iteration by iteration.
inline std::vector<double> median_trace(const std::vector<Solution>& solutions, int iterations) {
  std::vector<double> median;
  for (int k = 0; k <= iterations; ++k) {
    std::vector<double> at;
    for (const Solution& s : solutions) at.push_back(s.trace[std::min(s.trace.size() - 1, std::size_t(k))]);
    std::sort(at.begin(), at.end());
    median.push_back(at[at.size() / 2]);
  }
  return median;
}

// <prefix>.csv with a column per curve, and <prefix>.gp, which gnuplot turns into <prefix>.png.
inline void write_curves(const std::string& prefix, const char* program, std::uint64_t seed,
                         const std::string& title, const std::vector<Curve>& curves) {
  std::ofstream csv(prefix + ".csv");
  write_provenance(csv, program, seed, 0);
  csv << "iteration";
  for (const Curve& c : curves) csv << ',' << c.title;
  csv << '\n';
  for (std::size_t k = 0; k < curves.front().cost.size(); ++k) {
    csv << k;
    for (const Curve& c : curves) csv << ',' << c.cost[k];
    csv << '\n';
  }
  std::ofstream plot(prefix + ".gp");
  plot << "set terminal pngcairo size 900,600\nset output '" << prefix
       << ".png'\nset datafile separator ','\n"
       << "set logscale y\nset format y '10^{%T}'\nset xlabel 'iteration'\nset ylabel 'median cost (m^2)'\n"
       << "set title \"" << title
       << "\" noenhanced\nset key outside right\nplot for [k=2:" << curves.size() + 1 << "] '" << prefix
       << ".csv' using 1:k with linespoints title columnheader(k)\n";
  std::printf("wrote %s.csv and %s.gp; draw with: gnuplot %s.gp\n", prefix.c_str(), prefix.c_str(),
              prefix.c_str());
}

}  // namespace abut::benchmarks
