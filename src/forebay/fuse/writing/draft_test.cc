#include "forebay/fuse/writing/draft.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>

#include "forebay/storage/blocking.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::fuse {
namespace {

constexpr size_t kPart = 10;

Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Fails what it is told to, and counts what is written whole and in parts.
class WrittenStore final : public storage::ForwardingStore {
 public:
  explicit WrittenStore(std::shared_ptr<storage::MemoryStore> of)
      : ForwardingStore(of), memory(std::move(of)) {}

  void write(std::string key, Bytes content, storage::WriteOptions options,
             const storage::CallContext& context, storage::StatCallback done) override {
    ++whole;
    if (!failure.ok()) {
      done(failure);
      return;
    }
    if (has_no_conditions && !options.if_version.empty()) {
      done(unimplemented("no conditions"));
      return;
    }
    inner().write(std::move(key), content, std::move(options), context, std::move(done));
  }
  Result<std::unique_ptr<storage::ObjectWriter>> open_writer(std::string key,
                                                             storage::WriteOptions options) override {
    ++writers;
    FOREBAY_RETURN_IF_ERROR(failure);
    return inner().open_writer(std::move(key), std::move(options));
  }

  const std::shared_ptr<storage::MemoryStore> memory;
  int whole = 0;
  int writers = 0;
  bool has_no_conditions = false;
  Status failure;
};

class FuseDraft : public testing::Test {
 protected:
  std::unique_ptr<Draft> draft(DraftOptions options = {}) {
    options.part_bytes = kPart;
    return std::make_unique<Draft>(storage::ObjectAddress{store_, "k"}, memory_, std::move(options));
  }
  std::unique_ptr<Draft> draft_of_stored() { return draft({.base = *storage::stat_now(*store_, "k")}); }
  std::string put(std::string_view content) {
    return storage::write_now(*store_->memory, "k", bytes_of(content))->version;
  }
  std::string stored() {
    const Result<storage::ReadBytes> read = storage::read_now(*store_, {.key = "k"});
    return read.ok() ? text(read->bytes) : "none";
  }
  static std::string text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
  std::string read_back(Draft& draft, uint64_t offset = 0, uint64_t size = 1000) {
    const Result<std::vector<std::byte>> bytes = draft.read(offset, size, {});
    return bytes.ok() ? text(*bytes) : std::string(bytes.status().message());
  }

