#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

// Branch and bound on the errors of a union of bodies.
namespace abut::preprocess {

// Finds the maximum of an error (m) over the sets that items represent. The member `most` of an Item is an
// upper bound of the error in its set. The items with the largest bounds are divided first, in batches of
// kBatch on any number of threads, until the bound is at most `enough` or 3 % above the largest error found.
template <class Item>
class BestFirst {
 public:
  explicit BestFirst(double enough) : enough_(enough) {}

  // Whether an upper bound is tight enough.
  bool done(double most) const { return most <= std::max(enough_, least_ * (1 + kGap)); }

  // Records a lower bound: the error is attained somewhere.
  void find(double least) { least_ = std::max(least_, least); }

  void add(Item item) {
    if (done(item.most)) {
      closed_ = std::max(closed_, item.most);
      return;
    }
    waiting_.push_back(std::move(item));
    std::push_heap(waiting_.begin(), waiting_.end(), less);
  }

  // Divides items until done: divide(items) calls find() and add() for their parts. Stops after `limit`
  // items, rounded up to a batch.
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
  double least_ = 0;   // largest error found
  double closed_ = 0;  // largest bound of a finished item
  std::vector<Item> waiting_;
};

}  // namespace abut::preprocess
