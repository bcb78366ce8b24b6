#include "forebay/storage/remote/open_stores.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/remote/environment.h"

namespace forebay::storage {
namespace {

std::shared_ptr<ObjectStore> open_numbered(int number) {
  return *find_or_open_store(
      "open stores test " + std::to_string(number),
      []() -> Result<std::shared_ptr<ObjectStore>> { return std::make_shared<MemoryStore>(); });
}

// A process that is given a new token each hour opens a store for each.
TEST(OpenStores, ThoseThatNobodyHasUsedForLongGo) {
  const std::shared_ptr<ObjectStore> held = open_numbered(0);
  std::vector<std::weak_ptr<ObjectStore>> opened;
  for (int number = 1; number <= 600; ++number) {
    opened.push_back(open_numbered(number));
    EXPECT_EQ(open_numbered(1), opened[0].lock());  // used again and again
  }
  EXPECT_EQ(open_numbered(0), held);
  EXPECT_FALSE(opened[0].expired());
  EXPECT_TRUE(opened[1].expired());
  EXPECT_FALSE(opened.back().expired());
}

TEST(OpenStores, WhatAnEnvironmentSaysTellsThemApart) {
  const std::vector<std::string> variables = {"AWS_PROFILE"};
  const auto identity = [&](StoreVariables values) {
    return settings_identity({}, variables_in(environment_of(std::move(values)), variables));
  };
  EXPECT_EQ(identity({{"AWS_PROFILE", "one"}, {"OTHER", "1"}}), identity({{"AWS_PROFILE", "one"}}));
  EXPECT_NE(identity({{"AWS_PROFILE", "one"}}), settings_identity({{"AWS_PROFILE", "one"}}));
  EXPECT_NE(identity({{"AWS_PROFILE", "one"}}), identity({{"AWS_PROFILE", "two"}}));
  EXPECT_EQ(identity({}), identity({{"AWS_PROFILE", ""}}));
}

}  // namespace
}  // namespace forebay::storage
