#pragma once

#include <cstdio>
#include <exception>
#include <string>

namespace abut::benchmarks {

// The figures that a program holds to (docs/measurements.md), each told on standard error; the program ends
// with verdict(): 0 where all of them are met and there is one. NaN meets none.
class Promises {
 public:
  void at_most(const std::string& what, double value, double bound) {
    tell(what, value, "at most", bound, value <= bound);
  }
  void at_least(const std::string& what, double value, double bound) {
    tell(what, value, "at least", bound, value >= bound);
  }
  int verdict() const {
    if (told_ == 0) std::fprintf(stderr, "no figure was looked at\n");
    return broken_ || told_ == 0 ? 1 : 0;
  }

 private:
  void tell(const std::string& what, double value, const char* relation, double bound, bool met) {
    std::fprintf(stderr, "%s: %s: %.4g, promised %s %.4g\n", met ? "met" : "NOT MET", what.c_str(), value,
                 relation, bound);
    broken_ = broken_ || !met;
    ++told_;
  }

  bool broken_ = false;
  int told_ = 0;
};

// A program's exit status: that of `run`, or 1 with the message of what it throws.
inline int guarded(const char* name, int (*run)(int, char**), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: error: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace abut::benchmarks
