#pragma once

#include <memory>
#include <utility>

#include "runtime/body/body.h"

namespace abut::test {

// A body of an asset that outlives it: nothing is copied.
inline body::Body body_of(const asset::Asset& asset, const body::Material& material = {}) {
  return {body::Geometry(std::shared_ptr<const asset::Asset>(std::shared_ptr<void>(), &asset)), material};
}

// A body of a hull alone, which it keeps.
inline body::Body hull_body(asset::ConvexPiece piece) {
  asset::Asset asset;
  asset.convex.push_back(std::move(piece));
  return {body::Geometry(std::move(asset))};
}

// A body that is a primitive.
inline body::Body body_of(const body::Primitive& primitive, const body::Material& material = {}) {
  return {body::Geometry(primitive), material};
}

}  // namespace abut::test
