#include <cmath>
#include <limits>
#include <vector>

#include "runtime/proximity/distance_model.h"
#include "tests/contract/extremes/witness_answer.h"

// Rows of the table of distance models: separations with derivatives, contact regions, the smoothed form.
namespace abut::test {

namespace {

using derivative::PairDerivative;
using witness::Witness;

// Bounds that are apart by more than rounding say how good the distance is.
double uncertainty(const Witness<double>& w) { return std::max(w.upper_bound - w.lower_bound, 0.0); }

class Distances final : public Asker {
 public:
  explicit Distances(std::string_view row)
      : model_(proximity::make_distance_model(row)),
        has_smoothed_(proximity::find_distance_model(row).has_smoothed()),
        has_regions_(row == "surface") {}

  void ask(const Query& query, Judge& judge) override {
    const Ways ways(query);
    if (!takes(ways.direct)) return;
    const PairDerivative found = derivative(ways.direct, query, judge);
    const PairDerivative swapped = derivative(ways.exchanged, query, judge);
    const PairDerivative moved = derivative(ways.moved, query, judge);
    for (const PairDerivative* answer : {&found, &swapped, &moved})
      if (!std::isfinite(answer->witness.distance)) return;
    judge.meets(found.witness.distance <= 0);
    judge_same(query, found, swapped, Again::kExchanged, judge);
    judge_same(query, found, moved, Again::kMoved, judge);
    if (has_regions_) ask_contacts(query, ways.direct, found.witness, judge);
    const bool surfaces = ways.direct.A->geometry.primitive() == nullptr &&
                          ways.direct.B->geometry.primitive() == nullptr;  // which alone are smoothed
    if (has_smoothed_ && surfaces) ask_smoothed(query, ways.direct, found.witness, judge);
  }

 private:
  // The bodies may lack the part.
  bool takes(const body::Pair& pair) const {
    try {
      model_->require_valid(pair, "extremes");
    } catch (const InvalidInput&) {
      return false;
    }
    return true;
  }

  PairDerivative derivative(const body::Pair& pair, const Query& query, Judge& judge) {
    const PairDerivative found = judge.timed([&] { return model_->derivative(pair); });
    judge_numbers(found, query, judge);
    const Witness<double> w = judge.timed([&] { return model_->separation(pair); });
    judge.holds("distance with and without derivative",
                w.distance == found.witness.distance || std::isnan(w.distance));
    return found;
  }

  static void judge_numbers(const PairDerivative& found, const Query& query, Judge& judge) {
    const Witness<double>& w = found.witness;
    judge.holds("an answer", w.status != Status::kInvalidInput);
    judge.holds("finite numbers",
                std::isfinite(w.distance) && w.p1.allFinite() && w.p2.allFinite() && w.n.allFinite());
    judge.at_most("|n| - 1", std::abs(w.n.norm() - 1), 1e-12);
    judge.at_most("p2 - p1 - d n", (w.p2 - w.p1 - w.distance * w.n).stableNorm(), kShare * query.length);
    judge.at_most("lower bound above the distance", w.lower_bound - w.distance, kShare * query.length);
    judge.at_most("upper bound below the distance", w.distance - w.upper_bound, kShare * query.length);
    if (w.status == Status::kNotConverged)
      judge.open();
    else
      judge.at_most("gap of the bounds", uncertainty(w), kShare * query.length + 2e-6 * std::abs(w.distance));
    const auto& d = found.derivative;
    judge.holds("finite derivatives", d.dd_dxi_B.allFinite() && d.dp1_A_dxi_B.allFinite() &&
                                          d.dp2_A_dxi_B.allFinite() && d.dn_A_dxi_B.allFinite());
    judge.at_most("|dd by translation| - 1", d.dd_dxi_B.tail<3>().norm() - 1, 1e-9);
  }

  static void judge_same(const Query& query, const PairDerivative& found, const PairDerivative& other,
                         Again again, Judge& judge) {
    const double open = uncertainty(found.witness) + uncertainty(other.witness);
    const double gap = std::abs(found.witness.distance - other.witness.distance);
    judge.at_most("distance", gap, kShare * query.length + open);
    judge.note(again, std::max(gap - open, 0.0) / query.length);
  }

  void ask_contacts(const Query& query, const body::Pair& pair, const Witness<double>& w, Judge& judge) {
    Random random = query.random();
    const double small = std::min(query.A->reach, query.B->reach);
    const double margin = random.below(4) ? small * std::pow(10.0, random.uniform(-9, 0)) : 0;
    const auto contacts = judge.timed([&] { return model_->contacts(pair, margin, true); });
    const double limit = kShare * query.length + uncertainty(w);
    if (w.distance > margin + limit) judge.holds("no contact beyond the margin", contacts.empty());
    if (w.distance < margin - limit && w.status != Status::kNotConverged)
      judge.holds("a contact within the margin", !contacts.empty());
    double before = -std::numeric_limits<double>::infinity();
    for (const proximity::Contact& contact : contacts) {
      const Witness<double>& c = contact.pair.witness;
      judge.holds("finite contacts", std::isfinite(c.distance) && c.p1.allFinite() && c.p2.allFinite() &&
                                         contact.pair.derivative.dd_dxi_B.allFinite());
      judge.holds("nearest contact first", c.distance >= before);
      judge.at_most("contact within the margin", c.distance, margin + limit);
      before = c.distance;
    }
    if (!contacts.empty() && contacts.front().pair.witness.status != Status::kNotConverged)
      judge.at_most("nearest contact", std::abs(contacts.front().pair.witness.distance - w.distance), limit);
  }

  void ask_smoothed(const Query& query, const body::Pair& pair, const Witness<double>& w, Judge& judge) {
    const auto found = judge.timed([&] { return model_->smoothed(pair); });
    judge.holds("finite smoothed numbers", std::isfinite(found.smoothed.distance) &&
                                               found.smoothed.p1.allFinite() &&
                                               found.smoothed.p2.allFinite() && found.smoothed.n.allFinite());
    judge.holds("finite smoothed derivatives", found.derivative.dd_dxi_B.allFinite());
    if (!has_regions_ || w.distance <= 0) return;
    judge.at_most("smoothed slope", found.derivative.dd_dxi_B.tail<3>().norm(), 1 + 1e-9);
    judge.at_most("smoothed distance above the exact one", found.smoothed.distance - w.distance,
                  kShare * query.length);
  }

  std::unique_ptr<proximity::DistanceModel> model_;
  bool has_smoothed_, has_regions_;
};

}  // namespace

void add_distance_model_properties(std::vector<Property>& list) {
  for (const proximity::DistanceModelRow& row : proximity::distance_models())
    list.push_back(
        {"distance_" + std::string(row.name), row.name == "surface" ? 20 : 1,
         [](std::string_view name) -> std::unique_ptr<Asker> { return std::make_unique<Distances>(name); },
         std::string(row.name)});
}

}  // namespace abut::test
