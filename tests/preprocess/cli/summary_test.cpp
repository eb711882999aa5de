#include "preprocess/cli/summary.h"

#include <gtest/gtest.h>

namespace {

using namespace abut::preprocess;

TEST(StatusText, MendedIsSaidOfChangesOfTheSurfaceAlone) {
  ObjectResult object;
  object.status = ObjectStatus::kMade;
  object.measures["surface_changes"] = 0;
  object.warnings = {"volume 0: 1460 tetrahedra instead of 3000"};
  EXPECT_EQ(status_text(object), "ok");
  object.measures["surface_changes"] = 1;
  EXPECT_EQ(status_text(object), "ok, mended");
}

}  // namespace
