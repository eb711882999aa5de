#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "command_runner.h"
#include "odd_shapes.h"
#include "tests/support/runs.h"

// Whatever mesh is given to abut-preprocess with its default settings: it ends soon, with an asset that
// passes verify or with one message that names the file.
namespace {

using namespace abut::test;

// Processor time of all children that have ended, s.
double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class OddShapes : public CommandTest, public testing::WithParamInterface<OddShape> {};

TEST_P(OddShapes, EndSoonWithAnAssetOrAMessage) {
  const OddShape& shape = GetParam();
  EXPECT_LE(shape.mesh.triangles.size(), 10'000U);
  write("thing.obj", shape.mesh);
  std::vector<std::string> words{data_.string(), out_.string()};
  if (shape.keep_all) words.emplace_back("--keep-all-components");
  const double before = processor_seconds();
  const CommandResult made = command(words);
  const double took = processor_seconds() - before;
  RecordProperty("processor_seconds", std::to_string(took));
#ifndef ABUT_SANITIZED
  EXPECT_LT(took, 20) << "processor time, s";
#endif
  if (made.code == 0) {
    const CommandResult verified = command({"verify", asset("thing")});
    EXPECT_EQ(verified.code, 0) << verified.err << made.out;
    EXPECT_EQ(made.err, "");
    return;
  }
  EXPECT_EQ(made.code, 1) << made.out;
  EXPECT_EQ(std::count(made.err.begin(), made.err.end(), '\n'), 1) << made.err;
  EXPECT_TRUE(made.err.starts_with("abut-preprocess: error: " + (data_ / "thing.obj").string() + ": "))
      << made.err;
  EXPECT_EQ(files(), std::vector<std::string>{});
}

// A few in the fast tier, all in the full one.
std::vector<OddShape> shapes_to_try() {
  std::vector<OddShape> shapes = odd_shapes();
  if (!full_tier()) std::erase_if(shapes, [](const OddShape& s) { return !s.fast; });
  return shapes;
}

INSTANTIATE_TEST_SUITE_P(All, OddShapes, testing::ValuesIn(shapes_to_try()),
                         [](const auto& shape) { return shape.param.name; });

}  // namespace
