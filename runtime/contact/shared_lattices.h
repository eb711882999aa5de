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

// The lattices of the geometries that a model met last, kMost of them. Models of all threads share that of a
// geometry, which is there as long as one of them holds it, and with it the geometry.
class SharedLattices {
 public:
  static constexpr std::size_t kMost = 256;  // beyond 2, those of a pair

  // Of an asset with oriented points; valid until as many others were asked for.
  const ssdf::PointLattice& of(const body::Geometry& geometry);

 private:
  static std::shared_ptr<const SharedLattice> share(const body::Geometry& geometry);

  struct Held {
    std::shared_ptr<const SharedLattice> lattice;
    std::uint64_t asked = 0;  // when, in questions
  };
  void forget_oldest();

  std::unordered_map<std::uint64_t, Held> held_;  // by the geometry's id
  std::uint64_t questions_ = 0;
};

}  // namespace abut::contact::internal
