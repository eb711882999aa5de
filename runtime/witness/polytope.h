#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/witness/difference.h"

// The data structures of an expanding polytope (epa.h).
namespace abut::witness {

// An edge as seen from one of its two faces: 4 face + k, where edge k runs from corner k to corner k + 1.
using HalfEdge = std::int32_t;

// A triangle of the polytope, given by the indices of its corners.
struct PolytopeFace {
  std::int32_t corner[3];  // counter-clockwise seen from outside
  HalfEdge across[3];      // the same edges as seen from the neighbouring faces
  bool alive;              // false: the face has been replaced
};

// An array that only grows: elements beyond `size` serve as scratch, and room for them is made in advance.
template <class T>
struct Pool {
  std::vector<T> storage;  // the elements, then scratch
  std::int32_t size = 0;   // number of elements

  // Makes an empty pool with that many elements allocated.
  explicit Pool(std::size_t room) : storage(room) {}
  // Makes room to push `more` elements.
  void make_room(std::size_t more) {
    const std::size_t needed = static_cast<std::size_t>(size) + more;
    if (needed > storage.size()) storage.resize(std::max(needed, 2 * storage.size()));
  }
  // Copies the elements of another pool.
  void copy(const Pool& other) {
    size = 0;
    make_room(static_cast<std::size_t>(other.size));
    std::copy_n(other.storage.begin(), other.size, storage.begin());
    size = other.size;
  }
  T& operator[](std::int32_t i) { return storage.data()[i]; }              // unchecked
  const T& operator[](std::int32_t i) const { return storage.data()[i]; }  // unchecked
  void push(const T& value) { storage.data()[size++] = value; }            // after make_room()
};

// Planes of the faces, each component in an array of its own, so that several are computed and searched at a
// time.
template <class S>
struct FacePlanes {
  std::vector<S> mx, my, mz;  // outward unit normal; zero for a face without area
  std::vector<S> offset;      // m; infinite for a face without area
  std::vector<S> waiting;     // the offset if the face may be the nearest, otherwise infinite

  explicit FacePlanes(std::size_t room) { resize(room); }  // makes room for that many faces
  // Makes room for that many faces and keeps the existing planes.
  void resize(std::size_t room) {
    for (std::vector<S>* list : {&mx, &my, &mz, &offset, &waiting}) list->resize(room);
  }
  Vec3<S> normal(std::int32_t f) const { return {mx.data()[f], my.data()[f], mz.data()[f]}; }  // of face f
};

// Reusable scratch memory of a query. It is allocated on construction, and grows only for a pair that needs
// more than any before it.
template <class S>
struct Workspace {
  // A face in the queue.
  struct Entry {
    S offset;           // of its plane, m
    std::int32_t face;  // its index
  };
  // An edge of the horizon, which separates the faces that the new vertex sees from the others.
  struct Rim {
    HalfEdge edge;        // of a live face
    std::int32_t corner;  // where the edge ends: the faces around the new vertex run the other way
  };
  static constexpr std::size_t kRoom = 2048;  // faces

  Pool<DifferenceVertex<S>> vertices{256};  // of the polytope, including those no longer on it
  Pool<PolytopeFace> faces{kRoom};          // alive or not
  FacePlanes<S> planes{kRoom};              // of the faces
  Pool<Rim> horizon{2 * kRoom};             // in order around the new vertex
  // Edges still to cross in the walk over the faces that the new vertex sees.
  std::vector<HalfEdge> stack = std::vector<HalfEdge>(2 * kRoom);
  Pool<std::int32_t> hidden{kRoom};  // faces that the new vertex replaces
  // Vectors from the new vertex to the horizon's corners: all x, then all y, then all z.
  std::vector<S> edges = std::vector<S>(6 * kRoom);
  Pool<Entry> queue{kRoom};  // faces that may be the nearest; used if they are many

  // Copies the vertices and faces of another workspace.
  void copy_polytope(const Workspace& other) {
    vertices.copy(other.vertices);
    if (other.faces.storage.size() > faces.storage.size()) grow(other.faces.storage.size());
    faces.copy(other.faces);
  }

  // Whether a vertex is one of the 64 most recent; to save time, checked only once there are 256 or more.
  bool is_recent(const DifferenceVertex<S>& vertex) const {
    constexpr std::int32_t kMany = 256, kLast = 64;
    for (std::int32_t i = vertices.size - kLast; vertices.size >= kMany && i < vertices.size; ++i)
      if (vertices[i].same_point(vertex)) return true;
    return false;
  }

  // Makes room for a cone over the horizon, and for finding the next horizon.
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
