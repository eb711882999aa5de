#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "runtime/asset/writer.h"
#include "tests/runtime/cli/outcome.h"
#include "tests/support/bodies.h"
#include "tests/support/hulls.h"
#include "tests/support/point_clouds.h"

// Runs abut-query as a user does, on assets made by code.
namespace abut::test {

inline std::vector<std::vector<std::string>> table(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

class Query : public testing::Test {
 protected:
  Query() : folder(fs::temp_directory_path() / ("abut_query_test_" + std::to_string(::getpid()))) {
    fs::create_directories(folder / "assets");
    save("ball", {0.05, 0.05, 0.05});
    save("egg", {0.03, 0.04, 0.06});
    asset::Asset empty;
    empty.name = "hull-less";
    asset::save(empty, folder / "assets" / "hull-less.h5");
  }
  ~Query() override { fs::remove_all(folder); }

  void save(const std::string& name, const Vec3<double>& semi_axes) {
    asset::Asset& asset = assets[name];
    asset.name = name;
    asset.convex.push_back(test::tessellated_ellipsoid(3, semi_axes));
    asset.volumes.push_back(test::star_volume(asset::view(asset.convex.back())));
    asset.points.push_back(test::sphere_points(semi_axes[0], 400));
    asset::save(asset, folder / "assets" / (name + ".h5"));
  }

  // As the command makes it of an asset; valid as long as the test.
  body::Body body(const std::string& name, const body::Material& material = {}) const {
    return test::body_of(assets.at(name), material);
  }

  Outcome run(const std::string& arguments, const std::string& poses = "") const {
    if (!poses.empty()) std::ofstream(folder / "poses.csv") << poses;
    return shell(std::string(ABUT_QUERY_PROGRAM) + " " + arguments);
  }

  // Runs a command of bash in the folder.
  Outcome shell(const std::string& line) const {
    const std::string command = line + " >" + (folder / "out").string() + " 2>" + (folder / "err").string();
    const int status = std::system(("cd " + folder.string() + " && bash -c '" + command + "'").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(folder / "out"), contents(folder / "err")};
  }

  const std::string header = "idx,objA,objB,qw,qx,qy,qz,tx,ty,tz\n";
  std::map<std::string, asset::Asset> assets;
  fs::path folder;
};

inline std::string pose_row(int index, const std::string& pair, const Pose<double>& X_AB) {
  const Eigen::Quaterniond q(X_AB.R);
  std::ostringstream row;
  row.precision(17);
  row << index << ',' << pair << ',' << q.w() << ',' << q.x() << ',' << q.y() << ',' << q.z() << ','
      << X_AB.p.x() << ',' << X_AB.p.y() << ',' << X_AB.p.z() << '\n';
  return row.str();
}

}  // namespace abut::test
