#include "datasets/download/address.h"

#include <gtest/gtest.h>

namespace abut::datasets {
namespace {

TEST(Address, ShowsNoSecret) {
  EXPECT_EQ(shown_address("http://host/a%20b/mug.tgz"), "http://host/a%20b/mug.tgz");
  EXPECT_EQ(shown_address("https://user:word@host:81/mug.zip?sig=token#part"), "https://host:81/mug.zip");
  EXPECT_EQ(shown_address("https:/user:word@host/mug.zip"), "https://host/mug.zip");
  EXPECT_EQ(shown_address("user:word@host/mug.zip"), "http://host/mug.zip");
  EXPECT_EQ(shown_address("https://user@host/a@b.zip"), "https://host/a@b.zip");
  for (const char* fetched_by_none : {"https://user:wo@rd@host/mug.zip", "http://user:wo rd@host/mug.zip"})
    EXPECT_EQ(shown_address(fetched_by_none), "an address that cannot be read");
}

TEST(Address, IsKnownByItsQuery) {
  const std::string one = query_digest("https://host/mug.zip?sig=token");
  EXPECT_EQ(one.size(), 64U);
  EXPECT_EQ(query_digest("https://user:word@host/mug.zip?sig=token"), one);
  EXPECT_NE(query_digest("https://host/mug.zip?sig=other"), one);
  EXPECT_EQ(query_digest("https://user:word@host/mug.zip"), "");
}

// By which a redirect to plain http is refused.
TEST(Address, IsHttpsInLettersOfEitherCase) {
  EXPECT_TRUE(is_https("https://host/"));
  EXPECT_TRUE(is_https("HTTPS://host/"));
  EXPECT_TRUE(is_https("Https:/host/"));
  EXPECT_FALSE(is_https("http://host/https://"));
  EXPECT_FALSE(is_https("host/"));
}

}  // namespace
}  // namespace abut::datasets
