#include "forebay/base/recently_used.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

namespace forebay {
namespace {

using Pointers = RecentlyUsed<std::string, std::shared_ptr<int>, IsUnshared>;

std::shared_ptr<int> add(Pointers& pointers, const std::string& key, int value) {
  std::shared_ptr<int>& added = pointers.find_or_add(key);
  added = std::make_shared<int>(value);
  return added;
}

TEST(RecentlyUsed, TheOneUsedLongestAgoGoes) {
  Pointers pointers(2);
  add(pointers, "a", 1);
  add(pointers, "b", 2);
  EXPECT_EQ(pointers.take_surplus(), std::nullopt);
  EXPECT_EQ(**pointers.find("a"), 1);
  add(pointers, "c", 3);
  EXPECT_EQ(**pointers.take_surplus(), 2);
  EXPECT_EQ(pointers.take_surplus(), std::nullopt);
  EXPECT_EQ(pointers.find("b"), nullptr);
  EXPECT_EQ(**pointers.find("a"), 1);
}

TEST(RecentlyUsed, WhatSomebodyHasStays) {
  Pointers pointers(1);
  const std::shared_ptr<int> held = add(pointers, "a", 1);
  add(pointers, "b", 2);
  EXPECT_EQ(pointers.take_surplus(), std::nullopt) << "a is held, and b was used last";
  add(pointers, "c", 3);
  EXPECT_EQ(**pointers.take_surplus(), 2);
  EXPECT_EQ(pointers.size(), 2U);
}

}  // namespace
}  // namespace forebay
