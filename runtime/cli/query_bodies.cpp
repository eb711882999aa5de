#include "runtime/cli/query_bodies.h"

#include <algorithm>

namespace abut::cli {

bool QueryBodies::any_compliant(const Bodies& bodies) {
  return std::any_of(bodies.begin(), bodies.end(),
                     [](const auto& made) { return made.second->material.modulus != body::kRigid; });
}

const body::Body& QueryBodies::body(const std::string& name, const body::Material& material, bool compliant,
                                    Bodies& bodies) {
  if (const auto known = bodies.find(name); known != bodies.end()) return *known->second;
  return *bodies.emplace(name, std::make_unique<const body::Body>(make(name, material, compliant)))
              .first->second;
}

body::Body QueryBodies::make(const std::string& name, const body::Material& material, bool compliant) {
  if (!name.starts_with('@')) return {assets_[name], material};
  body::Primitive primitive = body::parse_primitive(name.substr(1));
  body::Material own = material;
  if (auto* half_space = std::get_if<body::HalfSpace<double>>(&primitive)) {
    half_space->thickness = options_.half_space_thickness;
    heeded_thickness_ = heeded_thickness_ || own.modulus != body::kRigid;
  } else if (!compliant) {
    own.modulus = body::kRigid;
  }
  return {body::Geometry(primitive), own};
}

}  // namespace abut::cli
