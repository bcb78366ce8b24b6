#include "forebay/fuse/reading/read_ahead.h"

#include <gtest/gtest.h>

#include <utility>

#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::fuse {
namespace {

constexpr uint64_t kPieces = kPieceBytes;  // a unit of sizes below

/// Keeps what it is asked to bring, and answers when the test says so.
class BringingStore final : public storage::ForwardingStore {
 public:
  BringingStore() : ForwardingStore(std::make_shared<storage::MemoryStore>()) {}

  void bring_many(std::vector<storage::BringRequest> requests, const storage::CallContext& context,
                  storage::BringManyCallback each) override {
    EXPECT_EQ(context.priority, storage::Priority::kPrefetch);
    asked.insert(asked.end(), requests.begin(), requests.end());
    callbacks.push_back(std::move(each));
  }

  std::vector<storage::BringRequest> asked;
  std::vector<storage::BringManyCallback> callbacks;
};

class FuseReadAhead : public testing::Test {
 protected:
  void bring(std::vector<FilePart> parts) { ahead_.bring({store_, "a"}, stat_, std::move(parts)); }

  std::shared_ptr<BringingStore> store_ = std::make_shared<BringingStore>();
  storage::ObjectStat stat_ = {.key = "shown/a", .size_bytes = 1000 * kPieces + 17, .version = "v"};
  ReadAhead ahead_;
};

TEST_F(FuseReadAhead, AsksForEachPieceOnce) {
  bring({{5 * kPieces + 10, 10}, {5 * kPieces - 1, 2}, {7 * kPieces, 1}, {1000 * kPieces + 1, 3}});
  ASSERT_EQ(store_->asked.size(), 3u);
  EXPECT_EQ(store_->asked[0].offset_bytes, 4 * kPieces);
  EXPECT_EQ(store_->asked[0].length_bytes, 2 * kPieces);
  EXPECT_EQ(store_->asked[1].offset_bytes, 7 * kPieces);
  EXPECT_EQ(store_->asked[1].length_bytes, kPieces);
  EXPECT_EQ(store_->asked[2].offset_bytes, 1000 * kPieces);
  EXPECT_EQ(store_->asked[2].length_bytes, 17u);
  EXPECT_EQ(store_->asked[2].key, "a");
  EXPECT_EQ(store_->asked[2].version, "v");
}

TEST_F(FuseReadAhead, AsksForNothingOfWhatHasNoVersion) {
  stat_.version.clear();
  bring({{0, 1}});
  EXPECT_TRUE(store_->asked.empty());
}

TEST_F(FuseReadAhead, AsksForNoMoreThanMayBeUnderWay) {
  bring({{0, ReadAhead::kMaxBytes - kPieces}});
  bring({{500 * kPieces, 2 * kPieces}});
  EXPECT_EQ(store_->asked.size(), 1u);
  store_->callbacks.clear();  // whatever was answered
  bring({{500 * kPieces, 2 * kPieces}});
  EXPECT_EQ(store_->asked.size(), 2u);
}

TEST(ReadPattern, LeavesOutWhatLiesBetweenRecords) {
  ReadPattern pattern;
  uint64_t wanted = 0;
  for (uint64_t record = 0; record < 30; ++record) {
    for (uint64_t part = 0; part < 3; ++part) {
      for (const FilePart& each : pattern.note((record * 20 + part) * kPieces, kPieces, 1000 * kPieces)) {
        wanted += each.length_bytes;
      }
    }
  }
  EXPECT_GT(wanted, 60 * kPieces);
  EXPECT_LT(wanted, 90 * kPieces +
                        5 * kWindowBytes);  // before the row is known, each record looks like a file's part
}

TEST(ReadPattern, GoesOnFromFrontToBackAfterRecords) {
  ReadPattern pattern;
  for (uint64_t record = 0; record < 10; ++record) {
    pattern.note(record * 8 * kPieces, kPieces, 1000 * kPieces);
  }
  uint64_t wanted = 0;
  for (uint64_t at = 80; at < 200; ++at) {
    for (const FilePart& each : pattern.note(at * kPieces, kPieces, 1000 * kPieces)) {
      wanted += each.length_bytes;
    }
  }
  EXPECT_GT(wanted, 100 * kPieces);
}

}  // namespace
}  // namespace forebay::fuse
