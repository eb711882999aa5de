#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "runtime/body/geometry.h"
#include "runtime/ssdf/point_lattice.h"

namespace abut::contact::internal {

// A lattice with the geometry whose points are in it.
struct SharedLattice {
  body::Geometry geometry;
  ssdf::PointLattice lattice;
  explicit SharedLattice(const body::Geometry& of) : geometry(of), lattice(geometry.points()) {}
};

// The lattices of the geometries that a model met. Models of all threads share that of a geometry, which is
// there as long as one of them holds it, and with it the geometry.
class SharedLattices {
 public:
  // Of an asset with oriented points.
  const ssdf::PointLattice& of(const body::Geometry& geometry);

 private:
  static std::shared_ptr<const SharedLattice> share(const body::Geometry& geometry);

  std::unordered_map<std::uint64_t, std::shared_ptr<const SharedLattice>> held_;  // by the geometry's id
};

}  // namespace abut::contact::internal
