#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "datasets/household.h"

namespace abut::test {

// Tests on the synthetic household set, clean and with faults, both written once.
class HouseholdSets : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string pattern = (std::filesystem::temp_directory_path() / "abut_household_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    clean_ = datasets::write_household(root_ / "clean");
    dirty_ = datasets::write_household(root_ / "dirty", {.dirty = true});
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(root_); }

  static inline std::filesystem::path root_;
  static inline datasets::Household clean_, dirty_;
};

}  // namespace abut::test
