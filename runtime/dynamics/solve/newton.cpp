#include "runtime/dynamics/solve/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "runtime/math/eliminate.h"

namespace abut::dynamics {

namespace {

constexpr double kShift = 1e-10;        // relative shift of W in the matrix of a step
constexpr double kSingular = 1e-8;      // matrices with a pivot below it count as singular
constexpr double kLeastSquare = 1e-12;  // singular values whose squares are below it count as zero
constexpr double kRounding = 0.03;      // tau at the start of the path
constexpr double kLeastRounding = 1e-6;
constexpr double kOnPath = 1e-8;  // largest |F| of a point of the path

// Factors by which rho falls from one proximal point to the next.
constexpr double kFirstFall = 0.1, kLargestFall = 0.01, kLeastFall = 0.97;

// block += J_i' J_k if both sides are on the same body or tree.
void add_shared(const TreeRows& trees, const SpatialRows& J_i, std::int32_t body_i, const SpatialRows& J_k,
                std::int32_t body_k, Mat3<double>& block) {
  if (on_tree(body_i)) trees.add_shared(body_i, body_k, block);
  if (body_i >= 0 && body_i == body_k) block += J_i.transpose() * J_k;
}

constexpr int kAttempts = 4;  // attempts at the path, with different lifts
// Largest |x| on the path, of the order of mass ratios; beyond it the path is lost.
constexpr double kFarthest = 1e9;

// Velocity added at lambda = 0, in units of the island's largest speed: enough for every contact to open. It
// differs between attempts: the curves of most problems end at a solution whatever the lift, those of a few
// only for some lifts.
double lift(std::size_t i, int attempt) {
  if (attempt == 0) return i % 3 == 0 ? 2 : 0;
  const double spread = 0.6180339887498949 * static_cast<double>(i + 1) * (attempt + 1);
  const double f = spread - std::floor(spread);
  return i % 3 == 0 ? 1.2 * std::exp(3 * f) : (f - 0.5) * attempt;
}

double tau_at(double lambda) { return kRounding * (1 - lambda) + kLeastRounding; }

// The rounded functions p and c/max(|d_t|, c) and their derivatives at d, for one contact.
struct Rounded {
  double p, p_by_d;  // of d_n
  double length;     // |d_t|
  double q;          // c/max(|d_t|, c)
  double q_by_c, q_by_length;
};

Rounded rounded(const double* d, double mu_t, double bound, double tau) {
  Rounded f;
  const auto positive_part = [tau](double x) {
    const double root = std::sqrt(x * x + tau * tau);
    return std::pair((x + root) / 2, root > 0 ? (1 + x / root) / 2 : 0);
  };
  std::tie(f.p, f.p_by_d) = positive_part(d[0] + bound);
  if (bound > 0) {
    const auto [beyond, beyond_by_d] = positive_part(d[0] - bound);
    f.p -= beyond + bound;
    f.p_by_d -= beyond_by_d;
  }
  f.length = std::sqrt(d[1] * d[1] + d[2] * d[2]);
  const double c = mu_t * f.p;
  const double root = std::sqrt((f.length - c) * (f.length - c) + tau * tau);
  const double larger = (f.length + c + root) / 2;
  // derivative of the rounded max with respect to |d_t|: 1 sliding, 0 sticking
  const double sliding = root > 0 ? (1 + (f.length - c) / root) / 2 : 0;
  if (larger > 0) {
    f.q = c / larger;
    f.q_by_c = (1 - f.q * (1 - sliding)) / larger;
    f.q_by_length = -f.q * sliding / larger;
  } else {
    f.q = f.q_by_c = f.q_by_length = 0;
  }
  return f;
}

}  // namespace

IslandNewton::IslandNewton() {
  constexpr std::size_t n = 3 * kMaxContacts;
  contacts_.reserve(kMaxContacts);
  W_.reserve(n * n);
  J_.reserve((n + 1) * (n + 1));
  squares_.reserve(n * n);
  for (std::vector<double>* v : {&F_, &d_, &x_, &trial_, &start_, &step_, &center_, &path_, &tangent_})
    v->reserve(n + 1);
}

void IslandNewton::load(std::span<const ContactRow> rows, const TreeRows& trees, double speed) {
  n_ = 3 * rows.size();
  W_.resize(n_ * n_);
  contacts_.resize(rows.size());
  for (std::vector<double>* v : {&F_, &d_, &x_, &trial_, &start_, &step_, &center_, &path_, &tangent_})
    v->resize(n_ + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CoulombContact<double>& law = rows[i].law;
    const double W_tt = law.mean_tangential();
    const bool joint = rows[i].A == kJointFriction;
    contacts_[i] = {joint ? 0 : law.mu * W_tt / law.W_nn, joint ? law.mu * law.W_nn / speed : 0,
                    speed / law.W_nn, speed / W_tt, rows[i].bias / speed};
    x_[3 * i] = rows[i].r[0] / contacts_[i].per_n;
    for (std::size_t a = 1; a < 3; ++a)
      x_[3 * i + a] = rows[i].r[static_cast<Eigen::Index>(a)] / contacts_[i].per_t;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Mat3<double> block = Mat3<double>::Zero();
      add_shared(trees, rows[i].J_A, rows[i].A, rows[k].J_A, rows[k].A, block);
      add_shared(trees, rows[i].J_A, rows[i].A, rows[k].J_B, rows[k].B, block);
      add_shared(trees, rows[i].J_B, rows[i].B, rows[k].J_A, rows[k].A, block);
      add_shared(trees, rows[i].J_B, rows[i].B, rows[k].J_B, rows[k].B, block);
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
          const double per = (b == 0 ? contacts_[k].per_n : contacts_[k].per_t) / speed;
          W_[(3 * i + a) * n_ + 3 * k + b] =
              block(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) * per;
        }
      }
    }
  }
}

