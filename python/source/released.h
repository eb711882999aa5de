#pragma once

#include <pybind11/pybind11.h>

// Releases the interpreter lock for long work, safely in threads that outlive the interpreter.
namespace abut::python {

// Lets other Python threads run during its lifetime. A thread that would reacquire the lock after the
// interpreter has begun to shut down sleeps for ever instead: Python would terminate it in the middle of C++
// frames.
class Released {
 public:
  Released() : state_(PyEval_SaveThread()) {}
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released();

 private:
  PyThreadState* state_;
};

// Registers for the end of Python (atexit) and for forks of the process.
void watch_for_the_end();

// Number of forks between the process that loaded the module and this one.
int forks();

}  // namespace abut::python
