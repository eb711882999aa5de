#include "runtime/cli/control_file.h"

#include <cmath>
#include <unordered_map>

#include "runtime/asset/container.h"
#include "runtime/cli/csv_columns.h"
#include "runtime/core/error.h"

namespace abut::cli {
namespace {

constexpr std::string_view kNames[] = {"row", "time", "body", "fx", "fy", "fz", "taux", "tauy", "tauz"};
constexpr std::size_t kForce = 3, kTorque = 6;

}  // namespace

ControlFile::ControlFile(const std::string& path, const dynamics::System& system) {
  if (path.empty()) return;
  std::unordered_map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < system.body_count(); ++i) numbers.emplace(system.body(i).name, i);
  CsvColumns columns(path, kNames, kTorque);
  std::vector<double> said;
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
    rows_.push_back(row);
    said.insert(said.end(), {row.time, static_cast<double>(row.body)});
    said.insert(said.end(), row.F_BBcm_W.data(), row.F_BBcm_W.data() + 6);
  }
  wrenches_.assign(system.body_count(), Vec6<double>::Zero());
  digest_ = asset::digest(std::as_bytes(std::span(said)));
}

dynamics::Control ControlFile::at(double time) {
  const double rounding = 1e-12 * std::abs(time);
  for (; next_ < rows_.size() && rows_[next_].time <= time + rounding; ++next_)
    wrenches_[rows_[next_].body] = rows_[next_].F_BBcm_W;
  return {wrenches_};
}

}  // namespace abut::cli
