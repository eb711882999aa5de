#include "runtime/dynamics/system/scene_lines.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>

#include "runtime/core/error.h"
#include "runtime/core/settings.h"

namespace abut::dynamics {
namespace {

constexpr double kQuaternionTolerance = 1e-3;  // largest deviation of |q| from 1 that is normalised

bool blank(char c) { return std::string_view(" \t\r\v\f").find(c) != std::string_view::npos; }

}  // namespace

void SceneLines::refuse(const std::string& what) const {
  constexpr std::size_t kMaxSaid = 1000;  // characters of a message: a word in it may be as long as its line
  throw InvalidInput(name_ + ":" + std::to_string(line_number_) + ": " +
                     (what.size() > kMaxSaid ? what.substr(0, kMaxSaid) + " ..." : what));
}

// Moves to the next line that is neither empty nor a comment, and sets keyword_ to its first word.
bool SceneLines::next_line() {
  std::string text;
  while (std::getline(in_, text)) {
    ++line_number_;
    if (text.find('\0') != std::string::npos)
      refuse("it contains a NUL byte: this is not a scene, or a damaged one");
    split(text);
    if (words_.empty()) continue;
    keyword_ = words_[0];
    at_ = 1;
    return true;
  }
  return false;
}

// Splits a line into words up to its comment. A quoted word may contain blanks and #, and a quote written
// twice.
void SceneLines::split(const std::string& text) {
  words_.clear();
  for (std::size_t i = 0;;) {
    while (i < text.size() && blank(text[i])) ++i;
    if (i == text.size() || text[i] == '#') return;
    std::string& word = words_.emplace_back();
    if (text[i] != '"') {
      for (; i < text.size() && !blank(text[i]) && text[i] != '#'; ++i) word += text[i];
      continue;
    }
    for (++i; i < text.size() && (text[i] != '"' || (i + 1 < text.size() && text[i + 1] == '"')); ++i) {
      word += text[i];
      if (text[i] == '"') ++i;
    }
    if (i == text.size()) refuse("a quote is not closed");
    if (++i < text.size() && !blank(text[i]) && text[i] != '#')
      refuse("no blank after the quoted name '" + word + "'");
    if (word.empty()) refuse("a name is empty");
  }
}

const std::string& SceneLines::word(const char* what) {
  if (at_ == words_.size()) refuse("'" + keyword_ + "' lacks " + what);
  return words_[at_++];
}

double SceneLines::number(const char* what) {
  const std::string& text = word(what);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    refuse("'" + text + "' is no finite number (" + what + ")" + name_advice(text));
  return value;
}

// Advice for a word in the place of a number, which may be the rest of an unquoted name.
const char* SceneLines::name_advice(const std::string& text) const {
  const bool named = keyword_ == "body" || keyword_ == "object" || keyword_ == "fixed" || keyword_ == "asset";
  const bool letter = !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0;
  return named && letter ? "; a name that has blanks stands in quotes" : "";
}

Vec3<double> SceneLines::vector(const char* what) {
  Vec3<double> result;
  for (int k = 0; k < 3; ++k) result[k] = number(what);
  return result;
}

std::array<double, 4> SceneLines::quaternion() {
  std::array<double, 4> q{};
  double squared = 0;
  for (double& entry : q) {
    entry = number("a quaternion (w, x, y, z)");
    squared += entry * entry;
  }
  const double length = std::sqrt(squared);
  if (!(std::abs(length - 1) <= kQuaternionTolerance))
    refuse("the quaternion (" + number_text(q[0]) + ", " + number_text(q[1]) + ", " + number_text(q[2]) +
           ", " + number_text(q[3]) + ") has length " + number_text(length) +
           "; it must be 1 to a thousandth: does the line lack a number, or have one too many, before it?");
  for (double& entry : q) entry /= length;
  return q;
}

Pose<double> SceneLines::pose() {
  const Vec3<double> p = vector("a position");
  const auto q = quaternion();
  return {rotation_from_quaternion(q[0], q[1], q[2], q[3]), p};
}

void SceneLines::end_of_line() {
  if (at_ == words_.size()) return;
  refuse("'" + words_[at_] + "' is more than '" + keyword_ + "' takes" +
         (keyword_ == "body" ? "; its shapes stand below it, one a line" : ""));
}

double SceneLines::at_least_zero(const char* what) {
  const double value = number(what);
  if (value < 0) refuse(std::string(what) + " is negative");
  return value;
}

std::string scene_word(const std::string& name, const std::string& who) {
  if (name.empty()) throw InvalidInput(who + " has no name");
  if (name.find('\n') != std::string::npos)
    throw InvalidInput(who + ": its name has an end of line, which scene files cannot hold");
  if (name.find_first_of(" \t\r\v\f#\"") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

std::string_view shape_word(const body::PrimitiveRow& row) {
  if (row.size_count == 0) return {};
  return row.name == "cylinder" ? "cyl" : row.name;
}

}  // namespace abut::dynamics
