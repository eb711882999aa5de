// abut-sim --contact-forces as a user runs it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/runtime/cli/sim_fixture.h"

namespace {

using namespace abut;
using namespace abut::test;

TEST_F(Sim, WritesContactForces) {
  write("two.scn",
        "gravity 0 0 -9.81\nmu 0.5\nduration 0.5\nplane 0 0 1 0\n"
        "body \"a, b\" 2 0.01 0.01 0.01 0 0 0.1001 1 0 0 0 0 0 0 0 0 0 1\n box 0.1 0.1 0.1 0 0 0 1 0 0 0\n"
        "body c 1 0.01 0.01 0.01 0.02 0 0.3002 1 0 0 0 0 0 0 0 0 0 1\n box 0.1 0.1 0.1 0 0 0 1 0 0 0\n");
  const Outcome got = run("two.scn --every 0.1 --contact-forces f.csv");
  ASSERT_EQ(got.exit_code, 0) << got.err;
  EXPECT_EQ(got.out,
            "two.scn: 250 steps of 0.002 s, 2 bodies: time 0.5 s; contact forces in f.csv; --out FILE keeps "
            "the trajectory\n");
  const std::string table = contents(folder / "f.csv");
  EXPECT_EQ(table.substr(0, table.find('\n')), "step,time,body_A,body_B,contacts,fx,fy,fz,taux,tauy,tauz");
  EXPECT_EQ(lines(table), 1U + 5U * 2U) << table;  // nothing acts before the first step
  EXPECT_NE(table.find("\n50,0.1,world,\"a, b\","), std::string::npos) << table;
  for (const auto& [pair, weight, torque] :
       {std::tuple<std::string, double, double>{"\n250,0.5,world,\"a, b\",", 3 * 9.81, -0.02 * 9.81},
        {"\n250,0.5,\"a, b\",c,", 9.81, 0}}) {
    const std::size_t at = table.find(pair);
    ASSERT_NE(at, std::string::npos) << pair << table;
    std::istringstream row(table.substr(at + pair.size(), table.find('\n', at + 1) - at - pair.size()));
    std::vector<double> numbers;
    for (std::string word; std::getline(row, word, ',');)
      numbers.push_back(std::strtod(word.c_str(), nullptr));
    ASSERT_EQ(numbers.size(), 7U) << table;
    EXPECT_GE(numbers[0], 1);
    EXPECT_NEAR(numbers[1], 0, 1e-6);
    EXPECT_NEAR(numbers[2], 0, 1e-6);
    EXPECT_NEAR(numbers[3], weight, 1e-6);
    EXPECT_NEAR(numbers[4], 0, 1e-6);
    EXPECT_NEAR(std::abs(numbers[5]), std::abs(torque), 1e-6);
  }
  EXPECT_EQ(run("two.scn --every 0.1 --contact-forces -").out, table);
  // A run that is continued has the rows of the frames to come, in a file of its own.
  ASSERT_EQ(run("two.scn --every 0.1 --steps 120 --out a.h5 --contact-forces one.csv").exit_code, 0);
  const Outcome same = run("two.scn --every 0.1 --out a.h5 --continue --contact-forces one.csv");
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_NE(same.err.find("one.csv: has the contact forces of the run before"), std::string::npos)
      << same.err;
  ASSERT_EQ(run("two.scn --every 0.1 --out a.h5 --continue --contact-forces two.csv").exit_code, 0);
  const std::string later = contents(folder / "two.csv");
  EXPECT_EQ(contents(folder / "one.csv") + later.substr(later.find('\n') + 1), table);
}

}  // namespace
