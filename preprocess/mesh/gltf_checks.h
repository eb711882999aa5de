#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "preprocess/mesh/gltf_json.h"

// The checks of a glTF document. Internal to require_readable_gltf.
namespace abut::preprocess::gltf {

// Whether a componentType is one of indices.
bool is_unsigned(std::size_t component);

// An accessor whose elements lie in its buffer.
struct Accessor {
  std::size_t component = 0;  // its componentType
  std::string type;
  std::size_t count = 0, size = 0;     // number of its elements; bytes of each
  std::optional<std::size_t> view;     // none if all elements are zero but for sparse ones
  std::size_t offset = 0, stride = 0;  // bytes, in the view
  bool is_sparse = false;
};

// The buffers, the views of them, and the accessors.
class Buffers {
 public:
  // Refuses buffers that are not whole, and views and accessors that go beyond what they read or that assimp
  // reads otherwise.
  explicit Buffers(const Document& document);

  const Accessor& accessor(std::size_t index) const { return accessors_[index]; }

  // The largest of an accessor's numbers, which are whole.
  std::size_t largest(std::size_t accessor);

 private:
  struct View {
    std::size_t buffer = 0, offset = 0, length = 0, stride = 0;  // bytes; stride 0 if not stated
  };
  struct Sparse {
    std::size_t count = 0, size = 0;  // size: bytes of an index
    const char* indices = nullptr;
    const char* values = nullptr;

    std::size_t index(std::size_t k) const;
  };

  void add_buffer(std::size_t index);
  void add_view(std::size_t index);
  void add_accessor(std::size_t index);
  std::string_view bytes(std::size_t view) const;
  Sparse sparse(const Json& item, const Accessor& accessor, const std::string& name) const;

  const Document& document_;
  std::vector<std::string> stored_;  // bytes of buffers that are not the chunk of a .glb
  std::vector<std::string_view> buffers_;
  std::vector<bool> is_loaded_;
  std::vector<View> views_;
  std::vector<Accessor> accessors_;
  std::vector<Sparse> sparse_;
  std::vector<std::optional<std::size_t>> largest_;  // of each accessor, once it is known
};

// Refuses meshes whose primitives lack data, have numbers of other types, or indices that are no vertices.
void require_meshes(const Document& document, Buffers& buffers);

// Refuses animations with fewer values than times, beyond which assimp reads.
void require_animations(const Document& document, const Buffers& buffers);

// Refuses nodes that are not a tree or form a very deep one, and transformations that are not affine maps of
// space onto itself or are stated in a way that assimp reads otherwise.
void require_nodes(const Document& document);

}  // namespace abut::preprocess::gltf
