#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/asset/asset.h"
#include "runtime/math/pose.h"

// Libraries whose contact gradients are compared: of the signed distance of two hulls and of the witness
// point on A by xi of X_AB exp(xi), as each of them gives them.
namespace abut::gradients {

struct Question {
  asset::ConvexView A, B;
  Pose<double> X_AB;
  double distance;  // m, signed
};

using Value = Eigen::Matrix<double, 4, 1>;     // signed distance and p1 (in A), m
using Gradient = Eigen::Matrix<double, 4, 6>;  // of it by xi: m/rad and 1

class Library {
 public:
  virtual ~Library() = default;
  virtual std::string name() const = 0;
  virtual std::string how() const = 0;
  virtual std::vector<double> steps() const = 0;    // of its differences, rad and m; one of 0: it has none
  virtual bool has_points() const { return true; }  // gives witness points
  // NaN where it has no answer.
  virtual Gradient gradient(const Question& question, double step) = 0;
};

// One that answers with values: central differences of them.
class Differenced : public Library {
 public:
  std::string how() const override { return "central differences of its answers"; }
  std::vector<double> steps() const override { return {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7}; }
  Gradient gradient(const Question& question, double step) override {
    Gradient result;
    for (int k = 0; k < 6; ++k) {
      const Vec6<double> xi = step * Vec6<double>::Unit(k);
      result.col(k) = (value(question, question.X_AB * exp(xi)) -
                       value(question, question.X_AB * exp(Vec6<double>(-xi)))) /
                      (2 * step);
    }
    return result;
  }

 protected:
  virtual Value value(const Question& question, const Pose<double>& X_AB) = 0;
};

// Those that are there.
std::unique_ptr<Library> make_fcl();
std::unique_ptr<Library> make_bullet();
std::unique_ptr<Library> make_mujoco();

}  // namespace abut::gradients