  std::shared_ptr<WriteMemory> memory_ = std::make_shared<WriteMemory>(1000);
  std::shared_ptr<WrittenStore> store_ =
      std::make_shared<WrittenStore>(std::make_shared<storage::MemoryStore>());
};

TEST_F(FuseDraft, IsStoredWhenItIsToldTo) {
  const auto file = draft();
  EXPECT_TRUE(file->is_unsaved()) << "an empty file is one, too";
  ASSERT_TRUE(file->write(0, bytes_of("abc"), {}).ok());
  ASSERT_TRUE(file->write(std::nullopt, bytes_of("def"), {}).ok());
  EXPECT_EQ(file->size(), 6u);
  EXPECT_EQ(stored(), "none");
  EXPECT_FALSE(file->stored().has_value());
  ASSERT_TRUE(file->store({}).ok());
  EXPECT_EQ(stored(), "abcdef");
  EXPECT_FALSE(file->is_unsaved());
  EXPECT_EQ(file->stored()->size_bytes, 6u);
  ASSERT_TRUE(file->store({}).ok());
  EXPECT_EQ(store_->whole, 1) << "nothing has changed";
}

TEST_F(FuseDraft, ASmallFileIsChangedAnywhere) {
  const auto file = draft();
  ASSERT_TRUE(file->write(0, bytes_of("0123456789"), {}).ok());
  ASSERT_TRUE(file->write(3, bytes_of("xx"), {}).ok());
  EXPECT_EQ(read_back(*file), "012xx56789");
  EXPECT_EQ(read_back(*file, 4, 2), "x5");
  EXPECT_EQ(read_back(*file, 10, 2), "");
  ASSERT_TRUE(file->store({}).ok());
  ASSERT_TRUE(file->write(9, bytes_of("!?"), {}).ok());
  ASSERT_TRUE(file->store({}).ok());
  EXPECT_EQ(stored(), "012xx5678!?");
  EXPECT_EQ(store_->writers, 0);
}

TEST_F(FuseDraft, GapsAreZerosAndBounded) {
  const auto file = draft();
  ASSERT_TRUE(file->write(3, bytes_of("x"), {}).ok());
  EXPECT_EQ(read_back(*file), std::string(3, '\0') + "x");
  EXPECT_EQ(file->write(4 + kPart + 1, bytes_of("x"), {}).code(), StatusCode::kUnimplemented);
  EXPECT_EQ(file->resize(uint64_t{1} << 60, {}).code(), StatusCode::kUnimplemented);
  EXPECT_EQ(file->size(), 4u);
}

TEST_F(FuseDraft, WhatWasSentStays) {
  const auto file = draft();
  std::string content;
  for (int i = 0; i < 9; ++i) {
    const std::string next = std::to_string(i) + "bcde";
    ASSERT_TRUE(file->write(content.size(), bytes_of(next), {}).ok());
    content += next;
  }
  EXPECT_EQ(store_->writers, 1);
  EXPECT_EQ(file->size(), content.size());
  const Status refused = file->write(0, bytes_of("x"), {});
  EXPECT_EQ(refused.code(), StatusCode::kUnimplemented);
  EXPECT_EQ(file->read(0, 1, {}).status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(file->resize(1, {}).code(), StatusCode::kUnimplemented);
  ASSERT_TRUE(file->write(content.size() - kPart, bytes_of("last"), {}).ok());
  content.replace(content.size() - kPart, 4, "last");
  EXPECT_EQ(read_back(*file, content.size() - kPart), content.substr(content.size() - kPart));
  ASSERT_TRUE(file->store({}).ok());
  EXPECT_EQ(stored(), content);
  EXPECT_EQ(read_back(*file), content) << "from the store";
}

TEST_F(FuseDraft, ALargeFileGoesOnBehindWhatIsStored) {
  const auto file = draft();
  std::string content(37, 'a');
  ASSERT_TRUE(file->write(0, bytes_of(content), {}).ok());
  for (const std::string_view next : {"more", "and more", "and much more than that"}) {
    ASSERT_TRUE(file->store({}).ok());
    EXPECT_EQ(stored(), content);
    EXPECT_EQ(file->write(0, bytes_of("x"), {}).code(), StatusCode::kUnimplemented);
    ASSERT_TRUE(file->write(std::nullopt, bytes_of(next), {}).ok());
    content += next;
  }
  ASSERT_TRUE(file->store({}).ok());
  EXPECT_EQ(stored(), content);
}

TEST_F(FuseDraft, WhatIsThereIsTheBeginning) {
  for (const std::string& old : {std::string("old"), std::string(25, 'o')}) {
    put(old);
    const auto file = draft_of_stored();
    EXPECT_FALSE(file->is_unsaved());
    EXPECT_EQ(read_back(*file, 1, 2), old.substr(1, 2));
    ASSERT_TRUE(file->write(std::nullopt, bytes_of(" new"), {}).ok());
    ASSERT_TRUE(file->store({}).ok());
    EXPECT_EQ(stored(), old + " new");
  }
}

TEST_F(FuseDraft, WhatSomebodyElseHasReplacedIsNotReplacedByWhatWasRead) {
  put("old");
  const auto file = draft_of_stored();
  ASSERT_TRUE(file->write(std::nullopt, bytes_of(" new"), {}).ok());
  put("other");
  EXPECT_EQ(file->store({}).code(), StatusCode::kAborted);
  EXPECT_TRUE(file->is_unsaved());
  EXPECT_TRUE(file->has_failed());
  EXPECT_EQ(stored(), "other");
}

TEST_F(FuseDraft, WhereAStoreHasNoConditionsItIsWrittenWithout) {
  put("old");
  store_->has_no_conditions = true;
  const auto file = draft_of_stored();
  ASSERT_TRUE(file->write(std::nullopt, bytes_of(" new"), {}).ok());
  ASSERT_TRUE(file->store({}).ok());
  EXPECT_EQ(stored(), "old new");
}

TEST_F(FuseDraft, BeginsAnewWithWhateverIsThere) {
  put("old");
  const auto file = draft_of_stored();
  EXPECT_FALSE(file->is_replacing());
  ASSERT_TRUE(file->resize(0, {}).ok());
  EXPECT_TRUE(file->is_replacing());
  put("other");
  ASSERT_TRUE(file->write(0, bytes_of("new"), {}).ok());
  EXPECT_EQ(stored(), "other") << "until it is stored";
  ASSERT_TRUE(file->store({}).ok());
  EXPECT_EQ(stored(), "new");
  EXPECT_FALSE(file->is_replacing());
}

TEST_F(FuseDraft, AFileThatIsBegunAnewAfterPartsWereSentHasNoneOfThem) {
  const auto file = draft();
  ASSERT_TRUE(file->write(0, bytes_of(std::string(45, 'a')), {}).ok());
  ASSERT_TRUE(file->resize(0, {}).ok());
  ASSERT_TRUE(file->write(0, bytes_of("b"), {}).ok());
  ASSERT_TRUE(file->store({}).ok());
  EXPECT_EQ(stored(), "b");
}

TEST_F(FuseDraft, IsCreatedOnce) {
  const auto file = draft({.if_absent = true});
  put("other");
  EXPECT_EQ(file->store({}).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(stored(), "other");
}

TEST_F(FuseDraft, WhatFailedWholeMayBeTriedAgain) {
  const auto file = draft();
  ASSERT_TRUE(file->write(0, bytes_of("abc"), {}).ok());
  store_->failure = unavailable("down");
  EXPECT_EQ(file->store({}).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(file->has_failed());
  store_->failure = ok_status();
  ASSERT_TRUE(file->store({}).ok());
  EXPECT_EQ(stored(), "abc");
}

TEST_F(FuseDraft, WhatWasDiscardedIsStoredNoMore) {
  const auto file = draft();
  ASSERT_TRUE(file->write(0, bytes_of("abc"), {}).ok());
  file->hold({})->discard();
  EXPECT_TRUE(file->store({}).ok());
  EXPECT_EQ(stored(), "none");
  EXPECT_EQ(read_back(*file), "abc");
}

TEST_F(FuseDraft, WritersOfOneFileTakeTurns) {
  const auto file = draft();
  std::vector<std::thread> writers;
  for (int number = 0; number < 4; ++number) {
    writers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(file->write(std::nullopt, bytes_of("abc"), {}).ok());
        file->size();
      }
    });
  }
  for (std::thread& each : writers) {
    each.join();
  }
  ASSERT_TRUE(file->store({}).ok());
  std::string all;
  for (int i = 0; i < 200; ++i) {
    all += "abc";
  }
  EXPECT_EQ(stored(), all);
}

}  // namespace
}  // namespace forebay::fuse
