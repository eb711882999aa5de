#pragma once

#include "runtime/core/error.h"

namespace abut::preprocess {

// Thrown for a surface that no remeshing route turns into quads, although parameters and file are valid.
class NoQuads : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

// Thrown if quads would take more work, by count, than an object warrants; no other route would be cheaper.
class TooMuchWork : public NoQuads {
 public:
  using NoQuads::NoQuads;
};

}  // namespace abut::preprocess
