// abut-query as a user runs it, on assets made by code.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/cli/csv_columns.h"
#include "runtime/cli/pose_file.h"
#include "runtime/cli/quantity.h"
#include "runtime/contact/model.h"
#include "runtime/derivative/estimator.h"
#include "runtime/math/adjoint.h"
#include "runtime/ssdf/field.h"
#include "runtime/witness/pair_query.h"
#include "tests/runtime/cli/query_fixture.h"
#include "tests/support/worst_of.h"

namespace {

using namespace abut;
using namespace abut::test;

TEST_F(Query, AnswersInTheColumnsOfTheQuestionWithFullDigits) {
  const Outcome got = run("assets poses.csv", header + "7,ball,egg,0.6,0.8,0,0,0.2,0.01,0.1\n");
  EXPECT_EQ(got.exit_code, 0) << got.err;
  const auto rows = table(got.out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].size(), 21U);
  EXPECT_EQ(got.out.substr(0, got.out.find('\n')),
            "idx,objA,objB,qw,qx,qy,qz,tx,ty,tz,sd,p1x,p1y,p1z,p2x,p2y,p2z,nx,ny,nz,status");
  const Pose<double> X_AB{rotation_from_quaternion(0.6, 0.8, 0.0, 0.0), {0.2, 0.01, 0.1}};
  const body::Body ball = body("ball"), egg = body("egg");
  const auto expected = witness::separation({&ball, &egg, X_AB});
  EXPECT_EQ(rows[1][0], "7");
  EXPECT_EQ(std::stod(rows[1][10]), expected.distance);  // 17 digits: the same bits
  for (int k = 0; k < 3; ++k) EXPECT_EQ(std::stod(rows[1][11 + k]), expected.p1[k]);
  EXPECT_EQ(rows[1].back(), "ok");
}

TEST_F(Query, AnswersAreQuestionsWithTheirTwists) {
  const std::string twists = header.substr(0, header.size() - 1) + ",wx,wy,wz,vx,vy,vz\n";
  const std::string options = " --what wrench --model pressure_field --mu-a 0.5 --mu-b 0.5 --modulus-b 1e6";
  const Outcome got = run("assets poses.csv" + options,
                          twists + "0,@half_space,@box:0.1:0.1:0.1,1,0,0,0,0,0,0.09,0,0,0,1,0,0\n");
  ASSERT_EQ(got.exit_code, 0) << got.err;
  EXPECT_NE(std::stod(table(got.out)[1][17]), 0);  // friction
  EXPECT_EQ(run("assets poses.csv" + options, got.out).out, got.out);
}

TEST_F(Query, EveryMethodOfTheTableDerives) {
  for (const std::string method : {"gumbel", "finite_difference"}) {
    const Outcome got = run("assets poses.csv --what derivative --method " + method,
                            header + "0,ball,egg,1,0,0,0,0.09,0.01,0\n");
    EXPECT_EQ(got.exit_code, 0) << got.err;
    const auto rows = table(got.out);
    ASSERT_EQ(rows.size(), 2U);
    ASSERT_EQ(rows[0].size(), 10U + 10U + 60U + 1U);
    EXPECT_EQ(rows[0][20 + 3], "dsd_dvx");
    EXPECT_EQ(rows[0][20 + 6], "dp1x_dwx");
    // d sd / d v = n' R_AB
    EXPECT_NEAR(std::stod(rows[1][20 + 3]), std::stod(rows[1][17]), 1e-7);
  }
}

