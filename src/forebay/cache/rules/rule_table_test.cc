#include "forebay/cache/rules/rule_table.h"

#include <gtest/gtest.h>

namespace forebay::cache {
namespace {

std::string rule_for(const RuleTable& table, std::string_view uri) {
  return table.of(uri).prefix;
}

TEST(RuleTable, WholeComponentsCount) {
  EXPECT_TRUE(lies_below("s3://b/train", "s3://b/train"));
  EXPECT_TRUE(lies_below("s3://b/train/1", "s3://b/train"));
  EXPECT_TRUE(lies_below("s3://b/train/1", "s3://b/train//"));
  EXPECT_TRUE(lies_below("s3://b/train", "s3://"));
  EXPECT_TRUE(lies_below("s3://b/train", ""));
  EXPECT_FALSE(lies_below("s3://b/training", "s3://b/train"));
  EXPECT_FALSE(lies_below("s3://b/training", "s3://b/train/"));
  EXPECT_FALSE(lies_below("s3://b", "s3://b/train"));
  EXPECT_FALSE(lies_below("", "s3://b"));
}

TEST(RuleTable, TheLongestPathWins) {
  const RuleTable table({{.prefix = "s3://b/train"},
                         {.prefix = "s3://b/train/hot/"},
                         {.prefix = "s3://"},
                         {.prefix = "s3://b/train/hot", .is_cached = false}});
  EXPECT_EQ(rule_for(table, "s3://b/train/hot/1"), "s3://b/train/hot/");
  EXPECT_TRUE(table.of("s3://b/train/hot").is_cached);
  EXPECT_EQ(rule_for(table, "s3://b/train/hotter/1"), "s3://b/train");
  EXPECT_EQ(rule_for(table, "s3://b/training/1"), "s3://");
  EXPECT_EQ(rule_for(table, "s3://c"), "s3://");
  EXPECT_EQ(rule_for(table, "gs://b/train"), "");
  EXPECT_EQ(rule_for(RuleTable({}), "s3://b"), "");
}

TEST(RuleTable, ARuleWithoutAPathIsForEverything) {
  const RuleTable table({{.prefix = "", .is_cached = false}, {.prefix = "s3://b"}});
  EXPECT_FALSE(table.of("gs://b/k").is_cached);
  EXPECT_FALSE(table.of("").is_cached);
  EXPECT_TRUE(table.of("s3://b//k").is_cached);
}

TEST(RuleTable, NoUsersRuleIsAboutSideData) {
  const RuleTable table({{.prefix = "", .is_cached = false}, {.prefix = "side://", .is_cached = false}});
  EXPECT_TRUE(table.of("side://table/1").is_cached);
  EXPECT_EQ(table.of("side://table/1").time_to_live_s, kSideSeconds);
  EXPECT_FALSE(table.of("s3://b/side://1").is_cached);
}

}  // namespace
}  // namespace forebay::cache
