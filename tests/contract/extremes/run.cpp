#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "tests/contract/extremes/query.h"

// extremes_run [--count N] [--threads T] [--seed S] [--from I] [--only PROPERTY] [--sizes K] [--longest T]:
// asks every quantity of every model N times (the costly ones N over their cost) and judges the answers,
// which may take T seconds of processor time. Exits with 1 where one is wrong; each line says how to ask that
// query again.
namespace {

using namespace abut;
using namespace abut::test;

struct Options {
  std::uint64_t count = 1000, seed = 1, from = 0;
  int threads = 1, sizes = 7;
  double longest = 0.1;  // s
  std::string only;
};

Options read_options(int argc, char** argv) {
  Options o;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const char* const value = argv[i + 1];
    if (name == "--count")
      o.count = std::strtoull(value, nullptr, 10);
    else if (name == "--seed")
      o.seed = std::strtoull(value, nullptr, 10);
    else if (name == "--from")
      o.from = std::strtoull(value, nullptr, 10);
    else if (name == "--threads")
      o.threads = std::atoi(value);
    else if (name == "--sizes")
      o.sizes = std::atoi(value);
    else if (name == "--longest")
      o.longest = std::atof(value);
    else if (name == "--only")
      o.only = value;
    else
      std::fprintf(stderr, "unknown option %s\n", name.c_str()), std::exit(2);
  }
  return o;
}

// What the threads found together.
class Tally {
 public:
  void add(const Property& property, const Query& query, const Judge& judge) {
    const bool slow = judge.slowest() > longest;
    const std::scoped_lock lock(mutex_);
    slowest_ = std::max(slowest_, judge.slowest());
    for (const Again again : {Again::kExchanged, Again::kMoved})
      share_[int(again)] = std::max(share_[int(again)], judge.share(again));
    meeting_ += judge.met();
    open_ += judge.is_open();
    if (slow) report(property, query, "slow", judge.slowest(), longest);
    for (const Judge::Wrong& w : judge.wrong()) report(property, query, w.what, w.found, w.bound);
    if (slow || !judge.wrong().empty()) ++wrong_;
  }
  std::uint64_t wrong() const { return wrong_; }
  void print(const Property& property, std::uint64_t count) const {
    std::printf("%-28s %8llu %8llu %6llu %6llu %11.3f %9.1e %9.1e\n", property.name.c_str(),
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(meeting_),
                static_cast<unsigned long long>(open_), static_cast<unsigned long long>(wrong_),
                1e3 * slowest_, share_[0], share_[1]);
  }
  void print_kinds() const {
    for (const auto& [kind, count] : kinds_)
      std::printf("    %8llu %s\n", static_cast<unsigned long long>(count), kind.c_str());
  }

 private:
  void report(const Property& property, const Query& query, const char* what, double found, double bound) {
    constexpr std::uint64_t kPrinted = 3;
    if (++kinds_[std::string(what) + ", " + query.kind] > kPrinted) return;
    std::printf("WRONG %s: %s is %.3g, at most %.3g; --only %s --sizes %d %s\n", property.name.c_str(), what,
                found, bound, property.name.c_str(), sizes, describe(query).c_str());
  }

 public:
  int sizes = 0;
  double longest = 0;  // s

 private:
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> kinds_;
  double slowest_ = 0, share_[2] = {0, 0};
  std::uint64_t wrong_ = 0, meeting_ = 0, open_ = 0;
};

std::uint64_t run(const Property& property, const std::vector<std::unique_ptr<Body>>& bodies,
                  const Options& o) {
  const std::uint64_t cost = o.count > 1 ? static_cast<std::uint64_t>(property.cost) : 1;
  const std::uint64_t count = std::max<std::uint64_t>(o.count / cost, 1);
  Tally tally;
  tally.sizes = o.sizes;
  tally.longest = property.patience * o.longest;
  std::atomic<std::uint64_t> next = 0;
  const auto work = [&] {
    const std::unique_ptr<Asker> asker = property.make(property.row);
    Judge judge;
    constexpr std::uint64_t kChunk = 64;
    for (std::uint64_t first; (first = next.fetch_add(kChunk)) < count;) {
      if (first * 10 / count != (first + kChunk) * 10 / count && count >= 100000)
        std::fprintf(stderr, "%s: %llu of %llu\n", property.name.c_str(),
                     static_cast<unsigned long long>(first), static_cast<unsigned long long>(count));
      for (std::uint64_t i = first; i < std::min(first + kChunk, count); ++i) {
        const Query query = draw_query(bodies, o.seed, o.from + i);
        judge.next();
        asker->ask(query, judge);
        tally.add(property, query, judge);
      }
    }
  };
  std::vector<std::thread> threads;
  for (int t = 1; t < o.threads; ++t) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  tally.print(property, count);
  tally.print_kinds();
  std::fflush(stdout);
  return tally.wrong();
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  const auto bodies = make_bodies(options.sizes);
  std::vector<Property> properties;
  add_witness_properties(properties);
  add_shape_properties(properties);
  add_derivative_properties(properties);
  add_distance_properties(properties);
  add_distance_model_properties(properties);
  add_contact_properties(properties);
  add_dynamics_properties(properties);
  add_batch_properties(properties);
  std::printf("%-28s %8s %8s %6s %6s %11s %9s %9s\n", "quantity", "queries", "meeting", "open", "wrong",
              "longest, ms", "exchange", "frames");
  std::uint64_t wrong = 0;
  bool known = options.only.empty();
  for (const Property& property : properties) {
    if (!options.only.empty() && property.name != options.only) continue;
    known = true;
    wrong += run(property, bodies, options);
  }
  if (!known) std::fprintf(stderr, "no property is called '%s'\n", options.only.c_str());
  return known && wrong == 0 ? 0 : 1;
}
