#include "runtime/dynamics/step/tree_slopes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/dynamics/tree/dynamics.h"

namespace abut::dynamics {
namespace {

constexpr double kSize =
    1e-4;  // step of the differences, relative to a radian or to the length of a shift, and to their rates
constexpr double kFar = 1e-14;  // relative rounding of an inertia from which larger steps are needed

// Fourth-order derivative of f(t) at 0.
template <class F>
auto slope(double size, F&& f) {
  const auto one = f(size), back = f(-size), two = f(2 * size), two_back = f(-2 * size);
  return ((8 * (one - back) - (two - two_back)) / (12 * size)).eval();
}

// Fourth-order derivative of f(tree) with respect to a mass or moment.
template <class F>
auto slope(TreeSlopes::Variants& of, F&& f) {
  const auto one = f(of.more), back = f(of.less), two = f(of.two_more), two_back = f(of.two_less);
  return ((8 * (one - back) - (two - two_back)) / (12 * of.size)).eval();
}

}  // namespace

TreeSlopes::TreeSlopes(const TreeMotion& tree, const State& start, const Control& control, double dt,
                       Columns columns, std::span<Variants> variants)
    : tree_(tree), control_(control), dt_(dt), columns_(std::move(columns)), variants_(variants) {
  tree_.read(start);
  start_ = {tree_.place(), tree_.velocities()};
  sizes_ = sizes();
}

// A shift s changes the moment of inertia I + m s^2 of a rotation between it and the world over the length
// sqrt(I / m), where I is the inertia of that rotation with all else free to move and m the mass shifted; and
// it couples with the rotations that it carries, of moment I, over the length I / (m e), where m e is their
// coupling in the mass matrix. Where nothing rotates, no inertia depends on a shift. About a distant axis the
// rounding of inertias exceeds their change by such a step: then the step is larger, such that the rounding
// and the fifth power of the step are about equal.
VecX<double> TreeSlopes::sizes() const {
  const Tree& tree = tree_.coordinates().tree();
  const MatX<double>& G = tree_.coordinates().independent();
  const auto turns = [&](int d) { return !tree.subspace(d).head<3>().isZero(0); };
  TreeScratch scratch(tree);
  const MatX<double>& M = mass_matrix<double>(tree, start_.q, scratch);
  const VecX<double> mobility = M.ldlt().solve(MatX<double>::Identity(tree.nv(), tree.nv())).diagonal();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  VecX<double> squares = VecX<double>::Constant(tree.nv(), kInfinity);  // m^2
  VecX<double> shares = VecX<double>::Constant(tree.nv(), kSize);       // of the length
  for (int d = 0; d < tree.nv(); ++d) {
    const int first = tree.first_v(tree_.coordinates().link_of_dof(d));
    for (int above = tree.parent_dof(first); above >= 0; above = tree.parent_dof(above)) {
      if (turns(d) == turns(above)) continue;
      const int turn = turns(d) ? d : above, shift = turns(d) ? above : d;
      const double carried = M(turn, turn) / M(d, above);
      const double square = turn == d ? carried * carried : 1 / (mobility[turn] * M(shift, shift));
      if (!(mobility[turn] > 0) || !(square < squares[shift])) continue;
      squares[shift] = square;
      const double rounding = std::numeric_limits<double>::epsilon() * mobility[turn] * M(turn, turn);
      shares[shift] = rounding > kFar ? std::pow(rounding, 0.2) : kSize;
    }
  }
  VecX<double> sizes = VecX<double>::Constant(G.cols(), kInfinity);
  for (int d = 0; d < tree.nv(); ++d) {
    const double length = squares[d] < kInfinity ? std::sqrt(squares[d]) : 1;
    Eigen::Index column;
    const double factor = G.row(d).cwiseAbs().maxCoeff(&column);
    if (factor > 0) sizes[column] = std::min(sizes[column], shares[d] * length / factor);
  }
  return sizes;
}

TreeSlopes::Place TreeSlopes::moved(const Place& from, const VecX<double>& x) const {
  const SystemTree& of = tree_.coordinates();
  Place to = from;
  of.tree().integrate(from.q, of.independent() * x.head(from.v.size()), to.q);
  of.mimics().obey(to.q);
  to.v += x.tail(from.v.size());
  return to;
}

VecX<double> TreeSlopes::between(const Place& from, const Place& to) const {
  VecX<double> dq, x(2 * from.v.size());
  tree_.coordinates().tree().difference(from.q, to.q, dq);
  x << dq(tree_.coordinates().mimics().independent_velocities()), to.v - from.v;
  return x;
}

void TreeSlopes::move_to_middle(TreeMotion& tree, const Place& start) const {
  tree.start(start.q, start.v, held_);
  tree.drift(dt_ / 2);
}

void TreeSlopes::push(TreeMotion& tree, const Place& middle, ContactTree& problem) {
  tree.start(middle.q, middle.v);
  rows_.clear();
  tree.push(control_, dt_, 0, problem, rows_, bodies_);
}

void TreeSlopes::move_to_end(TreeMotion& tree, const Place& start, const VecX<double>& after,
                             const VecX<double>& displacement) {
  move_to_middle(tree, start);
  ContactTree problem;
  rows_.clear();
  tree.push(control_, dt_, 0, problem, rows_, bodies_);
  tree.finish(after, dt_);
  if (!displacement.isZero(0)) tree.displace(displacement);
}

void TreeSlopes::take_base() {
  base_ = {tree_.place(), tree_.velocities()};
  scales_.assign(tree_.scales().begin(), tree_.scales().end());
  held_.clear();
  for (const TreeMotion::Scale& scale : scales_) held_.push_back(scale.value);
  largest_.assign(scales_.size(), 0);
}

VecX<double> TreeSlopes::outcome(const TreeMotion& tree) {
  const Eigen::Index n = start_.v.size();
  VecX<double> all(2 * (n + static_cast<Eigen::Index>(scales_.size())));
  all.head(2 * n) = between(base_, {tree.place(), tree.velocities()});
  Eigen::Index row = 2 * n;
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    const TreeMotion::Scale& scale = tree.scales()[i];
    largest_[i] = std::max(largest_[i], scale.moving);
    all[row++] = scale.excess;
    all[row++] = scale.moving;
  }
  return all;
}

