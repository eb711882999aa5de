// abut-query under absurd options and where its files may not go.
#include "tests/runtime/cli/query_fixture.h"

namespace {

using namespace abut::test;

class Hostile : public Query {
 protected:
  const std::string poses = header + "1,ball,egg,1,0,0,0,0.06,0,0\n";

  void expect_refused(const std::string& arguments, const std::string& message) const {
    const Outcome outcome = run("assets poses.csv " + arguments, poses);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << arguments << ": " << outcome.err;
    EXPECT_EQ(contents(folder / "poses.csv"), poses);
  }
};

TEST_F(Hostile, OutputsDoNotReplaceInputs) {
  const std::string ball = contents(folder / "assets" / "ball.h5");
  expect_refused("--out poses.csv", "poses.csv: cannot write: it would overwrite an input");
  expect_refused("--out ./assets/../poses.csv", "cannot write: it would overwrite an input");
  expect_refused("--out assets/ball.h5", "ball.h5: cannot write: it would replace an asset");
  EXPECT_EQ(contents(folder / "assets" / "ball.h5"), ball);
  for (const std::string kind : {"asset", "recording"}) {
    const std::string before = "ABUT " + kind + "\nschema 2\n";
    std::ofstream(folder / "other.h5") << before;
    for (const std::string what : {"separation", "ssdf"})
      expect_refused("--out other.h5 --what " + what, "other.h5: cannot write: it would replace a");
    EXPECT_EQ(contents(folder / "other.h5"), before);
  }
}

TEST_F(Hostile, AnswersAreNamedAsTables) {
  expect_refused("--out answers.h5",
                 "--out answers.h5: '.h5' is no ending of what it writes; there is: .csv");
  EXPECT_EQ(run("assets poses.csv --out ANSWERS.CSV", poses).exit_code, 0);
  EXPECT_EQ(run("assets poses.csv --out answers", poses).exit_code, 0);
  EXPECT_EQ(contents(folder / "ANSWERS.CSV"), contents(folder / "answers"));
}

TEST_F(Hostile, LinksStayLinks) {
  fs::create_symlink("not-yet.csv", folder / "link.csv");
  EXPECT_EQ(run("assets poses.csv --out link.csv", poses).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "link.csv"));
  EXPECT_EQ(table(contents(folder / "not-yet.csv")).size(), 2U);
  fs::create_symlink("loop.csv", folder / "loop.csv");
  expect_refused("--out loop.csv", "loop.csv: cannot write");
  EXPECT_TRUE(fs::is_symlink(folder / "loop.csv"));
}

TEST_F(Hostile, FilesBeyondTheirLimitAreErrors) {
  std::string many = header;
  for (int i = 0; i < 200; ++i) many += std::to_string(i) + ",ball,egg,1,0,0,0,0.06,0,0\n";
  std::ofstream(folder / "poses.csv") << many;
  const Outcome outcome =
      shell("ulimit -f 4; exec " + std::string(ABUT_QUERY_PROGRAM) + " assets poses.csv --out answers.csv");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("answers.csv"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(folder / "answers.csv"));
}

TEST_F(Hostile, StandardOutputThatFailsIsAnError) {
  const Outcome outcome = shell("{ " + std::string(ABUT_QUERY_PROGRAM) + " --help >/dev/full; }");
  EXPECT_EQ(outcome.exit_code, 2);
}

TEST_F(Hostile, ClosedStandardStreamsTakeNoFile) {
  ASSERT_EQ(run("assets poses.csv --out whole.csv", poses).exit_code, 0);
  for (const char* closed : {"2>&-", "<&- 2>&-", "<&- >&- 2>&-", "2>/dev/full"}) {
    fs::remove(folder / "answers.csv");
    const Outcome outcome =
        shell("{ " + std::string(ABUT_QUERY_PROGRAM) + " assets poses.csv --out answers.csv; } " + closed);
    EXPECT_EQ(outcome.exit_code, 0) << closed;
    EXPECT_EQ(contents(folder / "answers.csv"), contents(folder / "whole.csv")) << closed;
  }
}

TEST_F(Hostile, OptionsThatMakeNoSenseAreNamed) {
  expect_refused("--what derivative --rings 2 --rings 3", "--rings is given more than once");
  const std::string field = "--what wrench --model pressure_field ";
  expect_refused(field + "--mu-a \"\"", "--mu-a: '' is not a finite number");
  expect_refused(field + "--mu-a nan", "--mu-a: 'nan' is not a finite number");
  expect_refused(field + "--mu-a 1 --mu-b 1 --stiction-speed 1e-300",
                 "pressure-field contact: stiction_speed is '1e-300' m/s; it must be from 1e-12");
  expect_refused(field + "--dissipation-a 1e300",
                 "the dissipation of A is 1e+300; it must be from 0 to 1e12");
}

TEST_F(Hostile, ThreadsByTheEnvironmentHaveALimit) {
  std::ofstream(folder / "poses.csv") << poses;
  const Outcome outcome = shell("ulimit -v 4000000; OMP_NUM_THREADS=1000000 exec " +
                                std::string(ABUT_QUERY_PROGRAM) + " assets poses.csv");
#if !defined(ABUT_SANITIZED)
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
#endif
}

}  // namespace
