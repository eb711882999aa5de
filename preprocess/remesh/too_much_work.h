#pragma once

#include "runtime/core/error.h"

namespace abut::preprocess {

// A surface that would take more work to remesh, by count, than an object is worth: no fault of parameters or
// file, and no other route would be cheaper.
class TooMuchWork : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

}  // namespace abut::preprocess
