#include "runtime/cli/pose_file.h"

namespace abut::cli {
namespace {

constexpr std::string_view kNames[] = {"idx", "objA", "objB", "qw", "qx", "qy", "qz", "tx",
                                       "ty",  "tz",   "wx",   "wy", "wz", "vx", "vy", "vz"};
constexpr std::size_t kTwist = 10;

}  // namespace

PoseFile::PoseFile(const std::string& path) : columns_(path, kNames, kTwist) {}

bool PoseFile::has_twists() const { return columns_.has(kTwist); }

bool PoseFile::next(PoseRow& row) {
  if (!columns_.next()) return false;
  row.idx = columns_.has(0) ? std::string(columns_.text(0)) : std::to_string(rows_);
  ++rows_;
  row.objA = columns_.text(1);
  row.objB = columns_.text(2);
  for (std::size_t k = 0; k < 4; ++k) row.quaternion[k] = columns_.number(3 + k);
  for (std::size_t k = 0; k < 3; ++k) row.translation[k] = columns_.number(7 + k);
  for (std::size_t k = 0; k < 6; ++k) row.twist[k] = columns_.has(kTwist) ? columns_.number(kTwist + k) : 0;
  return true;
}

}  // namespace abut::cli
