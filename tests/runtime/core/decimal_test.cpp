#include "runtime/core/decimal.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using abut::decimal;

TEST(Decimal, NumbersAsPeopleWriteThem) {
  EXPECT_EQ(decimal<std::int64_t>("1750"), 1750);
  EXPECT_EQ(decimal<std::int64_t>("+8"), 8);
  EXPECT_EQ(decimal<std::int64_t>("-8"), -8);
  EXPECT_EQ(decimal<std::int64_t>("0"), 0);
  EXPECT_EQ(decimal<double>("0.5"), 0.5);
  EXPECT_EQ(decimal<double>(".5"), 0.5);
  EXPECT_EQ(decimal<double>("0e3"), 0);
  EXPECT_EQ(decimal<double>("-1e3"), -1000);
  EXPECT_EQ(decimal<double>("2000"), 2000);
}

TEST(Decimal, NothingElse) {
  for (const char* text : {"",     " 8",  "\t8",  "\n8", "\v010", "\f8",  "\r8", "8 ",  "8\n", "010",
                           "-010", "00",  "0x10", "1_0", "1'0",   "0b1",  "8x",  "1,5", "+-1", "-+1",
                           "++1",  "--1", "nan",  "inf", "-inf",  "true", "e3",  "-",   "."}) {
    EXPECT_FALSE(decimal<double>(text)) << text;
    EXPECT_FALSE(decimal<std::int64_t>(text)) << text;
  }
  for (const char* text : {"1e400", "1e-400"}) EXPECT_FALSE(decimal<double>(text)) << text;
  for (const char* text : {"1e3", "1000.0", "9223372036854775808"})
    EXPECT_FALSE(decimal<std::int64_t>(text)) << text;
  for (const char* text : {"-1", "18446744073709551616"}) EXPECT_FALSE(decimal<std::uint64_t>(text)) << text;
}

TEST(Decimal, LeadingZerosAreNamed) {
  EXPECT_STREQ(abut::decimal_hint("-010"), ", written without leading zeros");
  for (const char* text : {"0", "0.10", "10", "0x10", "\n010", "a"})
    EXPECT_STREQ(abut::decimal_hint(text), "");
}

}  // namespace
