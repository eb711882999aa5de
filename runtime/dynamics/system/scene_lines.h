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

// A scene file (scene_file.h) as lines of words, and the words of a line as what they stand for. What cannot
// be read throws InvalidInput naming file and line.
class SceneLines {
 public:
  SceneLines(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  [[noreturn]] void refuse(const std::string& what) const;

  // The next line that says something; its first word is keyword(). False at the end of the file.
  bool next_line();

  const std::string& file() const { return name_; }
  int line_number() const { return line_number_; }
  const std::string& keyword() const { return keyword_; }
  std::size_t words_left() const { return words_.size() - at_; }
  const std::string& peek() const { return words_[at_]; }  // where there are words left

  // The next words of the line; `what` names in a message what was looked for.
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
  std::vector<std::string> words_;  // of the line at hand
  std::size_t at_ = 0;              // the next of them
  std::string keyword_;             // the first
  int line_number_ = 0;
};

// A name as one word of a line, in quotes where it needs them. Throws InvalidInput, naming `who`, for one
// that is empty or has an end of line.
std::string scene_word(const std::string& name, const std::string& who);

// The word for a kind of primitive: the name of its row, `cyl` for a cylinder; empty for a half-space, which
// is no shape of a body.
std::string_view shape_word(const body::PrimitiveRow& row);

}  // namespace abut::dynamics