// On A, in A, about Ao: the opposite of what the swapped question says, and its derivative is its slope.
TEST_F(Query, WrenchesAreThoseOnAWithTheirSlopes) {
  const Pose<double> X_AB{Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, -1).normalized()).toRotationMatrix(),
                          {0.07, 0.01, -0.02}};
  constexpr double kStep = 1e-6;
  std::string poses = header + pose_row(0, "ball,egg", X_AB) + pose_row(1, "egg,ball", X_AB.inverse());
  for (int k = 0; k < 6; ++k) {
    for (const double step : {kStep, -kStep}) {
      Vec6<double> xi = Vec6<double>::Zero();
      xi[k] = step;
      poses += pose_row(2, "ball,egg", X_AB * exp(xi));
    }
  }
  const Outcome got = run("assets poses.csv --what wrench_derivative --model pressure_field", poses);
  ASSERT_EQ(got.exit_code, 0) << got.err;
  const auto rows = table(got.out);
  ASSERT_EQ(rows.size(), 15U);
  ASSERT_EQ(rows[0].size(), 10U + 7U + 36U + 1U);
  EXPECT_EQ(rows[0][10] + rows[0][11] + rows[0][14], "areafxtaux");
  EXPECT_EQ(rows[0][17], "dfx_dwx");
  const auto number = [&](int row, int column) { return std::stod(rows[row][column]); };
  Vec6<double> on_A, on_B;
  for (int k = 0; k < 3; ++k) {
    on_A[3 + k] = number(1, 11 + k), on_A[k] = number(1, 14 + k);
    on_B[3 + k] = number(2, 11 + k), on_B[k] = number(2, 14 + k);
  }
  EXPECT_LT(on_A[3], -1);  // N: pushed away from B
  EXPECT_LT((on_A + shift_wrench(X_AB, on_B)).norm(), 1e-9 * on_A.norm());
  double scale = 0, worst = 0;
  for (int row = 0; row < 6; ++row) {
    for (int k = 0; k < 6; ++k) {
      const double slope = (number(3 + 2 * k, 11 + row) - number(4 + 2 * k, 11 + row)) / (2 * kStep);
      scale = std::max(scale, std::abs(slope));
      worst = test::worst_of(worst, std::abs(slope - number(1, 17 + 6 * row + k)));
    }
  }
  EXPECT_LT(worst, 1e-6 * scale);
}

// Second derivatives of the wrench on A are second differences of it along exp(xi).
TEST_F(Query, WrenchHessiansAreSecondDifferencesOfTheWrench) {
  const Pose<double> X_AB{Eigen::AngleAxisd(0.4, Eigen::Vector3d(2, -1, 1).normalized()).toRotationMatrix(),
                          {0.077, 0.01, -0.02}};
  constexpr double kStep = 1e-5;
  std::string poses = header + pose_row(0, "ball,egg", X_AB);
  std::vector<std::pair<int, int>> which;
  for (int i = 0; i < 6; ++i) {
    for (int k = i; k < 6; ++k) {
      which.emplace_back(i, k);
      for (const auto& [a, b] : {std::pair{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}) {
        Vec6<double> xi = Vec6<double>::Zero();
        xi[i] += a * kStep;
        xi[k] += b * kStep;
        poses += pose_row(1, "ball,egg", X_AB * exp(xi));
      }
    }
  }
  const Outcome got = run("assets poses.csv --what wrench_hessian --model soft_minimum", poses);
  ASSERT_EQ(got.exit_code, 0) << got.err;
  const auto rows = table(got.out);
  ASSERT_EQ(rows.size(), 2U + 4U * 21U);
  ASSERT_EQ(rows[0].size(), 10U + 6U + 126U + 1U);
  EXPECT_EQ(rows[0][10 + 6], "d2fx_dwx_dwx");
  EXPECT_EQ(rows[0][10 + 6 + 125], "d2tauz_dvz_dvz");
  const auto number = [&](std::size_t row, std::size_t column) { return std::stod(rows[row][column]); };
  EXPECT_LT(number(1, 10), 0);  // N: pushed away from B
  for (std::size_t value = 0; value < 6; ++value) {
    double scale = 0, worst = 0;
    for (std::size_t m = 0; m < which.size(); ++m) {
      const std::size_t row = 2 + 4 * m, column = 10 + value;
      const double difference = (number(row, column) - number(row + 1, column) - number(row + 2, column) +
                                 number(row + 3, column)) /
                                (4 * kStep * kStep);
      scale = std::max(scale, std::abs(difference));
      worst = test::worst_of(worst, std::abs(difference - number(1, 16 + 21 * value + m)));
    }
    EXPECT_LT(worst, 1e-3 * scale) << rows[0][10 + value];
  }
}

TEST_F(Query, TheAnswerIsTheSameForAnyNumberOfThreads) {
  std::string poses = header;
  Random random(3);
  for (int i = 0; i < 5000; ++i) {
    std::ostringstream row;
    row.precision(17);
    row << i << ",ball,egg,1,0,0,0," << random.uniform(-0.1, 0.1) << ',' << random.uniform(-0.1, 0.1) << ','
        << random.uniform(-0.1, 0.1) << '\n';
    poses += row.str();
  }
  const Outcome one = run("assets poses.csv --what derivative --jobs 1", poses);
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(table(one.out).size(), 5001U);
  for (const char* jobs : {"2", "5"})
    EXPECT_EQ(run(std::string("assets poses.csv --what derivative --jobs ") + jobs).out, one.out);
}

TEST_F(Query, APoseThatIsNoneGetsAStatusAndTheExitCodeSaysSo) {
  const Outcome got =
      run("assets poses.csv",
          header + "0,ball,egg,1,0,0,0,nan,0,0\n1,ball,egg,1,0,0,0,0.2,0,0\n2,egg,egg,inf,0,0,0,0,0,0\n");
  EXPECT_EQ(got.exit_code, 1);
  const auto rows = table(got.out);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1].back(), "invalid_input");
  EXPECT_EQ(rows[1][10], "nan");
  EXPECT_EQ(rows[2].back(), "ok");
  EXPECT_EQ(rows[3].back(), "invalid_input");
  EXPECT_NE(got.err.find("3 rows"), std::string::npos);
  EXPECT_NE(got.err.find("2 without an answer"), std::string::npos) << got.err;
}

