#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

// The checks of a COLLADA file's elements. They follow the order in which assimp reads elements, and the
// places where it looks for what a reference names. Internal to readable_collada.
namespace abut::preprocess::collada {

// A position in a file, for messages.
struct Place {
  std::string_view content;
  const std::filesystem::path& file;

  // Throws InvalidInput with the file and the line of this byte.
  [[noreturn]] void refuse(std::ptrdiff_t byte, const std::string& what) const;
  [[noreturn]] void refuse(pugi::xml_node element, const std::string& what) const {
    refuse(element.offset_debug(), what);
  }
};

// The text of an element that holds words between blanks.
struct Text {
  std::string_view all;
  std::ptrdiff_t byte = 0;  // its offset in the file
};

// Refuses a text in several parts, as between comments, of which assimp reads the first alone.
Text text_of(pugi::xml_node element, const Place& place);

// The first word of `rest`, which is moved past it. Empty at the end.
std::string_view next_word(std::string_view& rest);
std::size_t count_words(std::string_view text);
std::string_view trimmed(std::string_view text);
// A word of the file for a message: its beginning.
std::string shown(std::string_view word);

// A finite number, with or without sign, that assimp reads as well.
std::optional<double> finite_number(std::string_view word);
// A whole number from 0 on that fits 32 bits with a sign, as assimp reads indices.
std::optional<std::uint32_t> whole_number(std::string_view word);

// A whole number in an attribute; `otherwise` if there is no such attribute. Refuses anything else.
std::size_t whole_attribute(pugi::xml_node element, const char* name, std::size_t otherwise,
                            const Place& place);

// The id to which an attribute like url="#id" refers. Refuses one that is missing, very long, or of another
// file.
std::string reference(pugi::xml_node element, const char* attribute, const Place& place);

// Whether an element is directly in a library of the file, or in its <scene>.
bool is_in(pugi::xml_node element, std::string_view library);

// Arrays of numbers, and the sources whose accessors read them. Ids are those of the whole file.
class Sources {
 public:
  explicit Sources(const Place& place) : place_(place) {}

  // Adds a <float_array>. Refuses a count that is not the number of its values.
  void add_array(pugi::xml_node array);
  // Adds a <source>.
  void add(pugi::xml_node source);

  // The number of elements in the source that an <input> names. Refuses an accessor that goes beyond its
  // array.
  std::size_t count_of(pugi::xml_node input);
  // Likewise for positions: also refuses an accessor of anything but x, y and z, and values that are no
  // finite numbers.
  std::size_t count_of_positions(pugi::xml_node input);

 private:
  struct Array {
    pugi::xml_node element;
    std::size_t values = 0;
    bool is_twice = false, has_numbers = false;  // has_numbers: checked
  };
  struct Source {
    pugi::xml_node element;
    bool is_twice = false;
    Array* array = nullptr;  // null if not checked yet
    pugi::xml_node accessor{};
    std::size_t count = 0;
  };

  Source& find(pugi::xml_node input);
  void check_accessor(Source& source);
  void require_places(const Source& source) const;
  void require_numbers(Array& array) const;

  const Place& place_;
  std::unordered_map<std::string, Array> arrays_;
  std::unordered_map<std::string, Source> sources_;
};

// A <geometry> and the materials of its primitives that have faces, in their order.
struct Geometry {
  pugi::xml_node element;
  bool is_twice = false;  // whether another has its id
  std::vector<std::string> materials{};
};

// Checks the primitives of a geometry's mesh.
Geometry check_geometry(pugi::xml_node element, Sources& sources, const Place& place);

// Refuses transformations of a node that are not affine maps of space onto itself, or that assimp leaves out.
void check_frames(pugi::xml_node node, const Place& place);

// The nodes of all scenes and libraries, as assimp traverses those of the scene recursively: into nested
// nodes, and into the nodes that instances name, once for each instance.
class NodeGraph {
 public:
  explicit NodeGraph(const Place& place) : place_(place) {}

  // Called before everything else for an element at depth `level`, in the order of the file.
  void enter(int level);
  // Adds a <node> or <visual_scene>; leaves it out where assimp does.
  void add(pugi::xml_node element, int level);
  // Notes the <instance_visual_scene>.
  void set_scene(pugi::xml_node instance);

  // Refuses a scene in which references lead nowhere, to several elements or in a circle, nodes that are
  // nested very deeply or expand to very many, and transformations and meshes that are read wrongly.
  void require_readable(const std::unordered_map<std::string, Geometry>& geometries);

 private:
  static constexpr std::size_t kDeepest = 1000, kMax = 1'000'000;
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  using Numbers = std::unordered_map<std::string, std::vector<std::size_t>>;
  struct Node {
    pugi::xml_node element;
    std::size_t scene;   // its visual scene; kNone if it is of a library
    bool is_in_library;  // whether it is directly in a library, where assimp looks first
    std::vector<std::size_t> children{};
    std::size_t size = 0;   // number of nodes and primitives in it, itself included; 0 if unknown
    std::size_t depth = 0;  // nesting depth below it
    bool is_open = false, has_meshes = false;
  };
  struct Within {
    std::size_t node;
    int level;
  };

  [[noreturn]] void refuse_deep(const Node& node) const;
  void require_few(std::size_t size, const Node& node) const;
  std::size_t the_only(const std::vector<std::size_t>& found, pugi::xml_node instance) const;
  std::vector<std::size_t> in_libraries(const std::string& id) const;
  std::size_t scene() const;
  std::size_t find(pugi::xml_node instance, std::size_t scene);
  std::size_t search(const std::string& id, pugi::xml_node instance, std::size_t scene) const;
  void measure(std::size_t index, std::size_t above, std::size_t scene);
  std::size_t add_meshes(const Node& node);
  std::size_t add_mesh(pugi::xml_node instance);

  const Place& place_;
  const std::unordered_map<std::string, Geometry>* geometries_ = nullptr;
  std::vector<Node> nodes_;
  std::vector<Within> within_;  // the current node's ancestors and the last node itself, outermost first
  Numbers ids_, names_;
  std::unordered_map<std::string, std::size_t> found_;  // what instances name, by their ids
  pugi::xml_node scene_instance_;
  std::set<std::tuple<std::string, std::size_t, std::string>> placed_;  // geometry, its part, its material
};

}  // namespace abut::preprocess::collada
