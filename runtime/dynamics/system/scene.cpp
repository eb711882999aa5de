#include "runtime/dynamics/system/scene.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "runtime/body/body.h"
#include "runtime/contact/model.h"
#include "runtime/core/error.h"
#include "runtime/core/settings.h"

namespace abut::dynamics {
namespace {

constexpr double kUnitTolerance = 1e-9;      // of a quaternion's length
constexpr double kTriangleTolerance = 0.01;  // of the triangle inequality: numbers in files have few digits

// Beyond these bounds numbers cancel the digits of all others, or overflow in squares.
constexpr double kLeastInertia = 1e-100, kGreatestInertia = 1e100;  // kg, kg m^2
constexpr double kGreatestLength = 1e15;                            // m

bool may_weigh(double inertia) { return inertia >= kLeastInertia && inertia <= kGreatestInertia; }

// Returns the largest size of a primitive, m; 0 for an asset and for a half-space.
double largest_size(const body::Geometry& geometry) {
  double largest = 0;
  if (const body::Primitive* primitive = geometry.primitive())
    for (const double size : body::sizes(*primitive)) largest = std::max(largest, size);
  return largest;
}

[[noreturn]] void refuse(const std::string& who, const std::string& what) {
  throw InvalidInput(who + ": " + what);
}

// Checks what is required only of a body without a joint.
void require_valid_free(const Body& body, const std::string& who) {
  if (!may_weigh(body.mass)) {
    std::ostringstream what;
    what << "the mass is " << body.mass << " kg; it must be from " << kLeastInertia << " to "
         << kGreatestInertia << " kg (what shall not move is an sbox or a plane)";
    refuse(who, what.str());
  }
  const Vec3<double>& I = body.inertia;
  if (!I.allFinite() || !may_weigh(I.minCoeff()) || !may_weigh(I.maxCoeff()))
    refuse(who, "the principal moments of inertia must be from 1e-100 to 1e100 kg m^2");
  if (2 * I.maxCoeff() > (1 + kTriangleTolerance) * I.sum())
    refuse(who, "no solid has these moments of inertia: the largest exceeds the sum of the others");
  const auto& q = body.q_WB;
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::abs(length - 1) <= kUnitTolerance))
    refuse(who, "the quaternion has length " + number_text(length) + "; it must be 1");
  if (!body.p_WB.allFinite() || !body.v_WB.allFinite() || !body.w_WB_W.allFinite())
    refuse(who, "its position or velocity has a number that is NaN or infinite");
}

// Checks a body with a joint. Its pose follows from the joint, and its mass and moments may be zero.
void require_valid_link(const Body& body, const std::string& who) {
  const auto may_be = [](double inertia) { return inertia == 0 || may_weigh(inertia); };
  const Vec3<double>& I = body.inertia;
  if (!may_be(body.mass) || !may_be(I[0]) || !may_be(I[1]) || !may_be(I[2]))
    refuse(who, "its mass or a moment of inertia is neither 0 nor from 1e-100 to 1e100 kg, kg m^2");
  const BodyJoint& joint = *body.joint;
  if (!joint.X_LB.finite() || !(rotation_error(joint.X_LB.R) <= body::kRotationTolerance))
    refuse(who, "its pose in its link has a number that is NaN or infinite, or is no rotation");
  const JointKind& kind = joint_kind(joint.joint.type);
  const auto fits = [](const VecX<double>& numbers, int count) {
    return numbers.size() == 0 || (numbers.size() == count && numbers.allFinite());
  };
  if (!fits(joint.q, kind.nq) || !fits(joint.v, kind.nv))
    refuse(who, "its joint '" + joint.joint.name + "' is " + std::string(kind.name) + " and starts at " +
                    std::to_string(kind.nq) + " coordinates and " + std::to_string(kind.nv) +
                    " velocities, finite ones");
}

}  // namespace

void require_valid(const Shape& shape, const std::string& who) {
  if (!shape.X_BS.finite() || !(rotation_error(shape.X_BS.R) <= body::kRotationTolerance))
    refuse(who, "its pose has a number that is NaN or infinite, or is no rotation");
  if (!(largest_size(shape.geometry) <= kGreatestLength)) refuse(who, "it is larger than 1e15 m");
  body::require_valid(shape.material, who.c_str(), "its material");
  if (shape.geometry.primitive() != nullptr) return;
  if (const char* missing = shape.geometry.missing_part(body::kSurfacePart))
    refuse(who, std::string("its asset ") + missing);
}

