#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "forebay/storage/testing/temporary_directory.h"
#include "forebay/storage/tree/copy_object.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/tree/same_place.h"

namespace forebay::storage {
namespace {

using ::testing::HasSubstr;

std::string numbered(size_t bytes) {
  std::string text(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) {
    text[i] = static_cast<char>(i * 31 + i / 251);
  }
  return text;
}

class TreeTest : public ::testing::Test {
 protected:
  std::string read(const ObjectAddress& address) const {
    const Result<ReadBytes> read = read_now(*address.store, {.key = address.key});
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? text_of(*read) : "";
  }
  void put(const ObjectAddress& address, const std::string& content) const {
    ASSERT_TRUE(write_now(*address.store, address.key, as_bytes(content)).ok());
  }
  size_t files_left() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(directory_.path()), {}));
  }

  TemporaryDirectory directory_;
  std::shared_ptr<MemoryStore> memory_ = std::make_shared<MemoryStore>();
  std::shared_ptr<LocalStore> local_ =
      std::make_shared<LocalStore>(LocalStoreOptions{.root = directory_.path()});
};

TEST_F(TreeTest, FindsObjectsAndFolders) {
  put({memory_, "a/b"}, "x");
  put({local_, "a/b"}, "x");
  ASSERT_TRUE(make_directory_now(*local_, "empty/").ok());
  for (ObjectStore* store :
       {static_cast<ObjectStore*>(memory_.get()), static_cast<ObjectStore*>(local_.get())}) {
    EXPECT_FALSE(find_entry(*store, "a/b")->is_folder);
    EXPECT_EQ(find_entry(*store, "a/b")->stat.size_bytes, 1u);
    EXPECT_TRUE(find_entry(*store, "a")->is_folder);
    EXPECT_EQ(find_entry(*store, "a")->stat.key, "a/");
    EXPECT_TRUE(find_entry(*store, "a/")->is_folder);
    EXPECT_EQ(find_entry(*store, "b").status().code(), StatusCode::kNotFound);
    EXPECT_EQ(find_entry(*store, "a/b/").status().code(), StatusCode::kNotFound);
    EXPECT_EQ(find_entry(*store, "a/b/c").status().code(), StatusCode::kNotFound);
  }
  EXPECT_TRUE(find_entry(*local_, "empty")->is_folder);
  EXPECT_TRUE(find_entry(*memory_, "")->is_folder);
  EXPECT_THAT(std::string(message(find_entry(*memory_, "b").status())), HasSubstr("mem://b"));
}

TEST_F(TreeTest, WhatWasListedIsNotAskedAboutAgain) {
  const auto counted = std::make_shared<FaultInjectingStore>(memory_);
  const ObjectAddress from{counted, "k"};
  put(from, "one");
  CopyOptions options;
  options.listed = *stat_now(*memory_, "k");
  counted->fail_stats("k", unavailable("asked"));
  ASSERT_TRUE(copy_object(from, {local_, "copy"}, options).ok());
  EXPECT_EQ(read({local_, "copy"}), "one");
  put(from, "another");
  EXPECT_EQ(copy_object(from, {local_, "copy"}, options).status().code(), StatusCode::kUnavailable);
  counted->fail_stats("k", unavailable("asked"), 0);
  ASSERT_TRUE(copy_object(from, {local_, "copy"}, options).ok());  // it was replaced after it was listed
  EXPECT_EQ(read({local_, "copy"}), "another");
  EXPECT_EQ(files_left(), 1u);
}

TEST_F(TreeTest, CopiesBetweenStoresInParts) {
  for (const size_t bytes : {0, 1, 1000, 1001, 64 * 1024, 3 * 1024 * 1024 + 17}) {
    const std::string content = numbered(bytes);
    put({memory_, "from"}, content);
    uint64_t seen = 0;
    const CopyOptions options = {.part_bytes = 1000, .progress = [&](uint64_t part) { seen += part; }};
    const Result<ObjectStat> made = copy_object({memory_, "from"}, {local_, "to"}, options);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(made->size_bytes, bytes);
    EXPECT_EQ(seen, bytes);
    EXPECT_EQ(read({local_, "to"}), content);
    ASSERT_TRUE(copy_object({local_, "to"}, {memory_, "back"}, options).ok());
    EXPECT_EQ(read({memory_, "back"}), content);
  }
  EXPECT_EQ(files_left(), 1u);
}