// What does not vary is not asked.
template <class Move>
MatX<double> TreeSlopes::slopes_by(const MatX<double>& inputs, Move&& move) {
  const Eigen::Index n = start_.v.size(), count = inputs.rows();
  MatX<double> by = MatX<double>::Zero(2 * (n + static_cast<Eigen::Index>(scales_.size())), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    if (inputs.row(k).isZero(0)) continue;
    by.col(k) = slope(sizes_[k % n], [&](double t) {
      move(VecX<double>(t * VecX<double>::Unit(count, k)));
      return outcome(tree_);
    });
  }
  return by * inputs;
}

// Scales act in their order.
template <class Move>
MatX<double> TreeSlopes::with_scales(MatX<double> slopes, Move&& move) {
  constexpr double kOfScale = 0.1;  // step of the differences: what scales act on is quadratic in them
  const Eigen::Index n = start_.v.size();
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    const VecX<double> by_scale = slope(kOfScale, [&](double t) {
      held_[i] = scales_[i].value + t;
      move();
      return outcome(tree_);
    });
    held_[i] = scales_[i].value;
    const Eigen::Index row = 2 * (n + static_cast<Eigen::Index>(i));
    slopes += by_scale * scale_slopes(i, slopes.row(row), slopes.row(row + 1));
  }
  return slopes.topRows(2 * n);
}

// Of sqrt(1 - excess / moving). A scale is at a bound where the ratio, or, if that is large, its inverse,
// reaches it with the state. Where little moves beside the steps of the differences, these would be rounding;
// the scale then changes hardly anything.
MatX<double> TreeSlopes::scale_slopes(std::size_t scale, const MatX<double>& dexcess,
                                      const MatX<double>& dmoving) {
  constexpr double kLittle = 1e-10;  // of the energies of the joints in the differences
  constexpr double kNear = 0.01;     // of the steps of the differences
  const TreeMotion::Scale& of = scales_[scale];
  MatX<double> slopes = MatX<double>::Zero(1, columns_.count);
  if (!(of.moving > kLittle * largest_[scale])) return slopes;
  const double ratio = of.excess / of.moving, most = of.most * of.most;
  const MatX<double> by_ratio = dexcess - ratio * dmoving;  // moving times the slopes of the ratio
  double reach = 0;
  for (std::size_t k = 0; k < columns_.pose.size(); ++k)
    for (const Eigen::Index column : {columns_.pose[k], columns_.velocity[k]})
      reach = std::max(reach, sizes_[static_cast<Eigen::Index>(k)] * std::abs(by_ratio(0, column)));
  reach *= kNear / std::max(1.0, std::abs(ratio));
  for (const double bound : {1.0, 1 - most})
    at_energy_limit_ = at_energy_limit_ || std::abs(of.excess - bound * of.moving) < reach;
  if (1 - ratio > 0 && 1 - ratio < most) slopes = by_ratio / (-2 * of.value * of.moving);
  return slopes;
}

MatX<double> TreeSlopes::start_slopes() const {
  const Eigen::Index n = start_.v.size();
  MatX<double> slopes = MatX<double>::Zero(2 * n, columns_.count);
  for (Eigen::Index k = 0; k < n; ++k) {
    slopes(k, columns_.pose[static_cast<std::size_t>(k)]) = 1;
    slopes(n + k, columns_.velocity[static_cast<std::size_t>(k)]) = 1;
  }
  return slopes;
}

