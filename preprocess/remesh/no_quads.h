#pragma once

#include "runtime/core/error.h"

namespace abut::preprocess {

// A surface that no route makes quads of: no fault of parameters or file.
class NoQuads : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

// ... since it would take more work, by count, than an object is worth; no other route would be cheaper.
class TooMuchWork : public NoQuads {
 public:
  using NoQuads::NoQuads;
};

}  // namespace abut::preprocess
