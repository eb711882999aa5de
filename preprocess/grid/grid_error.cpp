#include "preprocess/grid/grid_error.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "preprocess/remesh/surface_sampler.h"
#include "runtime/core/parallel.h"
#include "runtime/ssdf/grid_field.h"

namespace abut::preprocess {
namespace {

constexpr double kJudged = 0.25;  // over the radius; farther away signs are judged

struct Sample {
  double exact, found;  // m
  bool counts, answered;
};

GridError summed(const std::vector<Sample>& samples, double radius) {
  GridError error;
  for (const Sample& s : samples) {
    if (!s.counts) continue;
    ++error.samples;
    if (!s.answered) {
      ++error.unanswered;
      continue;
    }
    const double off = std::abs(s.found - s.exact), away = std::abs(s.exact);
    error.mean += off;
    error.worst = std::max(error.worst, off);
    const bool wrong = (s.found < 0) != (s.exact < 0), judged = away > kJudged * radius;
    error.wrong += wrong;
    error.judged += judged;
    error.judged_wrong += wrong && judged;
    if (wrong) error.worst_wrong = std::max(error.worst_wrong, away);
  }
  const std::int64_t answered = error.samples - error.unanswered;
  if (answered > 0) error.mean /= static_cast<double>(answered);
  return error;
}

}  // namespace

GridError measure_grid(const asset::DistanceGridView& grid, const asset::SurfaceView& surface,
                       const GridErrorParameters& parameters) {
  const ssdf::GridField field(grid);
  const SurfaceSampler sample(surface);
  std::vector<Sample> samples(static_cast<std::size_t>(parameters.samples));
  parallel_for(
      parameters.samples, 0,
      [&](std::int64_t i, int) {
        Random random(parameters.seed, static_cast<std::uint64_t>(i));
        const Eigen::Vector3d p = sample(random).first + parameters.radius * in_unit_ball(random);
        const double exact =
            distance::signed_distance<double>(surface, p, 1.001 * parameters.radius).distance;
        const auto found = field.distance(p, 0);
        const bool answered = found.status == Status::kOk;
        samples[static_cast<std::size_t>(i)] = {exact, found.value, answered || exact <= field.reach(),
                                                answered};
      },
      64);
  return summed(samples, parameters.radius);
}

std::map<std::string, double> measures_of(const GridError& error, const std::string& prefix) {
  const auto percent = [&](std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  return {{prefix + "error_mean_m", error.mean},
          {prefix + "error_worst_m", error.worst},
          {prefix + "sign_wrong_percent", percent(error.judged_wrong, error.judged)}};
}

}  // namespace abut::preprocess
