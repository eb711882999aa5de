// Any small triangle soup: closed into a surface whose index can be built, or refused with an abut::Error.
// Bytes are vertices on a coarse grid (so that coincidences and degeneracies are common), then vertex
// indices.
#include "preprocess/index/index.h"
#include "preprocess/mesh/close.h"
#include "runtime/core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kVertices = 12;
  if (size < 3 * kVertices + 12) return 0;
  abut::preprocess::TriangleMesh soup;
  for (std::size_t i = 0; i < kVertices; ++i)
    soup.vertices.emplace_back(0.01 * (data[3 * i] % 8), 0.01 * (data[3 * i + 1] % 8),
                               0.01 * (data[3 * i + 2] % 8));
  for (std::size_t i = 3 * kVertices; i + 2 < size && soup.triangles.size() < 64; i += 3)
    soup.triangles.push_back({data[i] % 12, data[i + 1] % 12, data[i + 2] % 12});
  try {
    abut::preprocess::Report report;
    const auto closed = abut::preprocess::close_surface(soup, {}, report);
    (void)abut::preprocess::build_surface(closed.surface);
    (void)abut::preprocess::build_convex_piece(closed.hull_points);
  } catch (const abut::Error&) {
  }
  return 0;
}
