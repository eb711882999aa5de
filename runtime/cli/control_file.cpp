#include "runtime/cli/control_file.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>

#include "runtime/asset/container.h"
#include "runtime/cli/csv_columns.h"
#include "runtime/core/error.h"

namespace abut::cli {
namespace {

constexpr std::string_view kNames[] = {"row", "time", "body", "fx", "fy", "fz", "taux", "tauy", "tauz"};
constexpr std::size_t kForce = 3, kTorque = 6;

constexpr std::string_view kJointNames[] = {"row", "time", "joint", "target", "force"};
constexpr std::size_t kJointForce = 4;

// Whether a row applies, up to rounding of the times.
bool due(double row, double time) { return row <= time + 1e-12 * std::abs(time); }

// The time of the last row of each body.
class LastTimes {
 public:
  // Takes a row; false if the last one of the body is of the same time.
  bool advance(std::size_t body, double time) {
    const auto [last, first] = times_.emplace(body, time);
    return first || std::exchange(last->second, time) != time;
  }

 private:
  std::unordered_map<std::size_t, double> times_;
};

}  // namespace

ControlFile::ControlFile(const std::string& path, const dynamics::System& system) {
  if (path.empty()) return;
  std::unordered_map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < system.body_count(); ++i) numbers.emplace(system.body(i).name, i);
  CsvColumns columns(path, kNames, kTorque);
  std::vector<double> said;
  LastTimes times;
  while (columns.next()) {
    Row row;
    row.time = columns.number(1);
    const auto body = numbers.find(std::string(columns.text(2)));
    if (body == numbers.end())
      throw InvalidInput(columns.place() + ": the scene has no body '" + std::string(columns.text(2)) + "'");
    row.body = body->second;
    row.F_BBcm_W.setZero();
    for (std::size_t k = 0; k < 3; ++k) {
      row.F_BBcm_W[static_cast<Eigen::Index>(3 + k)] = columns.number(kForce + k);
      if (columns.has(kTorque)) row.F_BBcm_W[static_cast<Eigen::Index>(k)] = columns.number(kTorque + k);
    }
    if (!std::isfinite(row.time) || !row.F_BBcm_W.allFinite())
      throw InvalidInput(columns.place() + ": a number is not finite");
    if (!rows_.empty() && row.time < rows_.back().time)
      throw InvalidInput(columns.place() + ": the time descends; sort the rows by time");
    if (!times.advance(row.body, row.time))
      throw InvalidInput(columns.place() + ": a second row of body '" + body->first + "' at this time");
    rows_.push_back(row);
    said.insert(said.end(), {row.time, static_cast<double>(row.body)});
    said.insert(said.end(), row.F_BBcm_W.data(), row.F_BBcm_W.data() + 6);
  }
  wrenches_.assign(system.body_count(), Vec6<double>::Zero());
  digest_ = asset::digest(std::as_bytes(std::span(said)));
}

dynamics::Control ControlFile::at(double time) {
  for (; next_ < rows_.size() && due(rows_[next_].time, time); ++next_)
    wrenches_[rows_[next_].body] = rows_[next_].F_BBcm_W;
  return {wrenches_};
}

JointControlFile::JointControlFile(const std::string& path, const dynamics::System& system)
    : system_(system) {
  if (path.empty()) return;
  const Eigen::VectorXd start = system.initial_state().q;
  targets_.assign(start.begin(), start.end());
  forces_.resize(static_cast<std::size_t>(system.first_v(system.body_count())));
  std::unordered_map<std::string, std::size_t> bodies;
  for (std::size_t i = 0; i < system.body_count(); ++i)
    if (system.body(i).joint) bodies.emplace(system.body(i).joint->joint.name, i);
  CsvColumns columns(path, kJointNames, kJointForce);
  std::vector<double> said;
  LastTimes times;
  while (columns.next()) {
    const auto refuse = [&](const std::string& what) { throw InvalidInput(columns.place() + ": " + what); };
    const std::string name(columns.text(2));
    const auto body = bodies.find(name);
    if (body == bodies.end()) refuse("the scene has no joint '" + name + "'");
    const std::size_t i = body->second;
    if (system.first_v(i + 1) - system.first_v(i) != 1)
      refuse("joint '" + name + "' is not of one degree of freedom");
    rows_.push_back({columns.number(1), i, system.first_q(i), system.first_v(i), columns.number(3),
                     columns.has(kJointForce) ? columns.number(kJointForce) : 0});
    const Row& row = rows_.back();
    if (!std::isfinite(row.time) || !std::isfinite(row.target) || !std::isfinite(row.force))
      refuse("a number is not finite");
    if (rows_.size() > 1 && row.time < rows_[rows_.size() - 2].time)
      refuse("the time descends; sort the rows by time");
    if (!times.advance(i, row.time)) refuse("a second row of joint '" + name + "' at this time");
    said.insert(said.end(), {row.time, static_cast<double>(row.v), row.target, row.force});
  }
  digest_ = asset::digest(std::as_bytes(std::span(said)));
  find_followers();
}

void JointControlFile::find_followers() {
  std::set<std::size_t> commanded;
  for (const Row& row : rows_) commanded.insert(row.body);
  for (std::size_t i = 0; i < system_.body_count(); ++i) {
    if (!system_.body(i).joint || commanded.count(i) > 0) continue;
    double multiplier = 1, offset = 0;
    std::size_t at = i;
    while (const auto& mimic = system_.body(at).joint->joint.mimic) {
      offset += multiplier * mimic->offset;
      multiplier *= mimic->multiplier;
      at = static_cast<std::size_t>(mimic->link);
      if (commanded.count(at) > 0) break;
    }
    if (at != i && commanded.count(at) > 0)
      followers_.push_back({static_cast<std::size_t>(system_.first_q(i)),
                            static_cast<std::size_t>(system_.first_q(at)), multiplier, offset,
                            system_.body(i).joint->joint.stiffness});
  }
}

std::vector<std::string> JointControlFile::limp() const {
  std::set<std::string> moved, driven;
  const Eigen::VectorXd start = system_.initial_state().q;
  for (const Row& row : rows_) {
    const dynamics::Joint& joint = system_.body(row.body).joint->joint;
    const bool drawn = std::any_of(followers_.begin(), followers_.end(), [&](const Follower& follower) {
      return follower.of == static_cast<std::size_t>(row.q) && follower.stiffness > 0;
    });
    if (row.force != 0 || joint.stiffness > 0 || drawn) driven.insert(joint.name);
    if (row.target != start[row.q]) moved.insert(joint.name);
  }
  std::vector<std::string> names;
  std::set_difference(moved.begin(), moved.end(), driven.begin(), driven.end(), std::back_inserter(names));
  return names;
}

void JointControlFile::add(double time, dynamics::Control& control) {
  for (; next_ < rows_.size() && due(rows_[next_].time, time); ++next_) {
    targets_[static_cast<std::size_t>(rows_[next_].q)] = rows_[next_].target;
    forces_[static_cast<std::size_t>(rows_[next_].v)] = rows_[next_].force;
  }
  for (const Follower& follower : followers_)
    targets_[follower.q] = follower.multiplier * targets_[follower.of] + follower.offset;
  control.joint_target = targets_;
  control.joint_force = forces_;
}

}  // namespace abut::cli
