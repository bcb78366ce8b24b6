#include "forebay/fuse/files/inode_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "forebay/fuse/protocol/protocol.h"

namespace forebay::fuse {
namespace {

storage::ObjectStat file_stat(const std::string& key, const std::string& version = "1") {
  return {.key = key, .size_bytes = 3, .modified_ns = 5, .version = version};
}

TEST(InodeTable, KeepsANodeForEachLookup) {
  InodeTable table({.key = "root/"});
  const uint64_t id = table.look_up(false, file_stat("root/a"))->id;
  EXPECT_NE(id, kRootNode);
  EXPECT_EQ(table.look_up(false, file_stat("root/a"))->id, id);
  EXPECT_EQ(table.find(id)->stat.key, "root/a");
  table.forget(id, 1);
  EXPECT_NE(table.find(id), nullptr);
  table.forget(id, 1);
  EXPECT_EQ(table.find(id), nullptr);
  EXPECT_EQ(table.size(), 1u);
}

TEST(InodeTable, NeverUsesANumberAgain) {
  InodeTable table({});
  std::set<uint64_t> seen;
  for (int i = 0; i < 10; ++i) {
    const uint64_t id = table.look_up(false, file_stat("a"))->id;
    EXPECT_TRUE(seen.insert(id).second);
    table.forget(id, 1);
  }
}

TEST(InodeTable, AnotherVersionIsAnotherNode) {
  InodeTable table({});
  const uint64_t first = table.look_up(false, file_stat("a", "1"))->id;
  const uint64_t second = table.look_up(false, file_stat("a", "2"))->id;
  EXPECT_NE(first, second);
  EXPECT_EQ(table.find(first)->stat.version, "1");
  EXPECT_EQ(table.look_up(false, file_stat("a", "2"))->id, second);
  table.forget(first, 1);
  EXPECT_EQ(table.look_up(false, file_stat("a", "2"))->id, second) << "the older one's end is not its own";
}

TEST(InodeTable, TheVersionSaysAllAndWithoutOneTheTimeDoes) {
  InodeTable table({});
  const auto node_of = [&](const std::string& version, int64_t modified_ns) {
    return table
        .look_up(false, {.key = "a", .size_bytes = 3, .modified_ns = modified_ns, .version = version})
        ->id;
  };
  EXPECT_EQ(node_of("1", 5'000'000'000), node_of("1", 5'123'000'000));
  EXPECT_EQ(node_of("", 5), node_of("", 5));
  EXPECT_NE(node_of("", 5), node_of("", 6));
}

TEST(InodeTable, WhatIsOutdatedIsAnotherNodeAtTheNextLookup) {
  InodeTable table({});
  const uint64_t before = table.look_up(false, file_stat("a"))->id;
  EXPECT_FALSE(table.is_outdated(before));
  table.note_outdated(before);
  EXPECT_TRUE(table.is_outdated(before));
  EXPECT_NE(table.find(before), nullptr);
  const uint64_t after = table.look_up(false, file_stat("a"))->id;
  EXPECT_NE(after, before);
  EXPECT_FALSE(table.is_outdated(after));
  table.forget(before, 1);
  EXPECT_EQ(table.look_up(false, file_stat("a"))->id, after);
  table.note_outdated(kRootNode);
  EXPECT_FALSE(table.is_outdated(kRootNode));
}

TEST(InodeTable, AFolderStaysTheSame) {
  InodeTable table({});
  const NodeRef before = table.look_up(true, {.key = "a/", .modified_ns = 1});
  const NodeRef after = table.look_up(true, {.key = "a/", .modified_ns = 2});
  EXPECT_EQ(before->id, after->id);
  EXPECT_EQ(table.find(before->id)->stat.modified_ns, 2);
  EXPECT_EQ(table.look_up(true, {.key = "a/", .modified_ns = 2})->id, before->id);
  table.forget(before->id, 3);
  EXPECT_EQ(table.size(), 1u);
}

TEST(InodeTable, AFileAndAFolderOfOneNameAreTwo) {
  InodeTable table({});
  EXPECT_NE(table.look_up(false, file_stat("a"))->id, table.look_up(true, {.key = "a/"})->id);
  EXPECT_NE(inode_of("a"), inode_of("a/"));
  EXPECT_GT(inode_of(""), kRootNode);
}

TEST(InodeTable, NeverForgetsTheRootAndIgnoresWhatItDoesNotKnow) {
  InodeTable table({.key = "root/"});
  table.forget(kRootNode, 1'000'000);
  table.forget(4711, 1);
  EXPECT_EQ(table.find(kRootNode)->stat.key, "root/");
  EXPECT_EQ(table.find(4711), nullptr);
}

TEST(InodeTable, CountsWhatManyThreadsLookUp) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  InodeTable table({});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&table] {
      for (int i = 0; i < kRounds; ++i) {
        const NodeRef node = table.look_up(false, file_stat("k" + std::to_string(i % 10)));
        table.forget(node->id, 1);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(table.size(), 1u);
}

TEST(InodeTable, WhatWasStoredIsNewerThanWhatTheStoreSaidBefore) {
  InodeTable table({});
  const NodeRef reader = table.look_up(false, file_stat("a", "1"));
  const NodeRef writer = table.look_up_for_writing(file_stat("a", "1"), table.changes("a"));
  EXPECT_NE(writer->id, reader->id) << "who reads it keeps what it is";
  EXPECT_EQ(table.find(reader->id)->stat.version, "1");
  const uint64_t seen = table.changes("a");
  table.set_version(writer->id, file_stat("", "2"));
  EXPECT_EQ(table.look_up_for_writing(file_stat("a", "1"), seen)->stat.version, "2");
  EXPECT_EQ(table.look_up_for_writing(file_stat("a", "3"), table.changes("a"))->stat.version, "3");
  EXPECT_EQ(table.find_key("a")->id, writer->id);
  table.end_writing(writer->id);
  EXPECT_NE(table.look_up_for_writing(file_stat("a", "3"), table.changes("a"))->id, writer->id);
}

}  // namespace
}  // namespace forebay::fuse
