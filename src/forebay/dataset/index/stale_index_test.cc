// When a reader removes an index: if an object has changed, and if the index is still the one that says so.
#include "forebay/dataset/index/stale_index.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "forebay/dataset/files/file_source.h"
#include "forebay/dataset/testing/memory_set.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::dataset {
namespace {

/// Runs something before it renames.
class RenamingStore final : public storage::ForwardingStore {
 public:
  RenamingStore() : ForwardingStore(std::make_shared<storage::MemoryStore>()) {}

  void rename(storage::MoveRequest request, const storage::CallContext& context,
              storage::StatCallback done) override {
    if (auto run = std::exchange(before_rename, nullptr)) {
      run();
    }
    ForwardingStore::rename(std::move(request), context, std::move(done));
  }

  std::function<void()> before_rename;
};

class StaleIndexTest : public ::testing::Test {
 protected:
  StaleIndexTest() {
    faulty_ = std::make_shared<storage::FaultInjectingStore>(store_);
    registry_.mount("mem://set/", faulty_);
    put("a/0.png", "zero");
    put("a/1.png", "one");
    options_.files = {"mem://set/a/0.png", "mem://set/a/1.png"};
    options_.registry = &registry_;
    options_.index_file = "mem://set/index";
    Result<std::shared_ptr<Source>> made = make_file_source(options_);
    EXPECT_TRUE(made.ok()) << made.status();
    source_ = *std::move(made);
  }

  void put(const std::string& key, const std::string& content) {
    ASSERT_TRUE(storage::write_now(*store_, key, testing::bytes_of(content)).ok());
  }
  void read_fails() { EXPECT_EQ(read_now(*source_, 1).status().code(), StatusCode::kAborted); }
  /// What lies there, index or other, by name.
  std::vector<std::string> names_beside() {
    std::vector<std::string> names;
    const auto list = store_->open_list({});
    list->next({}, [&](const Result<storage::ListPage>& page) {
      ASSERT_TRUE(page.ok()) << page.status();
      for (const storage::ObjectStat& object : page->objects) {
        if (!object.key.starts_with("a/")) {
          names.push_back(object.key);
        }
      }
    });
    return names;
  }

  std::string text_of_index() {
    const Result<storage::ReadBytes> read = storage::read_now(*store_, {.key = "index"});
    return read.ok() ? std::string(reinterpret_cast<const char*>(read->bytes.data()), read->bytes.size())
                     : "";
  }

  std::shared_ptr<RenamingStore> store_ = std::make_shared<RenamingStore>();
  std::shared_ptr<storage::FaultInjectingStore> faulty_;
  storage::StoreRegistry registry_;
  FileSourceOptions options_;
  std::shared_ptr<Source> source_;
};

using Names = std::vector<std::string>;

TEST_F(StaleIndexTest, AChangedObjectRemovesIt) {
  put("a/1.png", "changed");
  read_fails();
  EXPECT_EQ(names_beside(), Names());
}

TEST_F(StaleIndexTest, ARemovedObjectThatWasReadAsAnotherRemovesIt) {
  faulty_->fail_reads("a/1.png", aborted("another"), 1);
  storage::remove_now(*store_, "a/1.png").IgnoreError();
  read_fails();
  EXPECT_EQ(names_beside(), Names());
}

TEST_F(StaleIndexTest, AConflictThatPassesLeavesItAndALaterChangeRemovesIt) {
  faulty_->fail_reads("a/1.png", aborted("409"), 2);
  read_fails();
  read_fails();
  EXPECT_EQ(names_beside(), Names{"index"});
  EXPECT_TRUE(read_now(*source_, 1).ok());
  put("a/1.png", "changed");
  read_fails();
  EXPECT_EQ(names_beside(), Names());
}

TEST_F(StaleIndexTest, AStoreThatDoesNotAnswerLeavesIt) {
  put("a/1.png", "changed");
  faulty_->fail_stats("a/1.png", unavailable("an outage"), 1);
  read_fails();
  EXPECT_EQ(names_beside(), Names{"index"});
  read_fails();
  EXPECT_EQ(names_beside(), Names());
}

TEST_F(StaleIndexTest, OneThatIsMadeAnewAfterTheLastLookStays) {
  put("a/1.png", "changed");
  store_->before_rename = [this] { put("index", "made anew"); };
  read_fails();
  EXPECT_EQ(names_beside(), Names{"index"});
  EXPECT_EQ(text_of_index(), "made anew");
}

TEST_F(StaleIndexTest, OneThatIsRemovedAfterTheLastLookIsGone) {
  put("a/1.png", "changed");
  store_->before_rename = [this] { storage::remove_now(*store_, "index").IgnoreError(); };
  read_fails();
  EXPECT_EQ(names_beside(), Names());
}

}  // namespace
}  // namespace forebay::dataset
