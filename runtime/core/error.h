#pragma once

#include <stdexcept>
#include <string>

// Typed exceptions for bad input. A message is one line that names the file, the object or the element, what
// is wrong with it and, where there is one, the remedy. Ordinary numerical outcomes are not errors: see
// status.h.
namespace abut {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The caller's data or arguments are unusable: a mesh, a pose, a parameter.
class InvalidInput : public Error {
 public:
  using Error::Error;
};

// An asset file is damaged, not an asset, or of a schema that this build does not know.
class BadAsset : public Error {
 public:
  using Error::Error;
};

// The operating system refused: missing file, no permission, disk full.
class IoError : public Error {
 public:
  using Error::Error;
};

}  // namespace abut