void IslandNewton::store(std::span<ContactRow> rows) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Contact& c = contacts_[i];
    rows[i].r << c.per_n * x_[3 * i], c.per_t * x_[3 * i + 1], c.per_t * x_[3 * i + 2];
  }
}

double IslandNewton::evaluate(const std::vector<double>& x, double lambda, double tau) {
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    double u = contacts_[i / 3].b[static_cast<Eigen::Index>(i % 3)] + (1 - lambda) * lift(i, attempt_);
    for (std::size_t k = 0; k < n_; ++k) u += W_[i * n_ + k] * x[k];
    if (shift_ > 0) u += shift_ * (x[i] - center_[i]);
    d_[i] = x[i] - u;
  }
  for (std::size_t i = 0; i < n_; i += 3) {
    const Rounded f = rounded(&d_[i], contacts_[i / 3].mu_t, contacts_[i / 3].bound, tau);
    F_[i] = x[i] - f.p;
    F_[i + 1] = x[i + 1] - f.q * d_[i + 1];
    F_[i + 2] = x[i + 2] - f.q * d_[i + 2];
    sum += F_[i] * F_[i] + F_[i + 1] * F_[i + 1] + F_[i + 2] * F_[i + 2];
  }
  return sum;
}

double IslandNewton::worst() const {
  double largest = 0;
  for (std::size_t i = 0; i < n_; i += 3) {
    const double square = F_[i] * F_[i] + F_[i + 1] * F_[i + 1] + F_[i + 2] * F_[i + 2];
    keep_largest(largest, square);
  }
  return std::sqrt(largest);
}

// Rows of J = dF/dx = I + C dd/dx, with the 3 x 3 matrix C of each contact, dF = dx + C dd, and dd/dx = (1 -
// rho) I - W, shifted by kShift.
void IslandNewton::differentiate(double tau, std::size_t stride) {
  for (std::size_t i = 0; i < n_; i += 3) {
    const double mu_t = contacts_[i / 3].mu_t;
    const double* const d = &d_[i];
    const Rounded f = rounded(d, mu_t, contacts_[i / 3].bound, tau);
    const double along[2] = {f.length > 0 ? d[1] / f.length : 0, f.length > 0 ? d[2] / f.length : 0};
    double C[3][3] = {{-f.p_by_d, 0, 0}, {}, {}};
    for (int a = 0; a < 2; ++a) {
      C[1 + a][0] = -d[1 + a] * f.q_by_c * mu_t * f.p_by_d;
      for (int b = 0; b < 2; ++b) {
        C[1 + a][1 + b] = -(a == b ? f.q : 0) - d[1 + a] * f.q_by_length * along[b];
      }
    }
    const double *const W0 = &W_[i * n_], *const W1 = W0 + n_, *const W2 = W1 + n_;
    for (std::size_t a = 0; a < 3; ++a) {
      double* const out = &J_[(i + a) * stride];
      const double c0 = -C[a][0], c1 = -C[a][1], c2 = -C[a][2];
      for (std::size_t k = 0; k < n_; ++k) out[k] = c0 * W0[k] + c1 * W1[k] + c2 * W2[k];
      for (std::size_t b = 0; b < 3; ++b) out[i + b] += (1 - kShift - shift_) * C[a][b];
      out[i + a] += 1;
    }
  }
}

