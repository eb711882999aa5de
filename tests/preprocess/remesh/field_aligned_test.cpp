#include "preprocess/remesh/field_aligned.h"

#include <gtest/gtest.h>

#include "runtime/core/error.h"
#include "tests/preprocess/remesh/polygon_checks.h"
#include "tests/support/shapes.h"

namespace abut::preprocess {
namespace {

PolygonMesh remesh(const TriangleMesh& mesh, double edge_length) {
  FieldParameters parameters;
  parameters.edge_length = edge_length;
  Report report;
  return field_aligned_mesh(mesh, parameters, report);
}

TEST(FieldAligned, BoxHasItsEightCornersIrregularAndNoOther) {
  const test::PolygonCounts counts = test::count(remesh(test::box(0.1, 0.16, 0.06), 0.008));
  EXPECT_TRUE(counts.closed_manifold);
  EXPECT_EQ(counts.quads, counts.faces);
  EXPECT_EQ(counts.valences.at(3), 8U);
  EXPECT_EQ(counts.irregular(), 8U);
}

TEST(FieldAligned, RefusesBadInput) {
  Report report;
  FieldParameters parameters;
  EXPECT_THROW(field_aligned_mesh(test::box(1, 1, 1), parameters, report), InvalidInput);
  parameters.edge_length = 0.1;
  TriangleMesh open = test::box(1, 1, 1);
  open.triangles.pop_back();
  EXPECT_THROW(field_aligned_mesh(open, parameters, report), InvalidInput);
}

}  // namespace
}  // namespace abut::preprocess