TEST_F(Query, OfManyAssetsTheNearestNamesAreGiven) {
  for (int k = 100; k < 400; ++k) std::ofstream(folder / "assets" / ("box_" + std::to_string(k) + ".h5"));
  const Outcome got = run("assets poses.csv", header + "0,ball,bal,1,0,0,0,0,0,0\n");
  EXPECT_EQ(got.exit_code, 2);
  EXPECT_NE(got.err.find("no asset 'bal' in assets; there are: ball, egg, box_"), std::string::npos)
      << got.err;
  EXPECT_NE(got.err.find(" and 293 more"), std::string::npos) << got.err;
  EXPECT_LT(got.err.size(), 300U);
}

TEST_F(Query, EveryFaultIsOneLineThatNamesItsPlace) {
  const std::string row = "0,ball,egg,1,0,0,0,0.2,0,0\n";
  const struct {
    const char* arguments;
    std::string poses;
    const char* message;
  } cases[] = {
      {"assets poses.csv", header + "0,ball,teapot,1,0,0,0,0,0,0\n",
       "poses.csv:2: no asset 'teapot' in assets; there are: ball, egg"},
      {"assets poses.csv", header + "0,../egg,egg,1,0,0,0,0,0,0\n", "no asset '../egg'"},
      {"assets poses.csv", header + "0,ball,egg,1,1,0,0,0,0,0\n",
       "poses.csv:2: the quaternion has length 1.414"},
      {"assets poses.csv", header + "0,ball,egg,0,0,0,0,0,0,0\n", "poses.csv:2: the quaternion has length 0"},
      {"assets poses.csv", header + row + "1,ball,hull-less,1,0,0,0,0,0,0\n",
       "poses.csv:3: separation: body B ('hull-less') has no convex hull"},
      {"assets poses.csv --what wrench --model pressure_field",
       header + row + "1,ball,hull-less,1,0,0,0,0,0,0\n",
       "poses.csv:3: pressure-field contact: body B ('hull-less') has no tetrahedra"},
      {"nowhere poses.csv", header + row, "nowhere: not a folder of assets"},
      {"assets nowhere.csv", header + row, "nowhere.csv: cannot open: No such file or directory"},
      {"assets poses.csv --what colour", header + row,
       "--what colour: unknown; choose one of separation, derivative, wrench"},
      {"assets poses.csv --what derivative --method guess", header + row,
       "--method guess: --what derivative knows gumbel"},
      {"assets poses.csv --what derivative --model surface --method gumbel", header + row,
       "--method gumbel: --what derivative --model surface knows features, patch"},
      {"assets poses.csv --what smoothed_derivative --model surface",
       header + "0,@sphere:0.1,@sphere:0.2,1,0,0,0,0,0,0\n",
       "poses.csv:2: smoothed_derivative: sphere is a primitive"},
      {"assets poses.csv --what wrench --model hull", header + row, "--model hull: --what wrench knows "},
      {"assets poses.csv --method gumbel", header + row, "--what separation has no choice of methods"},
      {"assets poses.csv --out no/such/folder.csv", header + row,
       "no/such/folder.csv: cannot write: No such file or directory; make its folder first"},
      {"assets poses.csv --out /dev/full", header + row, "/dev/full: cannot write: No space left"},
  };
  for (const auto& c : cases) {
    const Outcome got = run(c.arguments, c.poses);
    EXPECT_EQ(got.exit_code, 2) << c.message;
    EXPECT_NE(got.err.find(c.message), std::string::npos) << c.message << "\n" << got.err;
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got.err;
    EXPECT_EQ(got.err.rfind("abut-query: error: ", 0), 0U) << got.err;
  }
}