// step_ = -J^-1 F at x_; returns false where no pivot candidate of a column exceeds `least`.
bool IslandNewton::exact_step(double least) {
  evaluate(x_, 1, 0);
  J_.resize(n_ * n_);
  differentiate(0, n_);
  for (std::size_t i = 0; i < n_; ++i) step_[i] = -F_[i];
  return eliminate(J_.data(), step_.data(), n_, least);
}

// step_ = -(J'J + kLeastSquare I)^-1 J'F at x_: the minimum-norm step among those that minimise |J step + F|.
bool IslandNewton::least_step() {
  evaluate(x_, 1, 0);
  differentiate(0, n_);
  squares_.assign(n_ * n_, 0);
  std::fill(step_.begin(), step_.end(), 0.0);
  for (std::size_t k = 0; k < n_; ++k) {
    const double* const row = &J_[k * n_];
    for (std::size_t i = 0; i < n_; ++i) {
      if (row[i] == 0) continue;
      step_[i] -= row[i] * F_[k];
      for (std::size_t j = 0; j < n_; ++j) squares_[i * n_ + j] += row[i] * row[j];
    }
  }
  for (std::size_t i = 0; i < n_; ++i) squares_[i * n_ + i] += kLeastSquare;
  return eliminate(squares_.data(), step_.data(), n_, 0.0);
}

// Halves the step until the sum of squares falls, and then moves x_ and updates `value`; returns whether it
// fell.
bool IslandNewton::descend(double& value) {
  double length = 1, next = value;
  for (int halving = 0; halving < 20; ++halving, length /= 2) {
    for (std::size_t i = 0; i < n_; ++i) trial_[i] = x_[i] + length * step_[i];
    next = evaluate(trial_, 1, 0);
    if (next < (1 - 1e-4 * length) * value) break;
  }
  if (!(next < value)) return false;
  std::swap(x_, trial_);
  value = next;
  return true;
}

// The first pass takes minimum-norm steps where the matrix is singular. Where contacts are at the boundary of
// their laws these may make little progress: then a second pass starts again from the first x and takes any
// step that solves the equations.
bool IslandNewton::newton(double tolerance) {
  start_ = x_;
  bool singular = false;
  for (const bool any : {false, true}) {
    if (any) x_ = start_;
    double value = evaluate(x_, 1, 0);
    for (int iteration = 0; iteration < 30 && worst() > tolerance; ++iteration) {
      if (!exact_step(any ? 0 : kSingular)) {
        singular = true;
        if (any || !least_step()) break;
      }
      if (!descend(value)) break;
    }
    if (evaluate(x_, 1, 0); worst() <= tolerance) return true;
    if (!singular) break;
  }
  return false;
}

// Newton's method with velocities shifted by rho; returns the number of steps.
int IslandNewton::shifted_newton(double tolerance) {
  double value = evaluate(x_, 1, 0);
  int iteration = 0;
  while (iteration < 10 && worst() > tolerance) {
    ++iteration;
    if (!exact_step(0) || !descend(value)) break;
  }
  evaluate(x_, 1, 0);
  return iteration;
}

bool IslandNewton::proximal_points(double tolerance) {
  return approach(1e-2, 60, tolerance) || (std::fill(x_.begin(), x_.end(), 0.0), approach(1, 90, tolerance));
}

