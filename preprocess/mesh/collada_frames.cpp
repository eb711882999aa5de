#include <fmt/format.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "preprocess/mesh/affine.h"
#include "preprocess/mesh/collada_checks.h"
#include "runtime/core/counted.h"

namespace abut::preprocess::collada {
namespace {

// Reads the numbers of a transformation; refuses another number of them.
template <std::size_t N>
std::array<double, N> numbers_of(pugi::xml_node element, const Place& place) {
  const Text text = text_of(element, place);
  if (const std::size_t words = count_words(text.all); words != N)
    place.refuse(element, fmt::format("<{}> has {}, not {}", element.name(), counted(words, "number"), N));
  std::array<double, N> numbers{};
  std::string_view rest = text.all;
  for (double& number : numbers) {
    const std::string_view word = next_word(rest);
    const auto value = finite_number(word);
    if (!value)
      place.refuse(text.byte + (word.data() - text.all.data()),
                   fmt::format("'{}' in <{}> is no finite number", shown(word), element.name()));
    number = *value;
  }
  return numbers;
}

void check_matrix(pugi::xml_node element, const Place& place) {
  const std::array<double, 16> numbers = numbers_of<16>(element, place);
  const Eigen::Matrix4d X = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>::Map(numbers.data());
  if (!is_affine(X)) place.refuse(element, "the last row of <matrix> is not 0 0 0 1");
  if (is_singular(X.topLeftCorner<3, 3>())) place.refuse(element, "<matrix> flattens what is in its node");
}

// Assimp takes the axis as one of length 1.
void check_rotation(pugi::xml_node element, const Place& place) {
  const auto [x, y, z, degrees] = numbers_of<4>(element, place);
  if (const double length = std::hypot(x, y, z); degrees != 0 && !is_unit(length))
    place.refuse(element, fmt::format("the axis of <rotate> has the length {:.4g}, not 1", length));
}

void check_scale(pugi::xml_node element, const Place& place) {
  const auto [x, y, z] = numbers_of<3>(element, place);
  if (is_singular(Eigen::Vector3d(x, y, z).asDiagonal()))
    place.refuse(element, "<scale> flattens what is in its node");
}

}  // namespace

void check_frames(pugi::xml_node node, const Place& place) {
  for (const pugi::xml_node element : node.children()) {
    const std::string_view name = element.name();
    if (name == "matrix") check_matrix(element, place);
    if (name == "rotate") check_rotation(element, place);
    if (name == "scale") check_scale(element, place);
    if (name == "translate") numbers_of<3>(element, place);
    if (name == "lookat")
      place.refuse(element, "<lookat> of a node with a mesh is not read: make it a <matrix>");
  }
}

}  // namespace abut::preprocess::collada
