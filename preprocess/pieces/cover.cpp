#include "preprocess/pieces/cover.h"

#include <algorithm>
#include <numeric>

#include "runtime/core/parallel.h"
#include "runtime/core/random.h"

namespace abut::preprocess {
namespace {

using Eigen::Vector3d;

// Seeds around which regions are grown: in the first round for each allowed region, with a maximum, and in
// every later round.
constexpr std::size_t kFirstSeeds = 8, kMaxFirstSeeds = 160;
constexpr int kSeeds = 24;
constexpr int kMaxRounds = 12;
constexpr int kPatience = 2;  // rounds after which fewer targets must be missing
// Share of the targets, by round: if more are missing after the second or fourth round, the cover is given
// up.
constexpr double kHopeless[] = {1, 0.12, 1, 0.05};
constexpr int kRegrowths = 2;  // of a region around the mean of what it holds

struct Start {
  Vector3d seed;  // m
  Eigen::Matrix3d metric = Eigen::Matrix3d::Identity();
  std::vector<char> wanted;
};

bool behind(const std::vector<Plane>& planes, const Vector3d& p, double near) {
  return std::all_of(planes.begin(), planes.end(),
                     [&](const Plane& plane) { return plane.height(p) <= near; });
}

// Grows a region, and regrows it around the mean of what it holds while that increases the gain; `held` then
// lists the targets marked in `all`.
Region grown(const Ground& ground, const Start& start, const std::vector<char>& all, double near) {
  Region best = grow(ground, start.wanted, start.seed, start.metric);
  for (int k = 0; k < kRegrowths && best.gain > 0; ++k) {
    Region again = grow(ground, start.wanted, best.middle, best.metric);
    if (again.gain <= best.gain) break;
    best = std::move(again);
  }
  best.held.clear();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] != 0 && behind(best.planes, ground.targets[i], near))
      best.held.push_back(static_cast<std::int32_t>(i));
  return best;
}

class Cover {
 public:
  Cover(const Ground& ground, const std::vector<char>& wanted, std::size_t most, double near)
      : ground_(ground), wanted_(wanted), most_(most), near_(near), missing_(wanted) {}

  // Performs one round: grows more regions, and selects from all.
  void round(int seeds) {
    std::vector<Start> starts;
    add_missing(seeds, starts);
    add_chosen(starts);
    const std::size_t first = pool_.size();
    pool_.resize(first + starts.size());
    parallel_for(static_cast<std::int64_t>(starts.size()), 0,
                 [&](std::int64_t i, int) { pool_[first + i] = grown(ground_, starts[i], wanted_, near_); });
    chosen_ = select(pool_, wanted_, most_, chosen_);
    missing_ = wanted_;
    for (const std::size_t s : chosen_)
      for (const std::int32_t i : pool_[s].held) missing_[i] = 0;
  }

  std::size_t missing() const { return std::accumulate(missing_.begin(), missing_.end(), std::size_t{0}); }
  std::size_t regions() const { return chosen_.size(); }

  std::vector<Region> take(std::vector<char>& missing) {
    missing = missing_;
    std::vector<Region> result;
    for (const std::size_t s : chosen_) result.push_back(std::move(pool_[s]));
    return result;
  }

 private:
  void add_missing(int seeds, std::vector<Start>& starts) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < missing_.size(); ++i)
      if (missing_[i] != 0) left.push_back(i);
    seeds = static_cast<int>(std::min<std::size_t>(seeds, 4 * left.size()));
    for (int i = 0; i < seeds; ++i)
      starts.push_back({.seed = ground_.targets[left[random_.below(left.size())]], .wanted = missing_});
  }

  // Adds the chosen regions as starts once more, for the targets that only they hold and those that are
  // missing.
  void add_chosen(std::vector<Start>& starts) const {
    std::vector<int> holders(missing_.size(), 0);
    for (const std::size_t s : chosen_)
      for (const std::int32_t i : pool_[s].held) ++holders[i];
    for (const std::size_t s : chosen_) {
      Start start{Vector3d::Zero(), pool_[s].metric, missing_};
      int alone = 0;
      for (const std::int32_t i : pool_[s].held) {
        if (holders[i] != 1) continue;
        ++alone;
        start.wanted[i] = 1;
        start.seed += ground_.targets[i];
      }
      if (alone == 0) continue;
      start.seed /= alone;
      if (behind(pool_[s].planes, start.seed, 0)) starts.push_back(std::move(start));
    }
  }

  const Ground& ground_;
  const std::vector<char>& wanted_;
  std::size_t most_;
  double near_;
  Random random_{11, 0};
  std::vector<Region> pool_;
  std::vector<std::size_t> chosen_;
  std::vector<char> missing_;
};

}  // namespace

std::vector<Region> cover(const Ground& ground, std::vector<char>& wanted, std::size_t most, double near,
                          const std::function<void(std::size_t regions, std::size_t missing)>& progress) {
  Cover cover(ground, wanted, most, near);
  const std::size_t targets = cover.missing();
  std::size_t least = targets + 1;
  for (int round = 0, improved = 0;
       cover.missing() > 0 && round < kMaxRounds && round <= improved + kPatience; ++round) {
    cover.round(round == 0 ? static_cast<int>(std::min(kFirstSeeds * most, kMaxFirstSeeds)) : kSeeds);
    progress(cover.regions(), cover.missing());
    if (round < 4 && static_cast<double>(cover.missing()) > kHopeless[round] * static_cast<double>(targets))
      break;
    if (cover.missing() >= least) continue;
    least = cover.missing();
    improved = round;
  }
  std::vector<char> missing;
  std::vector<Region> result = cover.take(missing);
  wanted = std::move(missing);
  return result;
}

}  // namespace abut::preprocess
