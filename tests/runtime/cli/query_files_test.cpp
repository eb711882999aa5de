// What abut-query does with files, pipes and signals.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>

#include "tests/runtime/cli/query_fixture.h"

namespace {

using namespace abut;
using namespace abut::test;

TEST_F(Query, StandardOutputHasAName) {
  const std::string row = header + "0,ball,egg,1,0,0,0,0.2,0,0\n";
  const std::string answers = run("assets poses.csv", row).out;
  EXPECT_EQ(table(answers).size(), 2U);
  for (const std::string out : {"-", "/dev/stdout", "/dev/fd/1"})
    EXPECT_EQ(run("assets poses.csv --out " + out).out, answers);
  run("assets poses.csv --out /dev/fd/3 3>third");
  EXPECT_EQ(contents(folder / "third"), answers);
}

TEST_F(Query, WhatIsNoFileIsNotReadAndNotWaitedFor) {
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const std::string what : {"separation", "ssdf"})
    for (const std::string file : {"pipe", "/dev/zero", "assets"}) {
      const Outcome got = run("assets " + file + " --what " + what);
      EXPECT_EQ(got.exit_code, 2);
      EXPECT_NE(got.err.find(file + ": cannot read: it is a "), std::string::npos) << got.err;
    }
}

// A signal leaves the old answers and nothing beside them, also when the process number comes again.
TEST_F(Query, SignalsLeaveNoPartialFile) {
  std::ofstream(folder / "poses.csv") << header + "0,ball,egg,1,0,0,0,0.2,0,0\n";
  std::ofstream(folder / "answers.csv") << "old";
  for (const std::string signal : {"INT", "TERM", "HUP", "KILL"}) {
    // Without job control bash lets its children ignore SIGINT.
    const Outcome got =
        shell("set -m; " + std::string(ABUT_QUERY_PROGRAM) +
              " assets <(cat poses.csv; sleep 3) --out answers.csv & pid=$!; sleep 0.5; kill -" + signal +
              " $pid; wait $pid");
    EXPECT_GT(got.exit_code, 128) << signal;
    EXPECT_EQ(contents(folder / "answers.csv"), "old") << signal;
    for (const auto& entry : fs::directory_iterator(folder))
      EXPECT_EQ(entry.path().string().find(".partial"), std::string::npos) << entry.path();
  }
}

// On a file system of 64 KiB: what does not fit is named, and no half of it is left.
TEST_F(Query, FullDisksLeaveNoFileUnderAFinalName) {
  if (shell("unshare -rm mount -t tmpfs tmpfs assets").exit_code != 0)
    GTEST_SKIP() << "no private mounts here";
  fs::create_directory(folder / "small");
  const auto write_poses = [&](int rows) {
    std::ofstream poses(folder / "poses.csv");
    poses << header;
    for (int i = 0; i < rows; ++i) poses << i << ",ball,egg,1,0,0,0,0.07,0,0\n";
  };
  const auto on_full_disk = [&](const std::string& arguments) {
    return shell("unshare -rm sh -c \"mount -t tmpfs -o size=64k tmpfs small && " +
                 std::string(ABUT_QUERY_PROGRAM) + " assets poses.csv " + arguments +
                 "; code=\\$?; find small -type f -empty -o -name *.partial; exit \\$code\"");
  };
  write_poses(2000);
  const Outcome answers = on_full_disk("--out small/answers.csv");
  EXPECT_EQ(answers.exit_code, 2);
  EXPECT_EQ(answers.err,
            "abut-query: error: small/answers.csv: cannot write: No space left on device; free some "
            "space and run again\n");
  EXPECT_EQ(answers.out, "");
  write_poses(20);
  const Outcome surfaces =
      on_full_disk("--out answers.csv --what wrench --model pressure_field --surfaces small/s");
  EXPECT_EQ(surfaces.exit_code, 2);
  EXPECT_NE(surfaces.err.find(".vtk: cannot write: No space left on device"), std::string::npos)
      << surfaces.err;
  EXPECT_EQ(surfaces.out, "");
  EXPECT_FALSE(fs::exists(folder / "answers.csv"));
}

