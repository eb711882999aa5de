#pragma once

#include "runtime/proximity/primitive_query.h"

// A primitive against a surface.
namespace abut::test {

inline body::Body body_of_surface(const asset::Surface& surface) {
  asset::Asset asset;
  asset.name = "scanned";
  asset.surfaces.push_back(surface);
  return {body::Geometry(std::move(asset))};
}

inline proximity::SurfaceWitness asked(const body::Pair& pair) {
  static proximity::PrimitiveScratch scratch;
  return proximity::primitive_separation(pair, scratch);
}

}  // namespace abut::test
