#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "runtime/cli/say.h"

namespace abut::cli {

// Collects the failures of work whose parts run even if others fail: the first failure becomes that of the
// program, the others are reported at once.
class Failures {
 public:
  explicit Failures(std::string program) : program_(std::move(program)) {}

  // Runs work() and records what it throws.
  template <class Work>
  void attempt(Work&& work) {
    try {
      work();
    } catch (const std::bad_alloc&) {
      note("out of memory");
    } catch (const std::exception& error) {
      note(error.what());
    }
  }

  bool any() const { return first_ != nullptr; }

  // Throws the first failure, if there is one.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  // Must be called within a handler.
  void note(const std::string& message) {
    if (!first_) {
      first_ = std::current_exception();
      said_ = message;
    } else if (message != said_) {
      say_error(program_, message);
    }
  }

  std::string program_, said_;
  std::exception_ptr first_;
};

}  // namespace abut::cli