TEST_F(Query, AFailedRunLeavesTheOldAnswersAndNoPartialFile) {
  std::ofstream(folder / "answers.csv") << "old";
  EXPECT_EQ(run("assets poses.csv --out answers.csv", header + "0,ball,teapot,1,0,0,0,0,0,0\n").exit_code, 2);
  EXPECT_EQ(contents(folder / "answers.csv"), "old");
  EXPECT_EQ(run("assets poses.csv --out answers.csv", header + "0,ball,egg,1,0,0,0,0.2,0,0\n").exit_code, 0);
  EXPECT_EQ(table(contents(folder / "answers.csv")).size(), 2U);
  for (const auto& entry : fs::directory_iterator(folder)) EXPECT_NE(entry.path().extension(), ".partial");
}

TEST_F(Query, NamesSayPiecesAndLevels) {
  asset::Asset both = assets.at("ball");
  both.name = "both";
  both.convex.push_back(assets.at("egg").convex[0]);
  both.volumes.push_back(assets.at("egg").volumes[0]);
  asset::save(both, folder / "assets" / "both.h5");
  asset::save(both, folder / "assets" / "egg:convex=7.h5");  // the file of that name comes first
  const auto answers = [&](const std::string& name, const std::string& options) {
    const Outcome got =
        run("assets poses.csv " + options, header + "0," + name + ",ball,1,0,0,0,0.07,0.02,0\n");
    return got.exit_code == 0 ? got.out.substr(got.out.find(",ball,1,")) : got.err;
  };
  EXPECT_EQ(answers("both:convex=1", ""), answers("egg", ""));
  EXPECT_EQ(answers("both:convex=0", ""), answers("ball", ""));
  EXPECT_EQ(answers("egg:convex=7", ""), answers("ball", ""));
  EXPECT_NE(answers("egg", ""), answers("ball", ""));
  EXPECT_EQ(answers("both:volume=1", "--what wrench"), answers("egg", "--what wrench"));
  EXPECT_NE(answers("both", "--what wrench"), answers("egg", "--what wrench"));
  EXPECT_NE(answers("both:convex=2", "").find("convex piece 2 is asked for; it has 2"), std::string::npos);
  EXPECT_NE(answers("both:level=2", "").find("no part 'level'"), std::string::npos);
  EXPECT_NE(answers("bath:convex=1", "").find("no asset 'bath' in assets; there are: "), std::string::npos);
}

TEST_F(Query, ADamagedAssetIsRefused) {
  const fs::path file = folder / "assets" / "egg.h5";
  std::string bytes = contents(file);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(file, std::ios::binary) << bytes;
  const Outcome got = run("assets poses.csv", header + "0,ball,egg,1,0,0,0,0.2,0,0\n");
  EXPECT_EQ(got.exit_code, 2);
  EXPECT_NE(got.err.find("egg.h5: damaged"), std::string::npos) << got.err;
}

TEST_F(Query, ReadsAPipeAndSurvivesAClosedOne) {
  std::string poses = header;
  for (int i = 0; i < 20000; ++i) poses += "0,ball,egg,1,0,0,0,0.2,0,0\n";
  std::ofstream(folder / "poses.csv") << poses;
  const Outcome piped = run("assets - < poses.csv | tail -n 1");
  EXPECT_NE(piped.out.find(",ok"), std::string::npos);
  const Outcome generated = run("assets <(cat poses.csv) | tail -n 1");
  EXPECT_NE(generated.out.find(",ok"), std::string::npos) << generated.err;
  const Outcome closed = run("assets poses.csv 2>closed.err | head -n 1");
  EXPECT_NE(contents(folder / "closed.err").find("standard output: cannot write"), std::string::npos);
}

}  // namespace
