#include <algorithm>
#include <utility>

#include "preprocess/pieces/cover.h"
#include "runtime/core/random.h"

namespace abut::preprocess {
namespace {

class Selection {
 public:
  Selection(const std::vector<Region>& pool, const std::vector<char>& wanted)
      : pool_(pool),
        holders_(wanted.size()),
        count_(wanted.size(), 0),
        weight_(wanted.size(), 1),
        score_(pool.size(), 0),
        since_(pool.size(), 0),
        in_(pool.size(), 0) {
    for (std::size_t s = 0; s < pool.size(); ++s) {
      for (const std::int32_t i : pool[s].held) {
        holders_[i].push_back(static_cast<std::int32_t>(s));
        ++score_[s];
      }
    }
    missing_at_.assign(wanted.size(), -1);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i] != 0 && !holders_[i].empty()) miss(static_cast<std::int32_t>(i));
  }

  std::vector<std::size_t> run(const std::vector<std::size_t>& chosen, std::size_t most) {
    for (const std::size_t s : chosen) add(s);
    fill_up(most);
    keep();
    Random random(13, 0);
    std::size_t last = pool_.size();
    for (std::int64_t step = 1; step <= kSteps && size_ > 1; ++step) {
      while (missing_.empty() && size_ > 1) {
        keep();
        remove(least_lost(pool_.size()));
      }
      if (missing_.empty()) break;
      remove(least_lost(last));
      last = best_for(missing_[random.below(missing_.size())]);
      add(last);
      since_[last] = step;
      for (const std::int32_t i : missing_) {
        ++weight_[i];
        for (const std::int32_t s : holders_[i]) ++score_[s];
      }
      if (missing_.size() < best_missing_) keep();
    }
    return best_;
  }

 private:
  static constexpr std::int64_t kSteps = 3000;

  // Adds regions greedily.
  void fill_up(std::size_t most) {
    while (!missing_.empty() && size_ < most) {
      std::size_t next = pool_.size();
      for (std::size_t s = 0; s < in_.size(); ++s)
        if (in_[s] == 0 && (next == pool_.size() || score_[s] > score_[next])) next = s;
      if (next == pool_.size() || score_[next] == 0) return;
      add(next);
    }
  }

  void keep() {
    best_.clear();
    for (std::size_t s = 0; s < in_.size(); ++s)
      if (in_[s] != 0) best_.push_back(s);
    best_missing_ = missing_.size();
  }

  std::size_t best_for(std::int32_t target) const {
    std::size_t best = pool_.size();
    for (const std::int32_t s : holders_[target])
      if (best == pool_.size() || std::pair(score_[s], -since_[s]) > std::pair(score_[best], -since_[best]))
        best = static_cast<std::size_t>(s);
    return best;
  }

  // The selected region, other than `not_this`, whose removal loses least; the oldest of several.
  std::size_t least_lost(std::size_t not_this) const {
    std::size_t best = pool_.size();
    for (std::size_t s = 0; s < in_.size(); ++s) {
      if (in_[s] == 0 || s == not_this) continue;
      if (best == pool_.size() || std::pair(score_[s], since_[s]) < std::pair(score_[best], since_[best]))
        best = s;
    }
    return best == pool_.size() ? not_this : best;
  }

  void miss(std::int32_t i) {
    missing_at_[i] = static_cast<std::int32_t>(missing_.size());
    missing_.push_back(i);
  }

  // score_: weight that adding a region would gain, or that removing it would lose.
  void add(std::size_t s) {
    in_[s] = 1;
    ++size_;
    score_[s] = 0;
    for (const std::int32_t i : pool_[s].held) {
      const int before = count_[i]++;
      if (before == 0) {
        const std::int32_t at = missing_at_[i];
        missing_[at] = missing_.back();
        missing_at_[missing_[at]] = at;
        missing_.pop_back();
        score_[s] += weight_[i];
        for (const std::int32_t other : holders_[i])
          if (in_[other] == 0) score_[other] -= weight_[i];
      } else if (before == 1) {
        for (const std::int32_t other : holders_[i])
          if (in_[other] != 0 && static_cast<std::size_t>(other) != s) score_[other] -= weight_[i];
      }
    }
  }

  void remove(std::size_t s) {
    in_[s] = 0;
    --size_;
    score_[s] = 0;
    for (const std::int32_t i : pool_[s].held) {
      const int after = --count_[i];
      if (after == 0) {
        miss(i);
        score_[s] += weight_[i];
        for (const std::int32_t other : holders_[i])
          if (in_[other] == 0 && static_cast<std::size_t>(other) != s) score_[other] += weight_[i];
      } else if (after == 1) {
        for (const std::int32_t other : holders_[i])
          if (in_[other] != 0) score_[other] += weight_[i];
      }
    }
  }

  const std::vector<Region>& pool_;
  std::vector<std::vector<std::int32_t>> holders_;  // regions that hold each target
  std::vector<int> count_;                          // number of them that are chosen
  std::vector<std::int64_t> weight_;
  std::vector<std::int64_t> score_, since_;
  std::vector<char> in_;
  std::vector<std::int32_t> missing_, missing_at_;
  std::size_t size_ = 0;
  std::vector<std::size_t> best_;
  std::size_t best_missing_ = 0;
};

}  // namespace

std::vector<std::size_t> select(const std::vector<Region>& pool, const std::vector<char>& wanted,
                                std::size_t most, const std::vector<std::size_t>& chosen) {
  return Selection(pool, wanted).run(chosen, most);
}

}  // namespace abut::preprocess
