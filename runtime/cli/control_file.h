#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/dynamics/system/system.h"

namespace abut::cli {

// Forces and torques on bodies over time, from a CSV file: columns time (s), body, fx, fy, fz (N), and if
// present taux, tauy, tauz (N m, about the centre of mass), in the world's axes. A row holds from its time on
// until the next row of its body; before the first there is none. Times do not descend.
class ControlFile {
 public:
  // "" : no control at all; "-" reads standard input. Throws as CsvColumns does, and InvalidInput for an
  // unknown body, a time that descends and numbers that are not finite.
  ControlFile(const std::string& path, const dynamics::System& system);

  // For the step that starts at `time`, s, which must not descend from call to call. Valid until the next
  // call.
  dynamics::Control at(double time);

  const std::string& digest() const { return digest_; }  // of what it says; "none"

 private:
  struct Row {
    double time;  // s
    std::size_t body;
    Vec6<double> F_BBcm_W;  // N m, N
  };
  std::vector<Row> rows_;
  std::size_t next_ = 0;
  std::vector<Vec6<double>> wrenches_;
  std::string digest_ = "none";
};

// Targets and forces of joints over time, from a CSV file: columns time (s), joint, target (rad or m; of its
// stiffness), and if present force (N m or N). A row holds from its time on until the next row of its joint;
// before the first its target is where the scene starts it. The target of a joint that mimics another and has
// no rows goes with the other's. Times do not descend.
class JointControlFile {
 public:
  // As ControlFile. Throws InvalidInput, too, for a joint of more than one degree of freedom.
  JointControlFile(const std::string& path, const dynamics::System& system);

  // Sets what the step that starts at `time` gets, as ControlFile::at.
  void add(double time, dynamics::Control& control);

  const std::string& digest() const { return digest_; }  // of what it says; "none"

  // Joints whose rows do nothing: without stiffness and force, with a target elsewhere than at the start.
  std::vector<std::string> limp() const;

 private:
  struct Row {
    double time;  // s
    std::size_t body;
    Eigen::Index q, v;
    double target, force;
  };
  struct Follower {  // target = multiplier times that of the coordinate `of`, plus offset; stiffness of its
                     // drive
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
