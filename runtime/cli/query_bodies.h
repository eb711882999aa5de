#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "runtime/body/body.h"
#include "runtime/cli/asset_folder.h"

namespace abut::cli {

// What the command line says of the bodies in the columns objA and objB.
struct BodyOptions {
  body::Material A, B;
  bool compliant_A = false, compliant_B = false;                      // primitives too: a modulus is given
  double half_space_thickness = body::HalfSpace<double>{}.thickness;  // m
};

// The bodies that a POSES file may name: assets of a folder, and primitives, @ and their words ("@box:1:1:1",
// body::parse_primitive), which are rigid but for half-spaces and where a modulus is given. Each is made when
// first asked for and kept.
class QueryBodies {
 public:
  // Throws IoError where `folder` is not a folder.
  QueryBodies(const std::string& folder, const BodyOptions& options) : assets_(folder), options_(options) {}

  // Valid as long as this object. Throws InvalidInput for a name that is neither, or what asset::load throws.
  const body::Body& A(const std::string& name) { return body(name, options_.A, options_.compliant_A, as_A_); }
  const body::Body& B(const std::string& name) { return body(name, options_.B, options_.compliant_B, as_B_); }

  // Whether one of those made was a half-space that is not rigid.
  bool heeded_thickness() const { return heeded_thickness_; }
  // Whether one of those made for A (for B) is not rigid: dissipation is of such.
  bool compliant_A() const { return any_compliant(as_A_); }
  bool compliant_B() const { return any_compliant(as_B_); }

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