// Its derivatives are those of its own smoothed columns.
TEST_F(Query, SmoothedWitnessesStandBesideTheExactOnes) {
  constexpr double kStep = 1e-5;
  const Pose<double> X_AB{Mat3<double>::Identity(), {0.075, 0.01, 0}};
  std::string poses = header + pose_row(0, "ball,egg", X_AB);
  for (int k = 0; k < 6; ++k)
    for (const double step : {kStep, -kStep})
      poses += pose_row(1, "ball,egg", X_AB * exp<double>(step * Vec6<double>::Unit(k)));
  const Outcome got = run("assets poses.csv --what smoothed_derivative --eps 20", poses);
  ASSERT_EQ(got.exit_code, 0) << got.err;
  const auto rows = table(got.out);
  ASSERT_EQ(rows.size(), 2U + 12U);
  ASSERT_EQ(rows[0].size(), 10U + 20U + 60U + 1U);
  EXPECT_EQ(rows[0][10], "sd");
  EXPECT_EQ(rows[0][20], "soft_sd");
  EXPECT_EQ(rows[0][30], "dsoft_sd_dwx");
  EXPECT_EQ(rows[0][89], "dsoft_nz_dvz");
  const auto number = [&](std::size_t row, std::size_t column) { return std::stod(rows[row][column]); };
  EXPECT_NEAR(number(1, 10), number(1, 20), 0.02);
  EXPECT_NE(number(1, 10), number(1, 20));
  for (std::size_t value = 0; value < 10; ++value)
    for (std::size_t k = 0; k < 6; ++k) {
      const double difference = (number(2 + 2 * k, 20 + value) - number(3 + 2 * k, 20 + value)) / (2 * kStep);
      EXPECT_NEAR(difference, number(1, 30 + 6 * value + k), 1e-5 * (1 + std::abs(difference)))
          << value << " " << k;
    }
}

