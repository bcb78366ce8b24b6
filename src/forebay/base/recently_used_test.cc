#include "forebay/base/recently_used.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace forebay {
namespace {

using Pointers = RecentlyUsed<std::string, std::shared_ptr<int>, IsUnshared>;

std::shared_ptr<int> add(Pointers& pointers, const std::string& key, int value) {
  std::shared_ptr<int>& added = pointers.find_or_add(key);
  added = std::make_shared<int>(value);
  return added;
}

std::vector<std::string> gone(Pointers& pointers) {
  std::vector<std::string> keys;
  for (const auto& node : pointers.take_surplus()) {
    keys.push_back(node.key());
  }
  return keys;
}

TEST(RecentlyUsed, TheOneUsedLongestAgoGoes) {
  Pointers pointers(2);
  add(pointers, "a", 1);
  add(pointers, "b", 2);
  EXPECT_TRUE(pointers.take_surplus().empty());
  EXPECT_EQ(**pointers.find("a"), 1);
  add(pointers, "c", 3);
  EXPECT_EQ(gone(pointers), std::vector<std::string>{"b"});
  EXPECT_TRUE(pointers.take_surplus().empty());
  EXPECT_EQ(pointers.find("b"), nullptr);
  EXPECT_EQ(**pointers.find("a"), 1);
}

TEST(RecentlyUsed, WhatSomebodyHasStays) {
  Pointers pointers(1);
  std::shared_ptr<int> held = add(pointers, "a", 1);
  add(pointers, "b", 2);
  EXPECT_TRUE(pointers.take_surplus().empty()) << "a is held, and b was used last";
  add(pointers, "c", 3);
  EXPECT_EQ(gone(pointers), std::vector<std::string>{"b"});
  add(pointers, "d", 4);
  held.reset();
  EXPECT_EQ(gone(pointers), (std::vector<std::string>{"a", "c"})) << "once nobody has them";
}

}  // namespace
}  // namespace forebay