TEST_F(TreeTest, CopiesWithinAStoreByTheStore) {
  put({memory_, "from"}, numbered(5000));
  auto counting = std::make_shared<FaultInjectingStore>(memory_);
  ASSERT_TRUE(copy_object({counting, "from"}, {counting, "to"}).ok());
  EXPECT_EQ(counting->read_count(), 0u);
  EXPECT_EQ(read({memory_, "to"}), numbered(5000));
  EXPECT_EQ(copy_object({memory_, "to"}, {memory_, "to"}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(TreeTest, AFailedCopyLeavesNothing) {
  put({memory_, "from"}, numbered(3 * 1024 * 1024));
  auto failing = std::make_shared<FaultInjectingStore>(memory_);
  failing->fail_randomly(0.7, 7, unavailable("gone"));
  EXPECT_EQ(copy_object({failing, "from"}, {local_, "to"}, {.part_bytes = 1000}).status().code(),
            StatusCode::kUnavailable);
  EXPECT_EQ(files_left(), 0u);
}

TEST_F(TreeTest, AStoppedCopyLeavesNothing) {
  put({memory_, "from"}, numbered(10 * 1024 * 1024));
  std::stop_source stop;
  const CopyOptions options = {.part_bytes = 1000, .progress = [&](uint64_t) { stop.request_stop(); }};
  EXPECT_EQ(copy_object({memory_, "from"}, {local_, "to"}, options, {.cancellation = stop.get_token()})
                .status()
                .code(),
            StatusCode::kCancelled);
  EXPECT_EQ(files_left(), 0u);
}

TEST_F(TreeTest, ACopyIsOfOneVersion) {
  put({memory_, "from"}, numbered(10 * 1024 * 1024));
  bool is_changed = false;
  const auto change = [&](uint64_t) {
    if (!std::exchange(is_changed, true)) {
      put({memory_, "from"}, numbered(100));
    }
  };
  EXPECT_EQ(copy_object({memory_, "from"}, {local_, "to"}, {.part_bytes = 1000, .progress = change})
                .status()
                .code(),
            StatusCode::kAborted);
  EXPECT_EQ(files_left(), 0u);
}

TEST_F(TreeTest, AnObjectThatIsThereMayBeKept) {
  put({memory_, "from"}, numbered(5000));
  put({local_, "to"}, "old");
  for (const uint64_t part : {1000, 10000}) {
    EXPECT_EQ(copy_object({memory_, "from"}, {local_, "to"}, {.if_absent = true, .part_bytes = part})
                  .status()
                  .code(),
              StatusCode::kAlreadyExists);
  }
  EXPECT_EQ(read({local_, "to"}), "old");
}

/// An empty store at a service, whose objects have the URIs that begin with `base`.
class NamedStore final : public ForwardingStore {
 public:
  NamedStore(std::string service, std::string base)
      : ForwardingStore(std::make_shared<MemoryStore>()),
        service_(std::move(service)),
        base_(std::move(base)) {}
  std::string service() const override { return service_; }
  std::string uri_of(std::string_view key) const override { return base_ + std::string(key); }

 private:
  const std::string service_;
  const std::string base_;
};

// "Move" removes what it has copied: two names of one place must not be taken for two places.
TEST(SamePlace, AzuresContainersGoByTwoSchemes) {
  const auto place = [](const char* service, const char* base) {
    return ObjectAddress{std::make_shared<NamedStore>(service, base), "a/"};
  };
  const ObjectAddress az = place("https://me.blob.core.windows.net", "az://box/");
  const ObjectAddress abfs = place("https://me.blob.core.windows.net", "abfs://box@me.dfs.core.windows.net/");
  const ObjectAddress other =
      place("https://you.blob.core.windows.net", "abfs://box@you.dfs.core.windows.net/");
  EXPECT_TRUE(lies_within(az, abfs));
  EXPECT_TRUE(lies_within(abfs, az));
  EXPECT_FALSE(lies_within(az, other));
}

}  // namespace
}  // namespace forebay::storage