TEST_F(Query, SoftDistancesOfPoints) {
  const Outcome got = run("assets poses.csv --what ssdf",
                          "idx,obj,x,y,z\n0,ball,0.06,0,0\n1,egg,0,0.01,0.02\n2,ball,0,nan,0\n");
  EXPECT_EQ(got.exit_code, 1);  // one row has no answer
  const auto rows = table(got.out);
  ASSERT_EQ(rows.size(), 4U);
  const auto points = asset::view(assets["egg"].points.front());
  const auto expected = ssdf::soft_distance(points, {0, 0.01, 0.02}, ssdf::default_eps1(points));
  EXPECT_EQ(rows[2][1], "egg");
  EXPECT_EQ(std::stod(rows[2][5]), expected.value);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(std::stod(rows[2][6 + k]), expected.gradient[k]);
  EXPECT_EQ(std::stod(rows[2][10]), expected.hessian(0, 1));
  EXPECT_EQ(rows[1].back(), "ok");
  EXPECT_EQ(rows[3].back(), "invalid_input");
  for (const auto& [points_file, message] :
       {std::pair<std::string, std::string>{
            "obj,x,y,z\nhull-less,0,0,0\n",
            "poses.csv:2: soft distance: the geometry ('hull-less') has no oriented points"},
        {"obj,x,y\nball,0,0\n", "poses.csv:1: no column 'z'"},
        {"obj,x,y,z\nball,0,0,zero\n", "poses.csv:2: column z: 'zero' is not a number"}}) {
    const Outcome refused = run("assets poses.csv --what ssdf", points_file);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find(message), std::string::npos) << refused.err;
  }
}

// Readers by name get the wrong one of two columns of one name.
TEST_F(Query, ColumnsHaveNamesOfTheirOwn) {
  const auto expect_unique = [](std::vector<std::string> names, const std::string& of) {
    for (const std::string& name : names) EXPECT_EQ(cli::csv_field(name), name) << of;
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    EXPECT_EQ(twice, names.end()) << of << ": " << *twice;
  };
  for (const cli::QuantityRow& row : cli::quantities()) {
    std::vector<std::string_view> methods = row.methods;
    if (methods.empty()) methods.emplace_back();
    for (const std::string_view method : methods)
      for (const bool energy : {false, row.name.starts_with("wrench") && row.name != "wrench_hessian"}) {
        cli::QuantityOptions options;
        options.threads = 1;
        options.energy = energy && has(contact::find_model(method).offers, contact::Want::kEnergy);
        const auto quantity = cli::make_quantity(row.name, method, options);
        expect_unique(cli::answer_columns(*quantity, true),
                      std::string(row.name) + " " + std::string(method));
      }
  }
  const std::string points = run("assets poses.csv --what ssdf", "obj,x,y,z\nball,0.06,0,0\n").out;
  expect_unique(table(points).at(0), "ssdf");
}

TEST_F(Query, NamesOfAnyKindComeBackAsTheyWere) {
  const std::string name = " mug, \"blue\"\r\nlarge", index = "7,\"8\"";
  save(name, {0.03, 0.03, 0.03});
  const std::string poses = "idx,objA,objB,qw,qx,qy,qz,tx,ty,tz\n" + cli::csv_field(index) + "," +
                            cli::csv_field(name) + ",ball,1,0,0,0,0.2,0,0\n";
  const Outcome got = run("assets poses.csv --out answers.csv", poses);
  ASSERT_EQ(got.exit_code, 0) << got.err;
  cli::PoseFile answers((folder / "answers.csv").string());  // answers are questions too
  cli::PoseRow row;
  ASSERT_TRUE(answers.next(row));
  EXPECT_EQ(row.idx, index);
  EXPECT_EQ(row.objA, name);
  EXPECT_EQ(row.objB, "ball");
  EXPECT_EQ(row.translation[0], 0.2);
  EXPECT_FALSE(answers.next(row));
  const Outcome points =
      run("assets poses.csv --what ssdf", "idx,obj,x,y,z\n1," + cli::csv_field(name) + ",0.06,0,0\n");
  EXPECT_NE(points.out.find("\n1," + cli::csv_field(name) + ","), std::string::npos) << points.err;
}

TEST_F(Query, OneRowIsOneRow) {
  EXPECT_NE(run("assets poses.csv", header + "0,ball,egg,1,0,0,0,0.2,0,0\n").err.find("1 row in "),
            std::string::npos);
}

TEST_F(Query, EmptyNamesAreNamed) {
  EXPECT_EQ(run("\"\" poses.csv", header).err,
            "abut-query: error: \x27\x27: the name of the folder of assets is empty\n");
  EXPECT_EQ(run("assets \"\"").err,
            "abut-query: error: \x27\x27: cannot open: the name of the file is empty\n");
}

}  // namespace
