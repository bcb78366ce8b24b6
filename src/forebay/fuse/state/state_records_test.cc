#include "forebay/fuse/state/state_records.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/fuse/state/state_log.h"

namespace forebay::fuse {
namespace {

storage::ObjectStat kept_stat(const std::string& key) {
  return {.key = key, .size_bytes = 12, .modified_ns = -5, .version = "v1"};
}

std::vector<std::string> records_of_each_kind() {
  return {record_of(MountFacts{{7, "0:45", "/mnt/a b", "fuse.forebay", "s3://b"}, 99}),
          record_of(Agreement{38, uint64_t{1} << 39}),
          announced_record(),
          node_record(5, false, kIsCurrent | kIsStrong, 2, kept_stat("a")),
          lookup_record(5),
          forget_record(5, 1),
          marks_record(5, kIsOutdated),
          opened_record(HandleKind::kFile, 3, {5, 0, -1}),
          opened_record(HandleKind::kDirectory, 4, {1, 0, 0}),
          released_record(HandleKind::kDirectory, 4),
          next_node_record(20),
          next_handle_record(HandleKind::kDirectory, 9),
          taken_record(100),
          taken_record(102),
          answered_record(100)};
}

TEST(StateRecords, ComeToWhatTheySay) {
  RestoredState state;
  int64_t live_bytes = 0;
  for (const std::string& each : records_of_each_kind()) {
    const Result<int64_t> more = state.take(each);
    ASSERT_TRUE(more.ok()) << message(more.status());
    live_bytes += *more;
  }
  EXPECT_EQ(state.mount, (MountFacts{{7, "0:45", "/mnt/a b", "fuse.forebay", "s3://b"}, 99}));
  EXPECT_EQ(state.agreement, (Agreement{38, uint64_t{1} << 39}));
  EXPECT_TRUE(state.is_announced);
  ASSERT_EQ(state.nodes.size(), 1u);
  const KeptNode& node = state.nodes.at(5);
  EXPECT_EQ(node.lookups, 2u);
  EXPECT_EQ(node.marks, kIsOutdated);
  EXPECT_EQ(node.stat.key, "a");
  EXPECT_EQ(node.stat.size_bytes, 12u);
  EXPECT_EQ(node.stat.modified_ns, -5);
  EXPECT_EQ(node.stat.version, "v1");
  EXPECT_EQ(state.next_node, 20u);
  EXPECT_EQ(state.files.open, (std::map<uint64_t, HandleFacts>{{3, {5, 0, -1}}}));
  EXPECT_EQ(state.files.next, 4u);
  EXPECT_TRUE(state.directories.open.empty());
  EXPECT_EQ(state.directories.next, 9u);
  EXPECT_EQ(state.under_way, std::set<uint64_t>{102});
  EXPECT_EQ(state.highest_begun, 102u);
  ASSERT_TRUE(state.take(forget_record(5, 2)).ok());
  EXPECT_TRUE(state.nodes.empty());
  EXPECT_GT(live_bytes, 0);
}

TEST(StateRecords, WhatGoesTakesItsBytesAlong) {
  RestoredState state;
  EXPECT_EQ(state.take(node_record(5, false, 0, 1, kept_stat("long name"))).value(),
            node_record_bytes(kept_stat("long name")));
  EXPECT_EQ(state.take(node_record(5, false, 0, 1, kept_stat("name"))).value(), -5);
  EXPECT_EQ(state.take(forget_record(5, 1)).value(), -node_record_bytes(kept_stat("name")));
  EXPECT_EQ(state.take(opened_record(HandleKind::kFile, 1, {})).value(), opened_record_bytes());
  EXPECT_EQ(state.take(released_record(HandleKind::kFile, 1)).value(), -opened_record_bytes());
  EXPECT_EQ(state.take(released_record(HandleKind::kFile, 1)).value(), 0);
  EXPECT_EQ(state.take(taken_record(1)).value(), StateLog::bytes_of(taken_record(1)));
  EXPECT_EQ(state.take(answered_record(1)).value(), -StateLog::bytes_of(taken_record(1)));
}

TEST(StateRecords, CutOrLongerIsNone) {
  for (const std::string& each : records_of_each_kind()) {
    for (size_t bytes = 0; bytes < each.size(); ++bytes) {
      RestoredState state;
      ASSERT_TRUE(state.take(node_record(5, false, 0, 1, kept_stat("a"))).ok());
      EXPECT_EQ(state.take(each.substr(0, bytes)).status().code(), StatusCode::kDataLoss);
    }
    RestoredState state;
    ASSERT_TRUE(state.take(node_record(5, false, 0, 1, kept_stat("a"))).ok());
    EXPECT_EQ(state.take(each + "x").status().code(), StatusCode::kDataLoss);
  }
}

TEST(StateRecords, AnUnknownKindOrNodeIsNone) {
  RestoredState state;
  EXPECT_EQ(state.take("\xff").status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(state.take(lookup_record(5)).status().code(), StatusCode::kDataLoss);
  std::string of_no_kind = released_record(HandleKind::kFile, 1);
  of_no_kind[1] = 7;
  EXPECT_EQ(state.take(of_no_kind).status().code(), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace forebay::fuse
