#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/pressure_field_data.h"

namespace abut::test {

// Tests on the reference poses; skipped without them.
class PressureFieldQueries : public testing::Test {
 protected:
  void SetUp() override {
    queries_ = read_pressure_field_queries();
    if (queries_.empty()) GTEST_SKIP() << "needs the reference data in " << pressure_field_folder();
  }
  std::vector<PressureFieldQuery> queries_;
};

}  // namespace abut::test
