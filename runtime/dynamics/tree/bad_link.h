#pragma once

#include <cstddef>
#include <string>

#include "runtime/core/error.h"

namespace abut::dynamics {

// Thrown by Tree for a link or joint that is invalid.
class BadLink : public InvalidInput {
 public:
  BadLink(const std::string& what, std::size_t link) : InvalidInput(what), link_(link) {}

  std::size_t link() const { return link_; }  // index of the invalid link

 private:
  std::size_t link_;
};

}  // namespace abut::dynamics
