// Options and settings of abut-query, and what its help says of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "runtime/cli/status_table.h"
#include "runtime/contact/model.h"
#include "runtime/derivative/estimator.h"
#include "tests/runtime/cli/query_fixture.h"

namespace {

using namespace abut;
using namespace abut::test;

TEST_F(Query, SettingsOfTheMethodAreOptions) {
  const body::Body ball = body("ball"), egg = body("egg");
  const Pose<double> X_AB{Mat3<double>::Identity(), {0.075, 0.01, 0}};
  const std::string poses = header + pose_row(0, "ball,egg", X_AB);
  const auto columns_of = [&](const std::string& arguments) {
    const Outcome got = run("assets poses.csv " + arguments, poses);
    EXPECT_EQ(got.exit_code, 0) << got.err;
    const auto rows = table(got.out);
    return rows.size() == 2 ? rows[1] : std::vector<std::string>(100, "nan");
  };
  const auto force = columns_of("--what wrench --model soft_minimum --kernel wall --eps1 0.3 --load 0.2");
  const contact::PairWrench wrench =
      contact::make_model("soft_minimum", {{"kernel", "wall"}, {"eps1", "0.3"}, {"load", "0.2"}})
          ->wrench({&ball, &egg, X_AB});
  EXPECT_NEAR(std::stod(force[11]), -wrench.F_BBo_B[3], 1e-12 * wrench.F_BBo_B.norm());
  EXPECT_NE(force[11], columns_of("--what wrench --model soft_minimum")[11]);
  EXPECT_NE(force[11], columns_of("--what wrench_hessian --model soft_minimum --kernel wall")[10]);

  const auto turned = columns_of("--what derivative --rings 1 --eps 0.5 --clamp-relative 0.01");
  const derivative::PairDerivative expected = derivative::witness_derivative(
      {&ball, &egg, X_AB}, "gumbel", {{"rings", "1"}, {"eps", "0.5"}, {"clamp_relative", "0.01"}});
  EXPECT_EQ(std::stod(turned[26]), expected.derivative.dp1_A_dxi_B(0, 0));
}

TEST_F(Query, SettingsThatDoNotFitAreRefusedInOneLine) {
  const struct {
    std::string arguments, said;
  } kCases[] = {
      {"--eps1 1", "--what separation has no setting 'eps1'"},
      {"--what derivative --eps1 1", "estimator gumbel has no setting 'eps1'; it has: rings, eps"},
      {"--what derivative --method gaussian --samples 2",
       "estimator gaussian: samples is '2'; it must be a whole number from 3"},
      {"--what wrench --model soft_minimum --eps1 0",
       "soft-minimum contact: eps1 is '0' spacing^2; it must be from"},
      {"--what wrench --model soft_minimum --kernel quad",
       "soft-minimum contact: kernel is 'quad'; it must be one of gaussian, wall"},
      {"--what wrench_hessian --model soft_minimum --tolerance 1",
       "soft-minimum contact: tolerance is '1'; it must be between 0 and 1"},
      {"--what wrench --model point --stiffness abc", "point contact: stiffness is 'abc' N/m; it must be"},
      {"--what wrench --model pressure_field --kernel wall",
       "pressure-field contact has no setting 'kernel'"},
      {"--what smoothed_derivative --model surface --method patch",
       "--method patch has no effect on smoothed_derivative of --model surface"},
      {"--what derivative --model surface --temperature 0.5",
       "--temperature has no effect on exact distances of --model surface"},
      {"--what ssdf --eps2 1", "soft distance has no setting 'eps2'; it has: eps1, kernel, tolerance"},
  };
  for (const auto& [arguments, said] : kCases) {
    const Outcome got = run("assets poses.csv " + arguments, header);
    EXPECT_EQ(got.exit_code, 2);
    EXPECT_EQ(got.err.substr(0, 19 + said.size()), "abut-query: error: " + said);
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got.err;
  }
}

TEST_F(Query, HelpHasEverySettingWithUnitDefaultAndRange) {
  const std::string help = run("--help").out;
  for (const contact::ModelRow& row : contact::models())
    for (const SettingInfo& setting : row.settings()) {
      std::string option = "--" + setting.name;
      std::replace(option.begin(), option.end(), '_', '-');
      for (const std::string& part :
           {option, setting.unit, setting.help, "default " + setting.default_value + "; " + setting.range})
        EXPECT_NE(help.find(part), std::string::npos) << part;
    }
}

TEST_F(Query, NumbersOfThreadsAreCheckedAndNoneIsAll) {
  const std::string row = header + "0,ball,egg,1,0,0,0,0.2,0,0\n";
  EXPECT_EQ(run("assets poses.csv --jobs 0", row).exit_code, 0);
  for (const std::string jobs : {"-1", "1025", "nan", "many"}) {
    const Outcome got = run("assets poses.csv --jobs " + jobs, row);
    EXPECT_EQ(got.exit_code, 2);
    EXPECT_EQ(got.err.rfind("abut-query: error: --jobs: ", 0), 0U) << got.err;
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got.err;
  }
}

TEST_F(Query, VersionHasADigestOfTheCode) {
  const Outcome version = run("--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(std::regex_match(version.out, std::regex(R"(\d+\.\d+\.\d+ \(code [0-9a-f]{16}\)\n)")))
      << version.out;
  EXPECT_EQ(shell(std::string(ABUT_SIM_PROGRAM) + " --version").out, version.out);
}

TEST_F(Query, HelpSaysHowCloseRoundPrimitivesAre) {
  const std::string help = run("--help").out;
  for (const char* part :
       {"triangles within R / 1000 of the", "not seen (no_overlap); for ground take @half_space"})
    EXPECT_NE(help.find(part), std::string::npos) << part;
}

// Every status of the library, in --help and in the documentation.
TEST_F(Query, StatusesAreListed) {
  const std::string help = run("--help").out, docs = contents(fs::path(ABUT_DOCS_DIR) / "conventions.md");
  const std::vector<Status> all = cli::all_statuses();
  EXPECT_EQ(all.front(), Status::kOk);
  EXPECT_EQ(all.back(), Status::kInvalidInput);
  EXPECT_EQ(all.size(), 6U);
  for (const Status status : all) {
    const std::string name(to_string(status)), meaning(cli::meaning(status));
    EXPECT_FALSE(meaning.empty()) << name;
    EXPECT_NE(help.find("  " + name + std::string(21 - name.size(), ' ') + meaning + "\n"), std::string::npos)
        << name;
    EXPECT_NE(docs.find("| `" + name + "` | " + meaning + " |\n"), std::string::npos) << name;
  }
}

}  // namespace
