#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/dynamics/solve/contact_row.h"
#include "runtime/dynamics/solve/islands.h"

// Rows on articulated bodies, in coordinates in which their tree has unit inertia: with M = L L'
// (ContactTree::inertia), a change y of these coordinates changes the tree's velocities by L'^-1 y, and an
// impulse r with Jacobian J changes y by L^-1 J' r. A side of a row on a tree thus has a column of L^-1 J'
// for each direction.
//
// ContactRow::A and B encode a side: a free body's place (>= 0), kFixed, or a side on a tree (less than
// kFixed).
namespace abut::dynamics {

// In place of A: the row is the friction of a joint. r[0] is its impulse, law.mu its bound.
inline constexpr std::int32_t kJointFriction = std::numeric_limits<std::int32_t>::min();

// Returns whether a side of a row is on a tree.
inline bool on_tree(std::int32_t side) { return side < kFixed && side != kJointFriction; }

// The columns of the rows' sides on trees, and the changes of the trees by impulses.
class TreeRows {
 public:
  // Change of a tree's velocity by the impulses, in scaled coordinates.
  struct Change {
    VecX<double> y, y_last, y_way;  // as in BodyChange
    VecX<double> total;             // the change by the delivered impulses
    std::int32_t place = 0;         // place of its first body in the islands' order
  };

  // Makes the rows of all contacts and joints on trees, at their places in the islands' order.
  void make(std::span<const ContactBody> bodies, std::span<const PairContact> contacts,
            const ContactJoints& joints, const Islands& islands, std::span<const BodyScale> scales,
            std::span<ContactRow> rows);

  bool empty() const { return changes_.empty(); }              // whether no contact or joint is on a tree
  std::size_t size() const { return changes_.size(); }         // number of trees
  Change& change(std::size_t tree) { return changes_[tree]; }  // by index of the tree

  // u += C' y for a side with columns C = (n, t1, t2), y of the side's tree.
  void add_velocity(std::int32_t side, double* u) const;
  void add_impulse(std::int32_t side, const double* r) { add(side, r, change_of(side).y); }  // y += C r
  void deliver(std::int32_t side, const double* r) { add(side, r, change_of(side).total); }  // total += C r
  void restart(std::int32_t side) { change_of(side).y.setZero(); }  // y = 0 for the side's tree
  // Calls visit(tree) for the trees whose first body has its place within `places`.
  template <class Visit>
  void for_each_in(Islands::Range places, Visit&& visit) const {
    for (std::size_t t = 0; t < changes_.size(); ++t)
      if (changes_[t].place >= places.begin && changes_[t].place < places.end) visit(t);
  }

  // block += C_i' C_k if both sides are on the same tree.
  void add_shared(std::int32_t side_i, std::int32_t side_k, Mat3<double>& block) const;

  // Displacement along the side's normal, C_n' y, given the displacements y of all trees.
  double normal_way(std::int32_t side, std::span<const VecX<double>> y) const;
  // y of the side's tree += C_n impulse, with an impulse of displacement (kg m) along the normal.
  void add_normal(std::int32_t side, double impulse, std::span<VecX<double>> y) const;

 private:
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, 3>;
  struct Side {
    std::size_t tree, first;  // index of its tree; where its columns begin in columns_
    Eigen::Index size;
  };

  const Side& side_of(std::int32_t side) const { return sides_[static_cast<std::size_t>(kFixed - 1 - side)]; }
  Change& change_of(std::int32_t side) { return changes_[side_of(side).tree]; }
  Eigen::Map<const Columns> columns(const Side& side) const { return {&columns_[side.first], side.size, 3}; }
  Eigen::Map<Columns> columns(const Side& side) { return {&columns_[side.first], side.size, 3}; }
  std::int32_t add_side(std::size_t tree, Eigen::Index size);
  void add(std::int32_t side, const double* r, VecX<double>& y) const;
  void make_contact(const PairContact& contact, std::span<const ContactBody> bodies,
                    const ContactJoints& joints, const Islands& islands, std::span<const BodyScale> scales,
                    ContactRow& row);
  void make_joint(const JointRow& joint, const ContactTree& tree, ContactRow& row);

  std::vector<Side> sides_;
  std::vector<double> columns_;
  std::vector<Change> changes_;
};

}  // namespace abut::dynamics
