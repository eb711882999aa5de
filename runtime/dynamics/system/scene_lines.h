#pragma once

#include <array>
#include <cstddef>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/body/primitive.h"
#include "runtime/math/pose.h"

namespace abut::dynamics {

// Splits a scene file (scene_file.h) into lines of words, and parses the words of a line as numbers, vectors
// and poses. Throws InvalidInput, naming file and line, for what it cannot parse.
class SceneLines {
 public:
  SceneLines(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  [[noreturn]] void refuse(const std::string& what) const;

  // Moves to the next line that is neither empty nor a comment; its first word is keyword(). Returns false at
  // the end of the file.
  bool next_line();

  const std::string& file() const { return name_; }
  int line_number() const { return line_number_; }
  const std::string& keyword() const { return keyword_; }
  std::size_t words_left() const { return words_.size() - at_; }
  const std::string& peek() const { return words_[at_]; }  // next word; words_left() must be > 0

  // Parse the next words of the line; `what` names the expected item in messages.
  const std::string& word(const char* what);
  double number(const char* what);
  double at_least_zero(const char* what);
  Vec3<double> vector(const char* what);
  std::array<double, 4> quaternion();  // (w, x, y, z), normalised
  Pose<double> pose();
  void end_of_line();

 private:
  void split(const std::string& text);
  const char* name_advice(const std::string& text) const;

  std::istream& in_;
  std::string name_;
  std::vector<std::string> words_;  // of the current line
  std::size_t at_ = 0;              // index of the next word
  std::string keyword_;             // first word of the line
  int line_number_ = 0;
};

// Returns a name as one word of a line, in quotes where necessary. Throws InvalidInput, naming `who`, for a
// name that is empty or contains an end of line.
std::string scene_word(const std::string& name, const std::string& who);

// The word for a kind of primitive: the name of its row, `cyl` for a cylinder; empty for a half-space, which
// is no shape of a body.
std::string_view shape_word(const body::PrimitiveRow& row);

}  // namespace abut::dynamics
