#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

// Branch and bound, of the errors of a union of bodies.
namespace abut::preprocess {

// The greatest of an error (m) over what items stand for: `most` of an Item bounds it in what it stands for.
// The items with the greatest bounds are divided first, kBatch at a time whatever the number of threads,
// until the bound is `enough` or 3 % above what was found.
template <class Item>
class BestFirst {
 public:
  explicit BestFirst(double enough) : enough_(enough) {}

  // Whether a bound needs not be better.
  bool done(double most) const { return most <= std::max(enough_, least_ * (1 + kGap)); }

  // Somewhere the error is this.
  void find(double least) { least_ = std::max(least_, least); }

  void add(Item item) {
    if (done(item.most)) {
      closed_ = std::max(closed_, item.most);
      return;
    }
    waiting_.push_back(std::move(item));
    std::push_heap(waiting_.begin(), waiting_.end(), less);
  }

  // divide(items) finds and adds what is in them; for `limit` items at most, or a batch more.
  template <class Divide>
  void run(std::size_t limit, Divide&& divide) {
    std::vector<Item> now;
    for (std::size_t divided = 0; divided < limit && open(); divided += now.size()) {
      now.clear();
      while (now.size() < kBatch && open()) {
        std::pop_heap(waiting_.begin(), waiting_.end(), less);
        now.push_back(std::move(waiting_.back()));
        waiting_.pop_back();
      }
      divide(now);
    }
  }

  double least() const { return least_; }
  double most() const { return std::max({least_, closed_, waiting_.empty() ? 0 : waiting_.front().most}); }

 private:
  static constexpr std::size_t kBatch = 64;
  static constexpr double kGap = 0.03;

  static bool less(const Item& a, const Item& b) { return a.most < b.most; }
  bool open() const { return !waiting_.empty() && !done(waiting_.front().most); }

  double enough_;
  double least_ = 0;   // greatest error found
  double closed_ = 0;  // greatest bound of an item that is done
  std::vector<Item> waiting_;
};

}  // namespace abut::preprocess
