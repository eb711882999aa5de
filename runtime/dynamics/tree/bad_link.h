#pragma once

#include <cstddef>
#include <string>

#include "runtime/core/error.h"

namespace abut::dynamics {

// What Tree throws for a link, or its joint, that no tree can have.
class BadLink : public InvalidInput {
 public:
  BadLink(const std::string& what, std::size_t link) : InvalidInput(what), link_(link) {}

  std::size_t link() const { return link_; }  // its index

 private:
  std::size_t link_;
};

}  // namespace abut::dynamics
