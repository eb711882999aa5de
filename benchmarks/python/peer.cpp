// What overhead.py compares Python with: the same questions in C++, timed, and the answers for a comparison
// bit by bit.
//   python_peer A.h5 B.h5 POSES ANSWERS: POSES (N, 7) doubles; ANSWERS (N, 10) doubles: distance, p1, p2, n
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <vector>

#include "runtime/asset/reader.h"
#include "runtime/contact/model.h"
#include "runtime/core/input_file.h"
#include "runtime/derivative/estimator.h"
#include "runtime/witness/pair_query.h"

namespace {

using namespace abut;

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }  // of all threads

// The least seconds of one of `runs` calls.
template <class Work>
double least(int runs, double (*clock)(), Work&& work) {
  double result = 1e300;
  for (int run = 0; run < runs; ++run) {
    const double start = clock();
    work();
    result = std::min(result, clock() - start);
  }
  return result;
}

// Poses of the questions that are asked one by one: few, and often, so that a run is not interrupted.
constexpr int kSingles = 100, kRuns = 200, kBatchRuns = 5;

void run(const char* const* files) {
  const body::Body A{body::Geometry(asset::load(files[0]))}, B{body::Geometry(asset::load(files[1]))};
  const std::vector<std::byte> bytes = read_file(files[2]);
  const auto* const numbers = reinterpret_cast<const double*>(bytes.data());
  std::vector<body::Pair> pairs(bytes.size() / (7 * sizeof(double)));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double* const pose = numbers + 7 * i;
    pairs[i] = {
        &A, &B, {rotation_from_quaternion(pose[0], pose[1], pose[2], pose[3]), {pose[4], pose[5], pose[6]}}};
  }
  const std::size_t singles = std::min<std::size_t>(kSingles, pairs.size());
  double total = 0;
  const auto each = [&](const char* name, auto&& ask) {
    const double time = least(kRuns, wall_seconds, [&] {
      for (std::size_t i = 0; i < singles; ++i) total += ask(pairs[i]);
    });
    std::printf("%s %.9g\n", name, time / static_cast<double>(singles));
  };
  each("separation", [](const body::Pair& pair) { return witness::separation(pair).distance; });
  const auto estimator = derivative::make_estimator("gumbel");
  each("witness_derivative",
       [&](const body::Pair& pair) { return (*estimator)(pair).derivative.dd_dxi_B[0]; });
  const auto model = contact::make_model("point");
  each("wrench",
       [&](const body::Pair& pair) { return model->wrench(pair, contact::Want::kValue).F_BBo_B[0]; });

  std::vector<derivative::PairDerivative> results;
  const double batch = least(kBatchRuns, cpu_seconds, [&] {
    results = {};
    results.resize(pairs.size());  // in fresh memory, as Python's are
    derivative::BatchEstimator("gumbel")(pairs, results);
  });
  std::printf("batch %.9g\n", batch);
  std::ofstream out(files[3], std::ios::binary);
  for (const derivative::PairDerivative& result : results) {
    const witness::Witness<double>& w = result.witness;
    out.write(reinterpret_cast<const char*>(&w.distance), sizeof(double));
    for (const Vec3<double>* v : {&w.p1, &w.p2, &w.n})
      out.write(reinterpret_cast<const char*>(v->data()), 3 * sizeof(double));
  }
  if (!(total == total)) std::printf("nan 0\n");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) {
    std::fprintf(stderr, "usage: python_peer A.h5 B.h5 POSES ANSWERS\n");
    return 2;
  }
  run(argv + 1);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "python_peer: %s\n", error.what());
  return 1;
}
