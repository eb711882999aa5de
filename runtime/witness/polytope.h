#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/witness/difference.h"

// The memory of an expanding polytope (epa.h).
namespace abut::witness {

// An edge seen from one of its two faces: 4 face + number; edge k runs from corner k to corner k + 1.
using HalfEdge = std::int32_t;

struct PolytopeFace {
  std::int32_t corner[3];  // counter-clockwise seen from outside
  HalfEdge across[3];      // the same edges seen from the neighbours
  bool alive;
};

// An array that only grows: elements beyond `size` are kept as scratch, room for them is made ahead.
template <class T>
struct Pool {
  std::vector<T> storage;
  std::int32_t size = 0;

  explicit Pool(std::size_t room) : storage(room) {}
  void make_room(std::size_t more) {
    const std::size_t needed = static_cast<std::size_t>(size) + more;
    if (needed > storage.size()) storage.resize(std::max(needed, 2 * storage.size()));
  }
  void copy(const Pool& other) {
    size = 0;
    make_room(static_cast<std::size_t>(other.size));
    std::copy_n(other.storage.begin(), other.size, storage.begin());
    size = other.size;
  }
  T& operator[](std::int32_t i) { return storage.data()[i]; }
  const T& operator[](std::int32_t i) const { return storage.data()[i]; }
  void push(const T& value) { storage.data()[size++] = value; }
};

// Planes of the faces, each number in an array of its own, so that several are made and searched at a time.
template <class S>
struct FacePlanes {
  std::vector<S> mx, my, mz;  // outward unit normal; zero for a face without area
  std::vector<S> offset;      // m; infinite for a face without area
  std::vector<S> waiting;     // the offset if the face may be the nearest, infinite otherwise

  explicit FacePlanes(std::size_t room) { resize(room); }
  void resize(std::size_t room) {
    for (std::vector<S>* list : {&mx, &my, &mz, &offset, &waiting}) list->resize(room);
  }
  Vec3<S> normal(std::int32_t f) const { return {mx.data()[f], my.data()[f], mz.data()[f]}; }
};

// Reusable memory of a query. It is reserved when made, and grows only for a pair that needs more than any
// before it.
template <class S>
struct Workspace {
  struct Entry {
    S offset;
    std::int32_t face;
  };
  struct Rim {
    HalfEdge edge;        // of a live face
    std::int32_t corner;  // where the edge ends: the faces around the new vertex run the other way
  };
  static constexpr std::size_t kRoom = 2048;  // faces

  Pool<DifferenceVertex<S>> vertices{256};
  Pool<PolytopeFace> faces{kRoom};
  FacePlanes<S> planes{kRoom};   // of the faces
  Pool<Rim> horizon{2 * kRoom};  // in order around the new vertex
  std::vector<HalfEdge> stack = std::vector<HalfEdge>(2 * kRoom);
  Pool<std::int32_t> hidden{kRoom};  // faces that the new vertex replaces
  // From the new vertex to the horizon's corners: all x, then all y, then all z.
  std::vector<S> edges = std::vector<S>(6 * kRoom);
  Pool<Entry> queue{kRoom};  // faces that may be the nearest, where they are many

  // Takes the vertices and faces of another workspace.
  void copy_polytope(const Workspace& other) {
    vertices.copy(other.vertices);
    if (other.faces.storage.size() > faces.storage.size()) grow(other.faces.storage.size());
    faces.copy(other.faces);
  }

  // Makes room for a cone over the horizon, and for finding the next one.
  void make_room() {
    const std::size_t room = static_cast<std::size_t>(faces.size + horizon.size) + 8;
    if (room > faces.storage.size()) grow(2 * room);
  }

 private:
  [[gnu::noinline, gnu::cold]] void grow(std::size_t room) {
    faces.storage.resize(room);
    planes.resize(room);
    horizon.storage.resize(2 * room);
    stack.resize(2 * room);
    hidden.storage.resize(room);
    edges.resize(6 * room);
  }
};

}  // namespace abut::witness
