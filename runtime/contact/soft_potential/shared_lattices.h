#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "runtime/body/geometry.h"
#include "runtime/ssdf/point_lattice.h"

namespace abut::contact::internal {

// A lattice together with the geometry whose points it samples.
struct SharedLattice {
  body::Geometry geometry;
  ssdf::PointLattice lattice;
  explicit SharedLattice(const body::Geometry& of) : geometry(of), lattice(geometry.points()) {}
};

// The lattices of the geometries that a model used most recently, at most kMax. Models of all threads share
// a geometry's lattice, which exists, and keeps the geometry alive, as long as one of them holds it.
class SharedLattices {
 public:
  static constexpr std::size_t kMax = 256;  // at least 2, for the two bodies of a pair

  // The lattice of an asset with oriented points; valid until kMax others have been requested.
  const ssdf::PointLattice& of(const body::Geometry& geometry);

 private:
  static std::shared_ptr<const SharedLattice> share(const body::Geometry& geometry);

  struct Held {
    std::shared_ptr<const SharedLattice> lattice;
    std::uint64_t asked = 0;  // request number of the latest use
  };
  void forget_oldest();

  std::unordered_map<std::uint64_t, Held> held_;  // by the geometry's id
  std::uint64_t questions_ = 0;
};

}  // namespace abut::contact::internal
