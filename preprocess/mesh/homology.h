#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "preprocess/mesh/topology.h"

// Homology of closed surfaces over Z/2.
namespace abut::preprocess {

using Word = std::uint64_t;

// For each edge a vector of bits such that a cycle separates the surface if and only if the vectors of its
// edges add up to zero [Busaryev et al. 2012].
struct Annotation {
  std::size_t words = 0;   // in an edge's vector; 0 for genus 0, or if it would need too much memory
  std::vector<Word> bits;  // (edges, words)

  const Word* operator[](std::int32_t e) const { return bits.data() + words * static_cast<std::size_t>(e); }
  bool is_zero(std::int32_t e) const {
    return std::all_of((*this)[e], (*this)[e] + words, [](Word w) { return w == 0; });
  }
};

// Computes the annotation from a spanning tree of the edges and a cotree of the remaining ones [Erickson and
// Whittlesey 2005]. Each edge in neither of them closes a dual cycle; an edge's bits say which of these
// cycles cross it.
Annotation annotate(const Topology& topology);

// A set of linearly independent vectors, kept in echelon form.
class IndependentSet {
 public:
  // Adds the vector if it is independent of those in the set; returns whether it was.
  bool add(std::vector<Word> v);

 private:
  std::map<std::size_t, std::vector<Word>> rows_;
};

}  // namespace abut::preprocess
