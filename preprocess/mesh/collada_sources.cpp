#include <fmt/format.h>

#include <algorithm>

#include "preprocess/mesh/collada_checks.h"
#include "runtime/core/counted.h"

namespace abut::preprocess::collada {

void Sources::add_array(pugi::xml_node element) {
  const std::size_t values = count_words(text_of(element, place_).all);
  const std::size_t promised = whole_attribute(element, "count", 0, place_);
  if (values != promised)
    place_.refuse(element,
                  fmt::format("<float_array> '{}' of count {} has {}", shown(element.attribute("id").value()),
                              promised, counted(values, "value")));
  const auto [known, is_new] = arrays_.try_emplace(element.attribute("id").value());
  known->second.is_twice = !is_new;
  known->second.element = element;
  known->second.values = values;
}

void Sources::add(pugi::xml_node element) {
  const auto [known, is_new] = sources_.try_emplace(element.attribute("id").value());
  known->second.is_twice = !is_new;
  known->second.element = element;
}

Sources::Source& Sources::find(pugi::xml_node input) {
  const std::string id = reference(input, "source", place_);
  const auto found = sources_.find(id);
  if (found == sources_.end()) place_.refuse(input, fmt::format("there is no <source> '{}'", shown(id)));
  if (found->second.is_twice)
    place_.refuse(found->second.element, fmt::format("two <source> have the id '{}'", shown(id)));
  if (!found->second.array) check_accessor(found->second);
  return found->second;
}

void Sources::check_accessor(Source& source) {
  const std::string name = shown(source.element.attribute("id").value());
  const pugi::xml_node accessor = source.element.child("technique_common").child("accessor");
  if (!accessor) place_.refuse(source.element, fmt::format("<source> '{}' has no <accessor>", name));
  const std::string id = reference(accessor, "source", place_);
  const auto array = arrays_.find(id);
  if (array == arrays_.end())
    place_.refuse(accessor, fmt::format("there is no <float_array> '{}'", shown(id)));
  if (array->second.is_twice)
    place_.refuse(array->second.element, fmt::format("two <float_array> have the id '{}'", shown(id)));
  const std::size_t count = whole_attribute(accessor, "count", 0, place_);
  const std::size_t stride = whole_attribute(accessor, "stride", 1, place_);
  const std::size_t offset = whole_attribute(accessor, "offset", 0, place_);
  const auto params = accessor.children("param");
  const auto read = static_cast<std::size_t>(std::distance(params.begin(), params.end()));
  if (stride < read)
    place_.refuse(accessor, fmt::format("the accessor of <source> '{}' has {}, but a stride of {}", name,
                                        counted(read, "<param>"), stride));
  if (const std::size_t end = offset + (count - 1) * stride + std::max<std::size_t>(read, 1);
      count > 0 && end > array->second.values)
    place_.refuse(accessor, fmt::format("the accessor of <source> '{}' reads {} values of an array of {}",
                                        name, end, array->second.values));
  source.accessor = accessor;
  source.count = count;
  source.array = &array->second;
}

// Assimp takes the axes from the names of the parameters, the first value for one without name, and other
// letters for axes, too.
void Sources::require_places(const Source& source) const {
  std::string axes;
  bool are_numbers = true;
  for (const pugi::xml_node param : source.accessor.children("param")) {
    const std::string_view name = param.attribute("name").value(), type = param.attribute("type").value();
    if (name.size() == 1 && std::string_view("XYZRGBSTPUV").find(name) != std::string_view::npos)
      axes += name;
    are_numbers = are_numbers && (type == "float" || type == "double" || type.empty());
  }
  std::sort(axes.begin(), axes.end());
  if (axes != "XYZ" || !are_numbers)
    place_.refuse(source.accessor,
                  fmt::format("the accessor of positions in <source> '{}' does not have the parameters X, Y "
                              "and Z, one number each",
                              shown(source.element.attribute("id").value())));
}

void Sources::require_numbers(Array& array) const {
  if (std::exchange(array.has_numbers, true)) return;
  const Text text = text_of(array.element, place_);
  std::string_view rest = text.all;
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest))
    if (!finite_number(word))
      place_.refuse(text.byte + (word.data() - text.all.data()),
                    fmt::format("'{}' in <float_array> '{}' is no finite number", shown(word),
                                shown(array.element.attribute("id").value())));
}

std::size_t Sources::count_of(pugi::xml_node input) { return find(input).count; }

std::size_t Sources::count_of_positions(pugi::xml_node input) {
  const Source& source = find(input);
  require_places(source);
  require_numbers(*source.array);
  return source.count;
}

}  // namespace abut::preprocess::collada
