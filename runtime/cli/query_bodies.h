#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "runtime/body/body.h"
#include "runtime/cli/asset_folder.h"

namespace abut::cli {

// Properties of the bodies in the columns objA and objB, from the command line.
struct BodyOptions {
  body::Material A, B;
  bool compliant_A = false, compliant_B = false;                      // also primitives: a modulus was given
  double half_space_thickness = body::HalfSpace<double>{}.thickness;  // m
};

// The bodies that a POSES file may name: assets of a folder, and primitives, written as @ and their words
// ("@box:1:1:1", body::parse_primitive). Primitives are rigid, except for half-spaces and where a modulus is
// given. Each body is made on first access and kept.
class QueryBodies {
 public:
  // Throws IoError if `folder` is not a folder.
  QueryBodies(const std::string& folder, const BodyOptions& options) : assets_(folder), options_(options) {}

  // The body of that name, valid as long as this object. Throws InvalidInput for a name that is neither an
  // asset nor a primitive, and what asset::load throws.
  const body::Body& A(const std::string& name) { return body(name, options_.A, options_.compliant_A, as_A_); }
  const body::Body& B(const std::string& name) { return body(name, options_.B, options_.compliant_B, as_B_); }

  // Whether a half-space that is not rigid was among the bodies made.
  bool heeded_thickness() const { return heeded_thickness_; }
  // Whether a body made for A (for B) is not rigid: dissipation applies only to such bodies.
  bool compliant_A() const { return any_compliant(as_A_); }
  bool compliant_B() const { return any_compliant(as_B_); }

  // Calls use(body) for every body made.
  template <class Use>
  void visit(Use&& use) const {
    for (const Bodies* bodies : {&as_A_, &as_B_})
      for (const auto& made : *bodies) use(*made.second);
  }

 private:
  using Bodies = std::unordered_map<std::string, std::unique_ptr<const body::Body>>;

  static bool any_compliant(const Bodies& bodies);
  const body::Body& body(const std::string& name, const body::Material& material, bool compliant,
                         Bodies& bodies);
  body::Body make(const std::string& name, const body::Material& material, bool compliant);

  AssetFolder assets_;
  BodyOptions options_;
  Bodies as_A_, as_B_;
  bool heeded_thickness_ = false;
};

}  // namespace abut::cli
