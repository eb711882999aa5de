#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/math/pose.h"

namespace abut::test {

// A row of the reference queries: idx, objA, objB, the pose of B in A (quaternion w, x, y, z; translation),
// and the answer for the two hulls. Lengths in metres, all in the frame of A.
struct ReferenceQuery {
  std::string object_A, object_B;
  Pose<double> X_AB;
  double distance;         // signed
  Vec3<double> p1, p2, n;  // witness points on A and on B, unit direction from A to B
};

// All rows of data/queries/<name> of the shared folder; none where it is missing. Throws where a row cannot
// be read.
inline std::vector<ReferenceQuery> read_reference_queries(const std::string& name) {
  std::ifstream file(std::filesystem::path(ABUT_SHARED_DIR) / "data/queries" / name);
  std::vector<ReferenceQuery> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    for (char& c : line)
      if (c == ',') c = ' ';
    std::istringstream in(line);
    ReferenceQuery row;
    int index = 0;
    double q[4] = {};
    in >> index >> row.object_A >> row.object_B >> q[0] >> q[1] >> q[2] >> q[3];
    in >> row.X_AB.p.x() >> row.X_AB.p.y() >> row.X_AB.p.z();
    in >> row.distance;
    for (Vec3<double>* v : {&row.p1, &row.p2, &row.n}) in >> v->x() >> v->y() >> v->z();
    if (in.fail()) throw std::runtime_error(name + ": cannot read: " + line);
    row.X_AB.R = rotation_from_quaternion(q[0], q[1], q[2], q[3]);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace abut::test
