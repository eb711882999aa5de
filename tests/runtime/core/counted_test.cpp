#include "runtime/core/counted.h"

#include <gtest/gtest.h>

namespace {

using abut::counted;

TEST(Counted, OneIsOne) {
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(2, "row"), "2 rows");
  EXPECT_EQ(counted(1, "vertex", "vertices"), "1 vertex");
  EXPECT_EQ(counted(3, "vertex", "vertices"), "3 vertices");
}

}  // namespace
