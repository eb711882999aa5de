#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/body/body.h"
#include "runtime/core/random.h"
#include "runtime/math/adjoint.h"
#include "tests/support/hulls.h"

// Queries at the ends of what numbers hold, for the properties that every answer has: sizes from 1e-6 to 1e6
// m, offsets up to 1e300 m, coincident, nested, touching and axis-aligned poses.
namespace abut::test {

// A small object at one size, and the same described in another frame M, with X_MO.
struct Body {
  std::string name;
  double reach = 0;  // no point of it is farther from the origin of either frame, m
  body::Body own, moved;
  Pose<double> X_MO;
  body::Geometry bare;  // its own, without points

  const asset::ConvexView& hull() const { return own.geometry.convex(); }
  const asset::ConvexView& moved_hull() const { return moved.geometry.convex(); }
  bool has_surface() const { return own.geometry.surface().triangle_count > 0; }
};

// `sizes` sizes of each object, log-uniform from 1e-6 to 1e6 m.
std::vector<std::unique_ptr<Body>> make_bodies(int sizes);

struct Query {
  std::uint64_t seed, index;
  const Body *A, *B;
  Pose<double> X_AB;
  const char* kind;  // of the pose
  double length;     // the largest in it: both bodies' reach and the offset, m

  Random random() const { return Random(seed ^ 0x5eed, index); }  // for what else is drawn
  // In the frames M of A and N of B.
  Pose<double> moved() const { return A->X_MO * X_AB * B->X_MO.inverse(); }
};

Query draw_query(const std::vector<std::unique_ptr<Body>>& bodies, std::uint64_t seed, std::uint64_t index);

// One query asked in three ways: as it is, with the bodies exchanged, and in their other frames.
class Ways {
 public:
  explicit Ways(const Query& query, const Vec6<double>& V_A = Vec6<double>::Zero(),
                const Vec6<double>& V_B = Vec6<double>::Zero(), const body::Material& of_A = {},
                const body::Material& of_B = {})
      : A_{query.A->own.geometry, of_A},
        B_{query.B->own.geometry, of_B},
        M_{query.A->moved.geometry, of_A},
        N_{query.B->moved.geometry, of_B},
        direct{&A_, &B_, query.X_AB, relative_twist(query.X_AB, V_A, V_B)},
        exchanged{&B_, &A_, query.X_AB.inverse(), relative_twist(query.X_AB.inverse(), V_B, V_A)},
        moved{&M_, &N_, query.moved(),
              relative_twist<double>(query.moved(), adjoint(query.A->X_MO) * V_A,
                                     adjoint(query.B->X_MO) * V_B)} {}
  Ways(const Ways&) = delete;
  Ways& operator=(const Ways&) = delete;

 private:
  body::Body A_, B_, M_, N_;

 public:
  const body::Pair direct, exchanged, moved;
};

// Seed, index, bodies and pose in hexadecimal numbers: enough to ask again.
std::string describe(const Query& query);

// The same answer asked for in another way: bodies exchanged, or described in other frames.
enum class Again { kExchanged, kMoved };

// Largest share of the query's largest length that an answer may be off by.
inline constexpr double kShare = 1e-9;

// What is wrong with the answers to one query.
class Judge {
 public:
  // found <= bound, both numbers.
  void at_most(const char* what, double found, double bound) {
    if (!(found <= bound)) wrong_.push_back({what, found, bound});
  }
  void holds(const char* what, bool condition) { at_most(what, condition ? 0 : 1, 0); }

  // Two answers to one question differ by `gap`, which is at most kShare of `scale`.
  void same(Again again, const char* what, double gap, double scale) {
    at_most(what, gap, kShare * scale);
    if (scale > 0) note(again, gap / scale);
  }
  void note(Again again, double share) { share_[int(again)] = std::max(share_[int(again)], share); }
  // The query says that it has not converged: its bounds say how good the answer is.
  void open() { ++open_; }
  bool is_open() const { return open_ > 0; }
  // The bodies meet.
  void meets(bool yes = true) { meets_ = meets_ || yes; }

  // Runs one query and notes its time on this thread's processor.
  template <class Ask>
  auto timed(Ask&& ask) {
    const double start = thread_seconds();
    auto answer = ask();
    slowest_ = std::max(slowest_, thread_seconds() - start);
    return answer;
  }

  struct Wrong {
    const char* what;
    double found, bound;
  };
  const std::vector<Wrong>& wrong() const { return wrong_; }
  double slowest() const { return slowest_; }                     // s
  double share(Again again) const { return share_[int(again)]; }  // largest gap over its scale
  bool met() const { return meets_; }
  void next() { *this = Judge(); }

 private:
  static double thread_seconds();

  std::vector<Wrong> wrong_;
  double slowest_ = 0, share_[2] = {0, 0};
  int open_ = 0;
  bool meets_ = false;
};

// Asks one quantity and judges the answers. One per thread.
class Asker {
 public:
  virtual ~Asker() = default;
  virtual void ask(const Query& query, Judge& judge) = 0;
};

struct Property {
  std::string name;
  int cost;  // asked as often over this as the cheapest ones
  std::unique_ptr<Asker> (*make)(std::string_view row);
  std::string row = {};  // of a table
  double patience = 1;   // how many times as long as the others it may take
};

void add_witness_properties(std::vector<Property>& list);
void add_shape_properties(std::vector<Property>& list);
void add_derivative_properties(std::vector<Property>& list);
void add_distance_properties(std::vector<Property>& list);
void add_distance_model_properties(std::vector<Property>& list);
void add_contact_properties(std::vector<Property>& list);
void add_dynamics_properties(std::vector<Property>& list);
void add_batch_properties(std::vector<Property>& list);

}  // namespace abut::test
