#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "preprocess/mesh/topology.h"

// Homology of closed surfaces over Z/2.
namespace abut::preprocess {

using Word = std::uint64_t;

// For each edge a vector of bits such that a cycle separates the surface exactly if the vectors of its edges
// add up to zero [Busaryev et al. 2012].
struct Annotation {
  std::size_t words = 0;   // of an edge's vector; 0: genus 0, or too much memory
  std::vector<Word> bits;  // (edges, words)

  const Word* operator[](std::int32_t e) const { return bits.data() + words * static_cast<std::size_t>(e); }
  bool is_zero(std::int32_t e) const {
    return std::all_of((*this)[e], (*this)[e] + words, [](Word w) { return w == 0; });
  }
};

// By a tree of edges and a cotree of the rest [Erickson and Whittlesey 2005]: the bits are the dual cycles
// that cross the edge, one for each edge in neither.
Annotation annotate(const Topology& topology);

// Independent vectors, in echelon form.
class IndependentSet {
 public:
  // Takes the vector in if it is independent of those before.
  bool add(std::vector<Word> v);

 private:
  std::map<std::size_t, std::vector<Word>> rows_;
};

}  // namespace abut::preprocess