void require_valid(const Body& body, const std::string& who) {
  if (body.joint)
    require_valid_link(body, who);
  else
    require_valid_free(body, who);
  for (std::size_t k = 0; k < body.shapes.size(); ++k) {
    if (body.shapes[k].geometry.half_space()) refuse(who, "a plane cannot be part of a moving body");
    require_valid(body.shapes[k], who + ", shape " + std::to_string(k));
  }
}

bool means(const std::string& name, const std::string& body) {
  return body.starts_with(name) && (body.size() == name.size() || body[name.size()] == '/');
}

void require_valid(const ContactChoice& choice, const Scene& scene) {
  const std::string who = "contact of '" + choice.A + "' and '" + choice.B + "'";
  for (const std::string& name : {choice.A, choice.B})
    if (name != kWorld && std::none_of(scene.bodies.begin(), scene.bodies.end(),
                                       [&](const Body& body) { return means(name, body.name); }))
      refuse(who, "there is no body or robot '" + name + "'");
  if (choice.A == kWorld && choice.B == kWorld) refuse(who, "fixed shapes do not collide with one another");
  try {
    if (!contact::find_model(choice.model).has_wrench) refuse(choice.model, "the model offers no wrench");
    contact::make_model(choice.model, choice.settings);
  } catch (const InvalidInput& error) {
    refuse(who, error.what());
  }
}

Body object_body(const std::string& name, const body::Geometry& asset, double density,
                 const Pose<double>& X_WO) {
  if (!(density > 0) || !std::isfinite(density))
    refuse("body '" + name + "'", "the density is " + number_text(density) + " kg/m^3; it must be positive");
  const asset::MassProperties& mass = asset.mass();
  if (!(mass.volume > 0))
    refuse("body '" + name + "'", "its asset has no mass properties; preprocess the object again");
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> inertia_O(mass.inertia);
  const Eigen::SelfAdjointEigenSolver<Mat3<double>> principal(inertia_O);
  Pose<double> X_OB{principal.eigenvectors(), Eigen::Map<const Vec3<double>>(mass.center_of_mass)};
  if (X_OB.R.determinant() < 0) X_OB.R.col(0) *= -1;
  Body body;
  body.name = name;
  body.mass = density * mass.volume;
  body.inertia = density * principal.eigenvalues();
  const Pose<double> X_WB = X_WO * X_OB;
  const Eigen::Quaterniond q = Eigen::Quaterniond(X_WB.R).normalized();
  body.p_WB = X_WB.p;
  body.q_WB = {q.w(), q.x(), q.y(), q.z()};
  body.shapes.push_back({asset, X_OB.inverse()});
  require_valid(body, "body '" + name + "'");
  return body;
}

void require_valid(const Scene& scene) {
  if (!scene.gravity.allFinite()) refuse("scene", "gravity has a number that is NaN or infinite");
  for (std::size_t k = 0; k < scene.fixed.size(); ++k)
    require_valid(scene.fixed[k], "fixed shape " + std::to_string(k));
  const auto count = static_cast<std::int32_t>(scene.bodies.size());
  for (std::int32_t i = 0; i < count; ++i) {
    const Body& body = scene.bodies[static_cast<std::size_t>(i)];
    const std::string who = "body '" + body.name + "'";
    require_valid(body, who);
    if (means(kWorld, body.name)) refuse(who, "has the name of what is fixed; give it another");
    if (body.joint && (body.joint->parent < -1 || body.joint->parent >= i))
      refuse(who, "the body that carries it does not stand before it");
  }
  for (const auto& [A, B] : scene.apart)
    if (A < 0 || A >= count || B < 0 || B >= count)
      refuse("scene", "bodies that do not meet are " + std::to_string(A) + " and " + std::to_string(B) +
                          "; there are " + std::to_string(count));
  for (const ContactChoice& choice : scene.contacts) require_valid(choice, scene);
}

}  // namespace abut::dynamics
