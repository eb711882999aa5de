#pragma once

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <fc3d_compute_error.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "tests/support/contact_problems.h"

// Contact problems as Siconos [Acary2018] has them, which has the same law and shares no code.
namespace abut::test {

// The same problem in Siconos's form: u = W r + q, per contact (n, t1, t2).
class SiconosProblem {
 public:
  explicit SiconosProblem(const ContactProblem& problem)
      : contacts_(static_cast<int>(problem.contacts.size())), n_(3 * contacts_) {
    const auto bodies = static_cast<Eigen::Index>(problem.bodies.size());
    Eigen::MatrixXd inverse_mass = Eigen::MatrixXd::Zero(6 * bodies, 6 * bodies);
    Eigen::VectorXd V(6 * bodies);
    for (Eigen::Index i = 0; i < bodies; ++i) {
      const dynamics::ContactBody& b = problem.bodies[i];
      inverse_mass.block<3, 3>(6 * i, 6 * i) = b.inverse_inertia_W;
      inverse_mass.block<3, 3>(6 * i + 3, 6 * i + 3) = b.inverse_mass * Mat3<double>::Identity();
      V.segment<6>(6 * i) = b.V_WB_W;
    }
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n_, 6 * bodies);
    q_.resize(n_);
    for (int k = 0; k < contacts_; ++k) {
      const dynamics::PairContact& c = problem.contacts[k];
      const Vec3<double> t = c.n_W.unitOrthogonal();
      Mat3<double> frame;
      frame << c.n_W, t, c.n_W.cross(t);
      frames_.push_back(frame);
      for (const auto& [index, sign] : {std::pair{c.A, -1.0}, std::pair{c.B, 1.0}}) {
        if (index == dynamics::kFixed) continue;
        Mat36<double> J;
        J << -skew<double>(c.p_WC - problem.bodies[index].p_WBcm), Mat3<double>::Identity();
        H.block<3, 6>(3 * k, 6 * index) += sign * frame.transpose() * J;
      }
      mu_.push_back(c.mu);
    }
    W_ = H * inverse_mass * H.transpose();
    q_ = H * V;
    for (int k = 0; k < contacts_; ++k) q_[3 * k] -= problem.contacts[k].target_velocity;
    matrix_.reset(NM_create_from_data(NM_DENSE, n_, n_, W_.data()));
    problem_.dimension = 3;
    problem_.numberOfContacts = contacts_;
    problem_.M = matrix_.get();
    problem_.q = q_.data();
    problem_.mu = mu_.data();
    options_.reset(solver_options_create(SICONOS_FRICTION_3D_NSGS));
    options_->dparam[SICONOS_DPARAM_TOL] = 1e-13;
    options_->iparam[SICONOS_IPARAM_MAX_ITER] = 20000;
  }

  Eigen::VectorXd impulses(const ContactProblem& solved) const {
    Eigen::VectorXd r(n_);
    for (int k = 0; k < contacts_; ++k) {
      r.segment<3>(3 * k) = frames_[k].transpose() * solved.contacts[k].J_B_W;
    }
    return r;
  }

  // Siconos's error of impulses r: the natural map, over the norm of q.
  double error(Eigen::VectorXd r) {
    Eigen::VectorXd u = Eigen::VectorXd::Zero(n_);
    double value = -1;
    fc3d_compute_error(&problem_, r.data(), u.data(), 1e-8, options_.get(), q_.norm(), &value);
    return value;
  }

  // Siconos's own answer; false where its solver did not converge.
  bool solve(Eigen::VectorXd& r) {
    r = Eigen::VectorXd::Zero(n_);
    Eigen::VectorXd u = Eigen::VectorXd::Zero(n_);
    return fc3d_driver(&problem_, r.data(), u.data(), options_.get()) == 0;
  }

  // For two answers r1, r2, complementarity gives (r1 - r2)'(u1 - u2) + sum mu (|u1_t| - |u2_t|)(r1_n - r2_n)
  // <= 0, where the left-hand side is at least (least eigenvalue of W - |mu W_t|) |r1 - r2|^2.
  bool certainly_unique() const {
    Eigen::MatrixXd tangential = W_;
    for (int k = 0; k < contacts_; ++k) {
      tangential.row(3 * k).setZero();
      tangential.middleRows<2>(3 * k + 1) *= mu_[k];
    }
    const double least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(W_).eigenvalues()[0];
    return least > Eigen::JacobiSVD<Eigen::MatrixXd>(tangential).singularValues()[0];
  }

 private:
  struct MatrixDeleter {
    void operator()(NumericsMatrix* m) const {
      m->matrix0 = nullptr;  // W_'s
      NM_free(m);
    }
  };
  struct OptionsDeleter {
    void operator()(SolverOptions* o) const {
      // Frees what options point to, but no options.
      std::vector<SolverOptions*> all(o->internalSolvers, o->internalSolvers + o->numberOfInternalSolvers);
      all.push_back(o);
      solver_options_delete(o);
      for (SolverOptions* options : all) std::free(options);
    }
  };

  int contacts_, n_;
  Eigen::MatrixXd W_;
  Eigen::VectorXd q_;
  std::vector<double> mu_;
  std::vector<Mat3<double>> frames_;
  std::unique_ptr<NumericsMatrix, MatrixDeleter> matrix_;
  std::unique_ptr<SolverOptions, OptionsDeleter> options_;
  FrictionContactProblem problem_{};
};

}  // namespace abut::test
