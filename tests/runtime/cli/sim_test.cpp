// abut-sim as a user runs it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "runtime/dynamics/step/recording.h"
#include "tests/runtime/cli/sim_fixture.h"

namespace {

using namespace abut;
using namespace abut::test;

TEST_F(Sim, WritesTrajectoryAndStatistics) {
  const Outcome got = run("a.scn --every 0.02 --out - --stats stats.csv --dt 0.002");
  EXPECT_EQ(got.exit_code, 0) << got.err;
  EXPECT_EQ(got.out.substr(0, got.out.find('\n')), "step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  EXPECT_EQ(lines(got.out), 1U + 6U);  // the start and every tenth step
  EXPECT_NE(got.err.find("50 steps in"), std::string::npos) << got.err;
  EXPECT_EQ(lines(contents(folder / "stats.csv")), 51U);
}

// A force of 2 N and a torque of 0.05 N m for 0.1 s on a body that floats, which nothing touches.
TEST_F(Sim, ControlsPushBodies) {
  write("float.scn", "body a 1 0.01 0.01 0.01 0 0 0 1 0 0 0 0 0 0 0 0 0 1\n box 0.1 0.1 0.1 0 0 0 1 0 0 0\n");
  write("push.csv", "time,body,fx,fy,fz,taux,tauy,tauz\n0.05,a,2,0,0,0,0,0.05\n0.15,a,0,0,0,0,0,0\n");
  const std::string end = "float.scn --steps 150 --every 0.3 --dt 0.002";
  const Outcome got = run(end + " --control push.csv");
  ASSERT_EQ(got.exit_code, 0) << got.err;
  std::istringstream last(got.out.substr(got.out.rfind("150,")));
  std::vector<double> numbers;
  for (std::string word; std::getline(last, word, ',');)
    numbers.push_back(word == "a" ? 0 : std::strtod(word.c_str(), nullptr));
  ASSERT_EQ(numbers.size(), 16U);
  EXPECT_NEAR(numbers[10], 0.2, 1e-12);                 // vx, m/s
  EXPECT_NEAR(numbers[15], 0.5, 1e-12);                 // wz, rad/s
  EXPECT_NEAR(numbers[3], 0.2 * (0.05 + 0.15), 1e-12);  // x, m
  EXPECT_EQ(run(end + " --control - <push.csv").out, got.out);

  ASSERT_EQ(run("float.scn --steps 5 --out a.h5 --control push.csv").exit_code, 0);
  EXPECT_NE(run("float.scn --steps 9 --out a.h5 --continue").err.find("a.h5: the recording is of integrator"),
            std::string::npos);
  const struct {
    std::string file, said;
  } kCases[] = {
      {"time,body,fx,fy\n0,a,1,1\n", "bad.csv:1: "},
      {"time,body,fx,fy,fz\n0,b,1,1,1\n", "bad.csv:2: the scene has no body 'b'"},
      {"time,body,fx,fy,fz\n0,a,1,nan,1\n", "bad.csv:2: a number is not finite"},
      {"time,body,fx,fy,fz\n1,a,1,1,1\n0,a,1,1,1\n", "bad.csv:3: the time descends"},
      {"time,body,fx,fy,fz\n1,a,1,1,1\n1,a,2,1,1\n", "bad.csv:3: a second row of body 'a' at this time"},
      {"time,body,fx,fy,fz\n0,a,1,one,1\n", "bad.csv:2: "},
      {std::string("time,body,fx,fy,fz\n0,a\0,1,1,1\n", 30), "bad.csv:2: it contains a NUL byte"},
  };
  for (const auto& [file, said] : kCases) {
    write("bad.csv", file);
    const Outcome refused = run(end + " --control bad.csv");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.err.substr(0, 17 + said.size()), "abut-sim: error: " + said);
  }
}

TEST_F(Sim, PagesHoldTheirMotion) {
  ASSERT_EQ(run("a.scn --steps 20 --out a.h5 --page a.html").exit_code, 0);
  const std::string page = contents(folder / "a.html");
  EXPECT_EQ(page.substr(0, 15), "<!doctype html>");
  EXPECT_EQ(page.find("http"), std::string::npos);  // nothing is loaded from anywhere
  EXPECT_NE(page.find("times:[0,"), std::string::npos);
}

// Rows of the trajectory come unasked only where nothing else is asked for.
TEST_F(Sim, FilesThatAreAskedForLeaveASummaryOnStandardOutput) {
  const Outcome got = run("a.scn --page a.html --stats s.csv");
  EXPECT_EQ(got.exit_code, 0) << got.err;
  EXPECT_EQ(
      got.out,
      "a.scn: 50 steps of 0.002 s, 1 body: time 0.1 s; motion in a.html; statistics in s.csv; --out FILE "
      "keeps the trajectory\n");
  EXPECT_NE(contents(folder / "a.html").find("times:[0,"), std::string::npos);
  EXPECT_EQ(run("a.scn --out a.csv --page a.html").out, "");
  const std::string statistics = run("a.scn --stats -").out;
  EXPECT_EQ(statistics, contents(folder / "s.csv"));
  EXPECT_EQ(run("a.scn --page -").out, contents(folder / "a.html"));
}

// A row for each frame and pair, of a box that comes to rest on the floor under another.
TEST_F(Sim, ErrorsNameFileAndLine) {
  const struct {
    std::string arguments, said;
  } kCases[] = {
      {"nothing.scn", "abut-sim: error: nothing.scn: cannot open: No such file"},
      {"a.scn --dt 0",
       "abut-sim: error: --dt: '0' is not a time step from 1e-09 to 10 s; see abut-sim --help"},
      {"a.scn --dt nan", "abut-sim: error: --dt: 'nan' is not a time step"},
      {"a.scn --dt 1e-300", "abut-sim: error: --dt: '1e-300' is not a time step"},
      {"a.scn --dt 1e5", "abut-sim: error: --dt: '1e5' is not a time step"},
      {"a.scn --steps -5", "abut-sim: error: --steps: '-5' is not a whole number of steps from 0 to 1e+12"},
      {"a.scn --steps 1e300", "abut-sim: error: --steps: '1e300' is not a whole number of steps"},
      {"a.scn --steps 1e3", "abut-sim: error: --steps: '1e3' is not a whole number of steps"},
      {"a.scn --steps -9223372036854775808", "abut-sim: error: --steps: '-9223372036854775808' is not"},
      {"a.scn --every 1e-300", "abut-sim: error: --every: '1e-300' is not a time"},
      {"a.scn --jobs -1",
       "abut-sim: error: --jobs: '-1' is not a whole number from 0 (one per core) to 1024"},
      {"long.scn", "abut-sim: error: long.scn: its duration of 1e+300 s is more than 1e+12 steps of 0.002 s"},
      {"timeless.scn", "abut-sim: error: timeless.scn: says no duration above 0 s; write the line `duration"},
      {"zero_time.scn", "abut-sim: error: zero_time.scn: says no duration above 0 s; write the line"},
      {"a.scn --out - --stats -", "abut-sim: error: --out and --stats both go to standard output"},
      {"a.scn --out a.csv --page ./a.csv", "abut-sim: error: --out and --page both go to a.csv"},
      {"a.scn --stats a.csv --contact-forces a.csv",
       "abut-sim: error: --stats and --contact-forces both go to a.csv"},
      {"a.scn --contact-forces a.scn", "abut-sim: error: a.scn: "},
      {"a.scn --out new.csv --stats link.csv", "abut-sim: error: --out and --stats both go to new.csv"},
      {"a.scn --stats --continue",
       "abut-sim: error: --stats: lacks its value: '--continue' is an option; a file of that name is "
       "./--continue"},
      {"a.scn --control - --joint-control -",
       "abut-sim: error: --control and --joint-control both read standard input"},
      {"zero.scn", "abut-sim: error: zero.scn:2: it contains a NUL byte"},
      {"mu.scn", "abut-sim: error: mu.scn:1: the coefficient of friction is negative"},
      {"asset.scn", "abut-sim: error: asset.scn:2: the scene has an asset 'mug'; say where"},
      {"asset.scn --assets .",
       "abut-sim: error: asset.scn:2: no asset 'mug' in .; there are none; make some with abut-preprocess "
       "DATASET ."},
      {"asset.scn --assets nowhere", "abut-sim: error: nowhere: not a folder"},
      {"smooth.scn --integrator implicit --model soft_potential --stiction-speed 0.1",
       "abut-sim: error: --stiction-speed has no effect: nothing in smooth.scn has friction; add the line "
       "`mu"},
      {"short.scn",
       "abut-sim: error: short.scn:1: the quaternion (0, 0, 0, 0) has length 0; it must be 1 to "
       "a thousandth: does the line lack a number, or have one too many, before it?"},
  };
  std::filesystem::create_symlink("new.csv", folder / "link.csv");  // what it leads to is not there yet
  // a.scn with another line in the place of one that begins with a word.
  const auto with = [&](const std::string& word, const std::string& line) {
    std::string scene = contents(folder / "a.scn");
    const std::size_t at = scene.find('\n' + word + ' ') + 1;
    return scene.replace(at, scene.find('\n', at) - at, line);
  };
  write("mu.scn", "mu -1\n");
  write("smooth.scn", with("mu", "mu 0"));
  write("short.scn", "body a 1 1 1 0 0 1 1 0 0 0 0 0 0 0 0 0 1\n box 1 1 1 0 0 0 1 0 0 0\n");
  write("zero.scn", std::string("mu 1\nbody a\0 1\n", 14));
  write("long.scn", with("duration", "duration 1e300"));
  write("zero_time.scn", with("duration", "duration 0"));
  write("timeless.scn", "body a 1 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 1\n box 1 1 1 0 0 0 1 0 0 0\n");
  write("asset.scn", "body a 1 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 1\n asset mug 0 0 0 1 0 0 0\n");
  for (const auto& [arguments, said] : kCases) {
    const Outcome got = run(arguments);
    EXPECT_EQ(got.exit_code, 2);
    EXPECT_EQ(got.err.substr(0, said.size()), said);
  }
  EXPECT_EQ(run("a.scn --model nothing").exit_code, 2);
  EXPECT_EQ(run("").exit_code, 2);
}

TEST_F(Sim, OneStepIsOneStepAndAnEmptyNameIsNamed) {
  EXPECT_NE(run("a.scn --steps 1").err.find("1 step in "), std::string::npos);
  const Outcome got = run("\"\"");
  EXPECT_EQ(got.exit_code, 2);
  EXPECT_EQ(got.err, "abut-sim: error: \x27\x27: cannot open: the name of the file is empty\n");
}

TEST_F(Sim, HelpStatesTheBounds) {
  const std::string help = run("--help").out;
  for (const char* bound : {"time step, 1e-09 to 10 s", "up to 1e+12", "1e-09 to 1e+06 s"})
    EXPECT_NE(help.find(bound), std::string::npos) << bound << help;
}

TEST_F(Sim, ColumnsHaveNamesOfTheirOwnAndNamesComeBack) {
  write("b.scn",
        "gravity 0 0 -9.81\nbody a,\"b\" 1 0.01 0.01 0.01 0 0 0.5 1 0 0 0 1 0 0 0 0 3 1\n box 0.1 0.1 0.1 "
        "0 0 0 1 0 0 0\n");
  const Outcome got = run("b.scn --steps 3 --out - --stats stats.csv");
  ASSERT_EQ(got.exit_code, 0) << got.err;
  for (const std::string& text : {got.out, contents(folder / "stats.csv")}) {
    std::istringstream line(text.substr(0, text.find('\n')));
    std::set<std::string> names;
    for (std::string name; std::getline(line, name, ',');) EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_NE(got.out.find("\n0,0,\"a,\"\"b\"\"\",0,0,0.5,"), std::string::npos) << got.out;
}

// What was done by then stays under the final names, and a recording goes on from there.
TEST_F(Sim, SignalsEndARunWithItsOutputsWhole) {
  for (const auto& [signal, code] : {std::pair<std::string, int>{"INT", 130}, {"TERM", 143}}) {
    // Without job control bash lets its children ignore SIGINT.
    const Outcome got =
        shell("set -m; " + std::string(ABUT_SIM_PROGRAM) +
              " a.scn --steps 2000000000 --every 0.5 --out a.h5 --stats s.csv --page p.html --contact-forces "
              "f.csv >out 2>err & "
              "pid=$!; sleep 0.5; kill -" +
              signal + " $pid; wait $pid");
    EXPECT_EQ(got.exit_code, code);
    EXPECT_EQ(got.err.find("abut-sim: stopping after this step; again to stop now\n"), 0U) << got.err;
    EXPECT_NE(got.err.find("abut-sim: stopped by a signal ("), std::string::npos) << got.err;
    const dynamics::Recording recording = dynamics::read_recording(folder / "a.h5");
    EXPECT_GT(recording.end_steps, 0);
    EXPECT_EQ(lines(contents(folder / "s.csv")), 1U + static_cast<std::size_t>(recording.end_steps));
    EXPECT_TRUE(fs::exists(folder / "p.html"));
    EXPECT_GE(lines(contents(folder / "f.csv")), 1U);
    for (const auto& entry : fs::directory_iterator(folder))
      EXPECT_EQ(entry.path().string().find(".partial"), std::string::npos) << entry.path();
    EXPECT_EQ(
        run("a.scn --continue --out a.h5 --every 0.5 --steps " + std::to_string(recording.end_steps + 10))
            .exit_code,
        0);
  }
}

// Ten thousand times heavier than fifteen cubes under it: told at the end. On nine it rests, as an equal one.
TEST_F(Sim, StepsThatTheSolverDidNotSolveAreTold) {
  for (const auto& [cubes, heavy] : {std::pair(10, 1.0), std::pair(10, 1e4), std::pair(16, 1e4)}) {
    std::ostringstream text;
    text << "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\n";
    for (int k = 0; k < cubes; ++k) {
      const double m = k == cubes - 1 ? heavy : 1;
      text << "body b" << k << " " << m << " " << m / 150 << " " << m / 150 << " " << m / 150 << " 0 0 "
           << 0.1 + 0.2 * k << " 1 0 0 0 0 0 0 0 0 0 1\n box 0.1 0.1 0.1 0 0 0 1 0 0 0\n";
    }
    write("tower.scn", text.str());
    const Outcome got = run("tower.scn --steps 300");
    EXPECT_EQ(got.exit_code, 0) << got.err;
    EXPECT_EQ(got.err.find("warning: in ") != std::string::npos, cubes > 10) << got.err;
  }
}

// A box falls flat: its faces are told of where the model has no answer for them.
TEST_F(Sim, ImplicitStepsWithoutASolutionAreTold) {
  write("flat.scn",
        "gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\nbody a 1 0.01 0.01 0.01 0 0 0.101 1 0 0 0 0 0 0 0 0 0 1\n"
        " box 0.1 0.1 0.1 0 0 0 1 0 0 0\n");
  const std::string start = "flat.scn --integrator implicit --integrator-iterations 1 --steps 20 ";
  const std::string told = "were not solved to their tolerance", faces = "touch along a line or a face";
  const Outcome point = run(start + "--model point --stats -");
  EXPECT_NE(point.err.find(told), std::string::npos) << point.err;
  EXPECT_NE(point.err.find(faces), std::string::npos) << point.err;
  const Outcome field = run(start + "--integrator-error 1e-12 --integrator-halvings 1 --stats -");
  EXPECT_NE(field.err.find(told), std::string::npos) << field.err;
  EXPECT_EQ(field.err.find(faces), std::string::npos) << field.err;
}

// A box of 1 kg on 1 MN/m, in steps that are too long and in short ones, by hand or by an error bound.
TEST_F(Sim, ExplicitStepsTooLongForTheStiffnessAreTold) {
  const std::string start = "a.scn --integrator rk4 --model point --stiffness 1e6 --stats s.csv ";
  const Outcome told = run(start + "--dt 0.02 --steps 60");
  EXPECT_NE(told.err.find(
                "is too long for the stiffness or the spin and makes bodies faster; the longest stable one "
                "there is about "),
            std::string::npos)
      << told.err;
  const struct {
    std::string stable, parts;  // of some step
  } kCases[] = {{"--dt 0.001 --steps 1200", "1"}, {"--dt 0.02 --steps 60 --integrator-error 1e-3", "2"}};
  for (const auto& [stable, parts] : kCases) {
    const Outcome silent = run(start + stable);
    EXPECT_EQ(silent.exit_code, 0) << silent.err;
    EXPECT_EQ(silent.err.find("stiffness"), std::string::npos) << silent.err;
    EXPECT_NE(contents(folder / "s.csv").find(",inf," + parts + "\n"), std::string::npos) << stable;
  }
  const Outcome missed =
      run(start + "--dt 0.001 --steps 500 --integrator-error 1e-12 --integrator-halvings 1");
  EXPECT_NE(missed.err.find("missed --integrator-error"), std::string::npos) << missed.err;
  EXPECT_NE(run("a.scn --dt 0.9").err.find("less than half a step"), std::string::npos);
}

TEST_F(Sim, WhereNothingCanBeWrittenIsSaidBeforeTheRun) {
  for (const std::string option :
       {"--out no/a.csv", "--out no/a.h5", "--stats no/s.csv", "--page no/p.html"}) {
    const Outcome got = run("a.scn --steps 2000000000 " + option);
    EXPECT_EQ(got.exit_code, 2);
    EXPECT_NE(got.err.find(option.substr(option.find(' ') + 1) + ": cannot write: No such file or directory"),
              std::string::npos)
        << got.err;
  }
}

TEST_F(Sim, MomentsOfARobotThatNoSolidHasAreSaid) {
  write("arm.urdf",
        "<robot name='arm'><link name='base'/><link name='rod'><inertial><mass value='1'/><inertia ixx='9' "
        "iyy='1' "
        "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='hinge' type='continuous'><parent "
        "link='base'/><child link='rod'/></joint></robot>\n");
  write("arm.scn", "robot arm arm.urdf 0 0 0 1 0 0 0\n");
  const Outcome got = run("arm.scn --steps 1 --out /dev/null");
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_NE(got.err.find(
                "abut-sim: warning: arm.scn: robot 'arm': link 'rod': its principal moments 1, 1, 9 kg m^2 "
                "violate the triangle inequality"),
            std::string::npos)
      << got.err;
}

TEST_F(Sim, OutputsDoNotReplaceInputs) {
  write("arm.urdf", "<robot name=\"arm\"><link name=\"base\"/></robot>\n");
  write("arm.scn", "plane 0 0 1 0\nrobot arm arm.urdf 0 0 0 1 0 0 0\nduration 0.1\n");
  write("mug.h5", "ABUT asset\nschema 2\n");  // of no use to the scene
  write("run.csv", "ABUT recording\nschema 2\n");
  for (const std::string input : {"arm.scn", "arm.urdf", "mug.h5", "run.csv"}) {
    const std::string before = contents(folder / input);
    for (const std::string option : {"--out ", "--stats ", "--page "}) {
      const Outcome got = run("arm.scn " + option + input);
      EXPECT_EQ(got.exit_code, 2) << option << input;
      const std::string what = input == "mug.h5"    ? "replace an asset"
                               : input == "run.csv" ? "replace a recording"
                                                    : "overwrite an input";
      EXPECT_NE(got.err.find(input + ": cannot write: it would " + what), std::string::npos) << got.err;
    }
    EXPECT_EQ(contents(folder / input), before);
  }
}

// No file may grow beyond 2 KiB, as on a full disk: the first that does not fit is named, nothing takes the
// place of what was there, and nothing is left beside it. The recording, which comes first, has 14 KiB.
TEST_F(Sim, FilesThatDoNotFitLeaveWhatWasThere) {
  for (const std::string name : {"a.h5", "a.csv", "s.csv", "p.html"}) {
    write(name, "old");
    const std::string option = name == "s.csv"    ? "--out /dev/null --stats s.csv"
                               : name == "p.html" ? "--out /dev/null --page p.html"
                                                  : "--out " + name;
    const Outcome got = shell("trap \"\" XFSZ; ulimit -f 2; " + std::string(ABUT_SIM_PROGRAM) +
                              " a.scn --steps 200 --every 0.002 " + option + " >out 2>err");
    EXPECT_EQ(got.exit_code, 2) << option;
    EXPECT_TRUE(got.err.ends_with("abut-sim: error: " + name + ": cannot write: File too large\n"))
        << got.err;
    EXPECT_EQ(contents(folder / name), "old");
    for (const auto& entry : fs::directory_iterator(folder))
      EXPECT_EQ(entry.path().string().find(".partial"), std::string::npos) << entry.path();
  }
  const Outcome full = run("a.scn --out /dev/null --page /dev/full");
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_NE(full.err.find("abut-sim: error: /dev/full: cannot write: No space left on device"),
            std::string::npos)
      << full.err;
}

// The square of its speed leaves the numbers in step 68.
TEST_F(Sim, WhatWasDoneBeforeAnErrorIsKept) {
  write(
      "runaway.scn",
      "gravity 0 0 -1e155\nbody a 1 0.01 0.01 0.01 0 0 0.5 1 0 0 0 0 0 0 0 0 0 1\n box 0.1 0.1 0.1 0 0 0 1 0 "
      "0 0\n");
  const std::string options = "runaway.scn --steps 1000 --every 0.002 --stats s.csv --page p.html --out ";
  for (const std::string out : {"a.csv", "a.h5"}) {
    const Outcome got = run(options + out);
    EXPECT_EQ(got.exit_code, 2);
    EXPECT_TRUE(
        got.err.ends_with("abut-sim: error: runaway.scn: step 68, from time 0.134 s: simulation: body 'a' "
                          "has left the finite numbers; take a smaller time step\n"))
        << got.err;
    EXPECT_NE(contents(folder / "p.html").find("<html"), std::string::npos);
    EXPECT_EQ(lines(contents(folder / "s.csv")), 68U);
    if (out == "a.csv")
      EXPECT_EQ(lines(contents(folder / out)), lines(contents(folder / "s.csv")) + 1);  // the start, too
    else
      EXPECT_EQ(dynamics::read_recording(folder / out).steps.size() + 1, lines(contents(folder / "a.csv")));
  }
}

// Of outputs of which one does not fit.
TEST_F(Sim, OneOutputDoesWithoutAnother) {
  const Outcome got =
      shell("trap \"\" XFSZ; ulimit -f 8; " + std::string(ABUT_SIM_PROGRAM) +
            " a.scn --steps 50 --every 0.01 --out a.h5 --page p.html --stats s.csv >out 2>err");
  EXPECT_EQ(got.exit_code, 2);
  EXPECT_NE(got.err.find("abut-sim: error: a.h5: cannot write: File too large\n"), std::string::npos)
      << got.err;
  EXPECT_NE(got.err.find("abut-sim: error: p.html: cannot write: File too large\n"), std::string::npos)
      << got.err;
  EXPECT_EQ(lines(contents(folder / "s.csv")), 51U);
}

// Neither its warnings nor what it did are heard.
TEST_F(Sim, AStandardErrorThatFailsCostsNoResult) {
  write("deep.scn",
        "gravity 0 0 -9.81\nplane 0 0 1 0\nbody a 1 0.01 0.01 0.01 0 0 0.09 1 0 0 0 0 0 0 0 0 0 1\n"
        " box 0.1 0.1 0.1 0 0 0 1 0 0 0\n");
  const std::string steps = "deep.scn --integrator rk4 --dt 0.01 --steps 2 --out ";
  const Outcome heard = run(steps + "heard.csv");
  ASSERT_EQ(heard.exit_code, 0) << heard.err;
  ASSERT_NE(heard.err.find("warning: step 1 of 0.01 s is too long"), std::string::npos) << heard.err;
  for (const std::string unheard : {"2>&-", "2>/dev/full"}) {
    fs::remove(folder / "unheard.csv");
    EXPECT_EQ(shell(std::string(ABUT_SIM_PROGRAM) + " " + steps + "unheard.csv >out " + unheard).exit_code,
              0);
    EXPECT_EQ(contents(folder / "unheard.csv"), contents(folder / "heard.csv")) << unheard;
  }
}

}  // namespace