MovingPart TreeSlopes::middle(const VecX<double>& after, std::size_t body_count) {
  bodies_.assign(body_count, {});
  held_.clear();
  move_to_middle(tree_, start_);
  take_base();
  middle_ = base_;
  const Eigen::Index n = start_.v.size();
  MatX<double> slopes =
      slopes_by(start_slopes(), [&](const VecX<double>& x) { move_to_middle(tree_, moved(start_, x)); });
  for (Variants& of : variants_)
    slopes.col(of.column) += slope(of, [&](TreeMotion& tree) {
      move_to_middle(tree, start_);
      return outcome(tree);
    });
  slopes = with_scales(std::move(slopes), [&] { move_to_middle(tree_, start_); });
  MovingPart part;
  part.dx = slopes.topRows(n);
  part.dold = slopes.bottomRows(n);
  part.old = middle_.v;
  part.y = after;
  // A, P and the Jacobians in one matrix.
  ContactTree problem;
  push(tree_, middle_, problem);
  for (std::size_t i = 0; i < body_count; ++i)
    if (bodies_[i].tree >= 0) part.members.push_back({static_cast<std::int32_t>(i), *bodies_[i].J_W, {}});
  const auto rows = n + 6 * static_cast<Eigen::Index>(part.members.size());
  const auto all_at = [&](TreeMotion& tree, const Place& place) {
    push(tree, place, problem);
    MatX<double> all(rows, n + 1);
    all.topLeftCorner(n, n) = problem.inertia.reconstructedMatrix();
    all.col(n).setZero();
    all.col(n).head(n) = all.topLeftCorner(n, n) * problem.v;
    for (std::size_t m = 0; m < part.members.size(); ++m)
      all.block(n + 6 * static_cast<Eigen::Index>(m), 0, 6, n) =
          *bodies_[static_cast<std::size_t>(part.members[m].body)].J_W;
    return all;
  };
  const MatX<double> here = all_at(tree_, middle_);
  part.A = here.topLeftCorner(n, n);
  part.llt.compute(part.A);
  part.free = problem.v;
  part.dP = MatX<double>::Zero(n, columns_.count);
  for (Eigen::Index k = 0; k < n; ++k) {
    const MatX<double> by_x = slope(
        sizes_[k], [&](double t) { return all_at(tree_, moved(middle_, t * VecX<double>::Unit(2 * n, k))); });
    part.dA.push_back(by_x.topLeftCorner(n, n));
    for (std::size_t m = 0; m < part.members.size(); ++m)
      part.members[m].dJ.push_back(by_x.block(n + 6 * static_cast<Eigen::Index>(m), 0, 6, n));
    part.dP += by_x.col(n).head(n) * part.dx.row(k);
    // P is linear in the velocities.
    part.dP += (all_at(tree_, moved(middle_, VecX<double>::Unit(2 * n, n + k))) - here).col(n).head(n) *
               part.dold.row(k);
  }
  for (Variants& of : variants_) {
    const MatX<double> by_number = slope(of, [&](TreeMotion& tree) { return all_at(tree, middle_); });
    part.dA_of_inputs.push_back({of.column, by_number.topLeftCorner(n, n)});
    part.dP.col(of.column) += by_number.col(n).head(n);
  }
  const MatX<double>& G = tree_.coordinates().independent();
  for (Eigen::Index d = 0; d < G.rows(); ++d)
    part.dP.col(columns_.force[static_cast<std::size_t>(d)]) += dt_ * G.row(d).transpose();
  return part;
}

MatX<double> TreeSlopes::end(const MovingPart& part, const VecX<double>& displacement,
                             const MatX<double>& displacement_slopes) {
  held_.clear();
  move_to_end(tree_, start_, part.y, displacement);
  take_base();
  MatX<double> slopes =
      slopes_by(start_slopes(),
                [&](const VecX<double>& x) { move_to_end(tree_, moved(start_, x), part.y, displacement); }) +
      slopes_by(part.dy,
                [&](const VecX<double>& x) { move_to_end(tree_, start_, part.y + x, displacement); });
  if (!displacement.isZero(0))
    slopes += slopes_by(displacement_slopes,
                        [&](const VecX<double>& x) { move_to_end(tree_, start_, part.y, displacement + x); });
  for (Variants& of : variants_)
    slopes.col(of.column) += slope(of, [&](TreeMotion& tree) {
      move_to_end(tree, start_, part.y, displacement);
      return outcome(tree);
    });
  return with_scales(std::move(slopes), [&] { move_to_end(tree_, start_, part.y, displacement); });
}

}  // namespace abut::dynamics
