#include "forebay/fuse/writing/draft_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "forebay/base/units.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::fuse {
namespace {

class FuseDraftTable : public testing::Test {
 protected:
  std::shared_ptr<Draft> begin() {
    return std::make_shared<Draft>(storage::ObjectAddress{store_, "k"}, memory_, DraftOptions());
  }
  std::shared_ptr<Draft> open(uint64_t node) {
    return table_.open(node, "k", [this] { return begin(); });
  }
  /// Whether it was expected when it ended; nothing if it has not.
  std::optional<bool> end(uint64_t node) {
    std::optional<bool> ended;
    table_.end(node, [&](bool is_expected) { ended = is_expected; });
    return ended;
  }

  SteppedClock clock_;
  DraftTable table_{clock_};
  std::shared_ptr<storage::MemoryStore> store_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<WriteMemory> memory_ = std::make_shared<WriteMemory>(1000);
};

TEST_F(FuseDraftTable, AFileIsWrittenUntilItsLastHandleHasGone) {
  const std::shared_ptr<Draft> draft = open(7);
  EXPECT_EQ(open(7), draft);
  EXPECT_FALSE(table_.close(7));
  EXPECT_FALSE(end(7).has_value());
  EXPECT_TRUE(table_.close(7));
  EXPECT_EQ(open(7), draft) << "it was opened before it was stored";
  EXPECT_FALSE(end(7).has_value());
  EXPECT_TRUE(table_.close(7));
  EXPECT_EQ(end(7), std::optional(false));
  EXPECT_EQ(table_.find(7), nullptr);
  EXPECT_FALSE(table_.find_key("k").has_value());
}

TEST_F(FuseDraftTable, WhatOneThreadExpectsNoOtherTakes) {
  table_.expect("k", 1);
  table_.expect("k", 2);
  open(7);
  table_.take_expected("k", 2);
  table_.take_expected("k", 3);
  EXPECT_TRUE(table_.is_expected("k"));
  table_.close(7);
  EXPECT_EQ(end(7), std::optional(true));
  table_.take_expected("k", 1);
  EXPECT_FALSE(table_.is_expected("k"));
}

TEST_F(FuseDraftTable, NothingIsExpectedForLong) {
  table_.expect("k", 1);
  clock_.advance_ns(11 * kSecond);
  EXPECT_FALSE(table_.is_expected("k"));
}

TEST_F(FuseDraftTable, ANameLeadsToWhatWasRenamedToIt) {
  open(7);
  table_.rename(7, "folder/k");
  EXPECT_FALSE(table_.find_key("k").has_value());
  EXPECT_EQ(table_.find_key("folder/k")->node, 7u);
  EXPECT_EQ(table_.below("folder/").size(), 1u);
  table_.forget_key("folder/k");
  EXPECT_TRUE(table_.below("folder/").empty());
  EXPECT_NE(table_.find(7), nullptr);
}

}  // namespace
}  // namespace forebay::fuse
