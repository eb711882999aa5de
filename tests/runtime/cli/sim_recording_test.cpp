// Recordings of abut-sim, which runs go on from.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "runtime/cli/save_times.h"
#include "runtime/dynamics/step/recording.h"
#include "tests/runtime/cli/sim_fixture.h"

namespace {

using namespace abut;
using namespace abut::test;

TEST_F(Sim, ContinuedRunsEndWithTheSameFile) {
  ASSERT_EQ(run("a.scn --steps 200 --out whole.h5").exit_code, 0);
  ASSERT_EQ(run("a.scn --steps 77 --out parts.h5").exit_code, 0);
  EXPECT_NE(contents(folder / "whole.h5"), contents(folder / "parts.h5"));
  ASSERT_EQ(run("a.scn --steps 200 --out parts.h5 --continue").exit_code, 0);
  EXPECT_EQ(contents(folder / "whole.h5"), contents(folder / "parts.h5"));
}

TEST_F(Sim, EndingsOfOutputsSayWhatIsWritten) {
  ASSERT_EQ(run("a.scn --out a.h5 --stats s --page p.html").exit_code, 0);
  ASSERT_EQ(run("a.scn --out A.H5 --stats S.CSV --page P.HTM").exit_code, 0);
  EXPECT_EQ(contents(folder / "A.H5"), contents(folder / "a.h5"));
  ASSERT_EQ(run("a.scn --out table").exit_code, 0);
  ASSERT_EQ(run("a.scn --out table.Csv").exit_code, 0);
  EXPECT_EQ(contents(folder / "table"), contents(folder / "table.Csv"));
  const struct {
    std::string option, ending, known;
  } kCases[] = {{"--out x.hdf5", ".hdf5", "are: .h5, .csv"},
                {"--out x.TXT", ".txt", "are: .h5, .csv"},
                {"--stats x.h5", ".h5", "is: .csv"},
                {"--contact-forces x.json", ".json", "is: .csv"},
                {"--page x.pdf", ".pdf", "are: .html, .htm"}};
  for (const auto& [option, ending, known] : kCases) {
    const Outcome got = run("a.scn " + option);
    EXPECT_EQ(got.exit_code, 2);
    EXPECT_EQ(got.err, "abut-sim: error: " + option + ": '" + ending +
                           "' is no ending of what it writes; there " + known + "\n");
    EXPECT_FALSE(fs::exists(folder / option.substr(option.find(' ') + 1)));
  }
}

TEST_F(Sim, ARecordingThatIsAsLongAlreadyIsTold) {
  ASSERT_EQ(run("a.scn --steps 77 --out a.h5").exit_code, 0);
  const std::string before = contents(folder / "a.h5");
  const Outcome got = run("a.scn --steps 50 --out a.h5 --continue");
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_NE(got.err.find("abut-sim: a.h5: has 77 steps already"), std::string::npos) << got.err;
  EXPECT_EQ(contents(folder / "a.h5"), before);
}

TEST(SaveTimes, AreATenthOfTheRunAtMost) {
  using std::chrono::milliseconds;
  const cli::SaveTimes::Clock::time_point start{};
  cli::SaveTimes saves(start);
  EXPECT_FALSE(saves.due(start + milliseconds(1000)));
  EXPECT_TRUE(saves.due(start + milliseconds(1001)));
  saves.saved(start + milliseconds(1001), start + milliseconds(1011));
  EXPECT_FALSE(saves.due(start + milliseconds(2011)));
  EXPECT_TRUE(saves.due(start + milliseconds(2012)));
  saves.saved(start + milliseconds(3000), start + milliseconds(3500));
  EXPECT_FALSE(saves.due(start + milliseconds(8500)));
  EXPECT_TRUE(saves.due(start + milliseconds(8501)));
}

TEST_F(Sim, ARunOfNoStepsIsContinued) {
  ASSERT_EQ(run("a.scn --steps 200 --out whole.h5").exit_code, 0);
  ASSERT_EQ(run("a.scn --steps 0 --out parts.h5").exit_code, 0);
  ASSERT_EQ(run("a.scn --steps 200 --out parts.h5 --continue").exit_code, 0);
  EXPECT_EQ(contents(folder / "whole.h5"), contents(folder / "parts.h5"));
}

// The bits do not depend on threads, nor does it matter with how many a run goes on.
TEST_F(Sim, RunsGoOnWithOtherThreads) {
  const std::string soft = " --model soft_potential --integrator implicit --out soft.h5";
  ASSERT_EQ(run("a.scn --steps 2" + soft).exit_code, 0);
  const Outcome got = run("a.scn --steps 4 --continue --jobs 2 --pair-threads 2" + soft);
  EXPECT_EQ(got.exit_code, 0) << got.err;
  EXPECT_EQ(run("a.scn --steps 6 --continue --stiffness 1e7" + soft).exit_code, 2);
}

// A run is killed once it has saved itself; what it left goes on to the file of a run that was left alone.
TEST_F(Sim, KilledRunsGoOnToTheSameFile) {
  const std::string options = " --every 0.5 --out killed.h5";
  run("a.scn --steps 2000000000" + options +
      " & pid=$!; until [ -e killed.h5 ] || ! kill -0 $pid; do sleep 0.05; done; kill -9 $pid; wait $pid");
  ASSERT_TRUE(fs::exists(folder / "killed.h5"));
  const std::string steps =
      " --steps " + std::to_string(dynamics::read_recording(folder / "killed.h5").end_steps + 1000);
  ASSERT_EQ(run("a.scn --continue" + steps + options).exit_code, 0);
  ASSERT_EQ(run("a.scn --every 0.5 --out alone.h5" + steps).exit_code, 0);
  EXPECT_EQ(contents(folder / "alone.h5"), contents(folder / "killed.h5"));
}

TEST_F(Sim, RefusesToContinueSomethingElse) {
  ASSERT_EQ(run("a.scn --steps 5 --out a.h5").exit_code, 0);
  write("b.scn",
        "plane 0 0 1 0\nbody b 1 0.01 0.01 0.01 0 0 0.5 1 0 0 0 1 0 0 0 0 3 1\n box 0.1 0.1 0.1 0 0 0 1 0 0 "
        "0\n");
  const auto changed = [&](const std::string& name, const std::string& from, const std::string& to) {
    std::string text = contents(folder / "a.scn");
    text.replace(text.find(from), from.size(), to);
    write(name, text);
  };
  changed("heavy.scn", "body a 1", "body a 2");
  changed("rough.scn", "mu 0.5", "mu 0.6");
  changed("moved.scn", "box 0.1 0.1 0.1 0 0 0", "box 0.1 0.1 0.1 0 0 0.01");
  changed("longer.scn", "duration 0.1", "duration 0.2  # the same motion, more of it");
  ASSERT_EQ(run("longer.scn --steps 5 --out a.h5 --continue").exit_code, 0);
  write("bad.h5", "no recording");
  write("empty.h5", "");
  write("cut.h5", contents(folder / "a.h5").substr(0, 400));
  write("old.csv", "step\n");
  const struct {
    std::string arguments, said;
  } kCases[] = {
      {"b.scn --steps 9 --out a.h5 --continue", "a.h5: the recording is of other bodies than b.scn has"},
      {"heavy.scn --steps 9 --out a.h5 --continue",
       "a.h5: the recording is of another scene than heavy.scn is"},
      {"rough.scn --steps 9 --out a.h5 --continue",
       "a.h5: the recording is of another scene than rough.scn is"},
      {"moved.scn --steps 9 --out a.h5 --continue",
       "a.h5: the recording is of another scene than moved.scn is"},
      {"a.scn --steps 9 --dt 0.001 --out a.h5 --continue", "a.h5: the recording is of time steps of 0.002 s"},
      {"a.scn --steps 9 --model patch --out a.h5 --continue",
       "a.h5: the recording is of integrator midpoint, solver coupled, model vertex, control none"},
      {"a.scn --steps 9 --out a.h5 --continue --stats old.csv",
       "old.csv: has the statistics of the run before"},
      {"a.scn --steps 9 --out a.csv --continue", "--continue goes on from a recording"},
      {"a.scn --steps 9 --out a.h5 --continue=false", "continue was given a disallowed flag override"},
      {"a.scn --steps 9 --out nothing.h5 --continue", "nothing.h5: cannot open"},
      {"a.scn --steps 9 --out bad.h5 --continue", "bad.h5: not an Abut recording"},
      {"a.scn --steps 9 --out empty.h5 --continue", "empty.h5: the file is empty"},
      {"a.scn --steps 9 --out cut.h5 --continue", "cut.h5: damaged: 400 bytes, less than a header"},
      {"a.scn --dt 0x1p-10", "--dt: '0x1p-10' is not a time step from 1e-09 to 10 s; see abut-sim --help"},
      {"a.scn --every 0", "--every: '0' is not a time from 1e-09 to 1e+06 s; see abut-sim --help"},
  };
  for (const auto& [arguments, said] : kCases) {
    const Outcome got = run(arguments);
    EXPECT_EQ(got.exit_code, 2);
    EXPECT_EQ(got.err.substr(0, 17 + said.size()), "abut-sim: error: " + said);
  }
}

TEST_F(Sim, ARecordingOfOtherShapesIsNamed) {
  ASSERT_EQ(run("a.scn --steps 2 --out a.h5").exit_code, 0);
  abut::dynamics::Recording forged = abut::dynamics::read_recording(folder / "a.h5");
  forged.end.impulses = {{{7, 8, 0}, {0, 0, 0}}};
  const std::vector<std::byte> bytes = abut::dynamics::to_hdf5(forged);
  write("a.h5", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const Outcome got = run("a.scn --steps 4 --out a.h5 --continue");
  EXPECT_EQ(got.exit_code, 2);
  EXPECT_NE(got.err.find("a.h5: state: impulse 0 is of shapes"), std::string::npos) << got.err;
}

}  // namespace
