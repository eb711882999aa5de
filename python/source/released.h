#pragma once

#include <pybind11/pybind11.h>

// Long work without the interpreter lock, safe in threads that outlive the interpreter.
namespace abut::python {

// Lets other Python threads run while it lives. A thread that would take the lock again after the interpreter
// has begun to end sleeps instead, for ever: Python would end it in the middle of C++ frames.
class Released {
 public:
  Released() : state_(PyEval_SaveThread()) {}
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released();

 private:
  PyThreadState* state_;
};

// Has Python announce its end (atexit), and the system that of a fork.
void watch_for_the_end();

// How many forks made this process of the one that loaded the module.
int forks();

}  // namespace abut::python
