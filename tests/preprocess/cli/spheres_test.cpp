#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "command_runner.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "tests/support/shapes.h"

// Sphere sets from the command line.
namespace {

using namespace abut;
using namespace abut::test;

using SphereOptions = CommandTest;

TEST_F(SphereOptions, SpheresAreMadeVerifiedInspectedAndExported) {
  write("thing.obj", torus(0.05, 0.015, 20, 10));
  ASSERT_EQ(make({"--spheres", "12", "--quads", "none"}).code, 0);
  asset::Asset thing = asset::load(asset("thing"));
  ASSERT_EQ(thing.spheres.size(), 1U);
  const CommandResult verified = command({"verify", asset("thing")});
  EXPECT_EQ(verified.code, 0) << verified.err;
  const std::string text = command({"inspect", asset("thing")}).out;
  for (const char* words : {"12 spheres that hold the solid", "they reach", "spheres_outward_m"})
    EXPECT_TRUE(contains(text, words)) << text;
  EXPECT_EQ(command({"inspect", asset("thing"), "--png", (folder_ / "thing.png").string()}).code, 0);

  const std::string list = (folder_ / "spheres.yml").string();
  ASSERT_EQ(command({"export", asset("thing"), "--part", "spheres", "--out", list}).code, 0);
  std::ifstream stream(list);
  const nlohmann::json rows = nlohmann::json::parse(stream)["collision_spheres"]["thing"];
  ASSERT_EQ(rows.size(), 12U);
  EXPECT_EQ(rows[3]["radius"], thing.spheres[0].radii[3]);
  EXPECT_EQ(rows[3]["center"][1], thing.spheres[0].centers[10]);
  EXPECT_EQ(command({"export", asset("thing"), "--part", "spheres", "--out", "x.obj"}).code, 2);

  const asset::SphereSet whole = thing.spheres[0];
  for (double& radius : thing.spheres[0].radii) radius *= 0.9;
  asset::save(thing, asset("thing"));
  EXPECT_TRUE(contains(command({"verify", asset("thing")}).err, "outside all spheres"));
  thing.spheres[0] = whole;
  thing.spheres[0].error[0] /= 2;
  asset::save(thing, asset("thing"));
  EXPECT_TRUE(contains(command({"verify", asset("thing")}).err, "they reach"));
}

TEST_F(SphereOptions, NoneIsTheDefaultAndBadNumbersAreRefused) {
  write("thing.obj", box(0.1, 0.08, 0.06));
  for (const char* count : {"0", "-1", "many", "", "5000", "1e999"})
    EXPECT_EQ(make({"--spheres", count}).code, 2) << count;
  EXPECT_TRUE(files().empty());
  ASSERT_EQ(make({"--quads", "none"}).code, 0);
  EXPECT_TRUE(asset::load(asset("thing")).spheres.empty());
  EXPECT_EQ(command({"export", asset("thing"), "--part", "spheres", "--out", "x.yml"}).code, 2);
}

}  // namespace
