#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/dynamics/system/system.h"

namespace abut::cli {

// Forces and torques on bodies over time, from a CSV file with the columns time (s), body, fx, fy, fz (N)
// and, optionally, taux, tauy, tauz (N m, about the centre of mass), in the world's axes. A row holds from
// its time until the next row of its body; before the first row there is no force. Times must not decrease.
class ControlFile {
 public:
  // `path` "": no control at all; "-": standard input. Throws as CsvColumns does, and InvalidInput for an
  // unknown body, a decreasing time and numbers that are not finite.
  ControlFile(const std::string& path, const dynamics::System& system);

  // Control for the step that starts at `time`, s, which must not decrease from call to call. The result is
  // valid until the next call.
  dynamics::Control at(double time);

  const std::string& digest() const { return digest_; }  // of the contents; "none" without a file

 private:
  struct Row {
    double time;  // s
    std::size_t body;
    Vec6<double> F_BBcm_W;  // about the centre of mass; N m, N
  };
  std::vector<Row> rows_;
  std::size_t next_ = 0;
  std::vector<Vec6<double>> wrenches_;
  std::string digest_ = "none";
};

// Targets and forces of joints over time, from a CSV file with the columns time (s), joint, target (rad or m,
// to which the joint's stiffness pulls) and, optionally, force (N m or N). A row holds from its time until
// the next row of its joint; before the first row the target is the joint's initial position in the scene.
// The target of a joint that mimics another and has no rows follows that of the other. Times must not
// decrease.
class JointControlFile {
 public:
  // As ControlFile. Also throws InvalidInput for a joint with more than one degree of freedom.
  JointControlFile(const std::string& path, const dynamics::System& system);

  // Sets targets and forces for the step that starts at `time`; same rules as ControlFile::at.
  void add(double time, dynamics::Control& control);

  const std::string& digest() const { return digest_; }  // of the contents; "none" without a file

  // Joints whose rows have no effect: the target differs from the initial position, but there is no force,
  // and no stiffness of the joint or of one that mimics it.
  std::vector<std::string> limp() const;

 private:
  struct Row {
    double time;  // s
    std::size_t body;
    Eigen::Index q, v;
    double target, force;
  };
  struct Follower {  // target = multiplier times that of coordinate `of`, plus offset; stiffness of its drive
    std::size_t q, of;
    double multiplier, offset, stiffness;
  };
  void find_followers();

  dynamics::System system_;
  std::vector<Row> rows_;
  std::vector<Follower> followers_;
  std::size_t next_ = 0;
  std::vector<double> targets_, forces_;
  std::string digest_ = "none";
};

}  // namespace abut::cli