// Proximal points from x_0 = x_ with rho below `first`, in at most `limit` steps of Newton's method.
bool IslandNewton::approach(double first, int limit, double tolerance) {
  center_ = x_;
  double last = first, fall = kFirstFall;
  bool found = false;
  for (int steps = 0; steps < limit && !found && fall < kLeastFall;) {
    shift_ = last * fall;
    steps += 1 + shifted_newton(0.1 * tolerance);
    if (worst() <= 0.1 * tolerance) {
      center_ = x_;
      last = shift_;
      shift_ = 0;
      evaluate(x_, 1, 0);
      found = worst() <= tolerance;
      fall = std::max(fall * fall, kLargestFall);
    } else {
      x_ = center_;
      fall = std::sqrt(fall);
    }
  }
  shift_ = 0;
  return found;
}

// Solves [dF/dx dF/dlambda; border'] step = step_ in place, at x and lambda of z. Overwrites F_.
bool IslandNewton::bordered_solve(const std::vector<double>& z, const std::vector<double>& border) {
  const std::size_t n = n_ + 1;
  constexpr double kDifference = 1e-7;
  const double lambda = z[n_];
  J_.resize(n * n);
  evaluate(z, lambda + kDifference, tau_at(lambda + kDifference));
  for (std::size_t i = 0; i < n_; ++i) J_[i * n + n_] = F_[i] / kDifference;
  evaluate(z, lambda, tau_at(lambda));
  for (std::size_t i = 0; i < n_; ++i) J_[i * n + n_] -= F_[i] / kDifference;
  differentiate(tau_at(lambda), n);
  std::copy(border.begin(), border.end(), &J_[n_ * n]);
  return eliminate(J_.data(), step_.data(), n, 0.0);
}

// Newton's method from z back to the curve, perpendicular to the tangent; returns whether it reached it.
bool IslandNewton::back_to_path(std::vector<double>& z) {
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 6; ++iteration) {
    evaluate(z, z[n_], tau_at(z[n_]));
    const double off = worst();
    if (off < kOnPath) return true;
    if (!(off < last)) return false;
    last = off;
    for (std::size_t i = 0; i < n_; ++i) step_[i] = -F_[i];
    step_[n_] = 0;
    if (!bordered_solve(z, tangent_)) return false;
    for (std::size_t i = 0; i <= n_; ++i) z[i] += step_[i];
  }
  return false;
}

// Takes one step along the curve. kEnded: a solution was reached and is in x_.
IslandNewton::Step IslandNewton::advance(double& length, double tolerance) {
  std::fill(step_.begin(), step_.end(), 0.0);
  step_[n_] = 1;  // along the last tangent: keeps the direction of travel
  if (!bordered_solve(path_, tangent_)) return Step::kLost;
  double norm = 0;
  for (const double s : step_) norm += s * s;
  norm = std::sqrt(norm);
  for (std::size_t i = 0; i <= n_; ++i) tangent_[i] = step_[i] / norm;
  while (length > 1e-7) {
    const bool arrives = path_[n_] + length * tangent_[n_] >= 1;
    const double reach = arrives ? (1 - path_[n_]) / tangent_[n_] : length;
    for (std::size_t i = 0; i <= n_; ++i) trial_[i] = path_[i] + reach * tangent_[i];
    if (arrives) {
      std::copy(trial_.begin(), trial_.end(), x_.begin());
      if (newton(tolerance)) return Step::kEnded;
    } else if (back_to_path(trial_)) {
      std::swap(path_, trial_);
      length *= 1.6;
      return Step::kOn;
    }
    length /= 2;
  }
  return Step::kLost;
}

bool IslandNewton::follow_path(double tolerance) {
  const auto farthest = [&] {
    double x = 0;
    for (std::size_t i = 0; i < n_; ++i) x = std::max(x, std::abs(path_[i]));
    return x;
  };
  for (attempt_ = 0; attempt_ < kAttempts; ++attempt_) {
    std::fill(path_.begin(), path_.end(), 0.0);
    std::fill(tangent_.begin(), tangent_.end(), 0.0);
    tangent_[n_] = 1;
    if (!back_to_path(path_)) continue;
    double length = 0.1;
    for (int step = 0; step < 300 && path_[n_] > -1 && farthest() < kFarthest; ++step) {
      const Step result = advance(length, tolerance);
      if (result == Step::kEnded) return true;
      if (result == Step::kLost) break;
    }
  }
  return false;
}

}  // namespace abut::dynamics
