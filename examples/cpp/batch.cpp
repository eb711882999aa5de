// Many pairs at once on all cores: the distance of two objects in a thousand poses, with derivatives.
//   batch A.h5 B.h5
#include <cstdio>
#include <exception>

#include <abut/asset/reader.h>
#include <abut/core/random.h>
#include <abut/derivative/estimator.h>

using namespace abut;

int main(int argc, char** argv) try {
  if (argc != 3) throw InvalidInput("usage: batch A.h5 B.h5");
  const body::Body A{body::Geometry(asset::load(argv[1]))}, B{body::Geometry(asset::load(argv[2]))};
  Random random(1);
  std::vector<body::Pair> pairs(1000, body::Pair{&A, &B, {}});
  for (body::Pair& pair : pairs)
    for (int k = 0; k < 3; ++k) pair.X_AB.p[k] = 0.3 * (random.uniform() - 0.5);  // m

  // Keeps its memory from batch to batch; the answers are the same bits on any number of threads.
  derivative::BatchEstimator estimator;
  std::vector<derivative::PairDerivative> answers(pairs.size());
  estimator(pairs, answers);

  int apart = 0, failed = 0;
  double nearest = 1;
  for (const derivative::PairDerivative& answer : answers) {
    failed += answer.witness.status != Status::kOk && answer.witness.status != Status::kTouching;
    apart += answer.witness.distance > 0;
    nearest = std::min(nearest, std::abs(answer.witness.distance));
  }
  std::printf("%zu poses: %d apart, %d overlap, nearest to touching %.2g m, %d without an answer\n",
              pairs.size(), apart, static_cast<int>(pairs.size()) - apart - failed, nearest, failed);
  return failed == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "batch: %s\n", error.what());
  return 1;
}
