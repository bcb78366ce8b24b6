#include "forebay/cache/ahead/fetch_ahead.h"
#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/wait_for_child.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "forebay/cache/testing/shuffled_items.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::cache {
namespace {

using storage::ReadPlan;
using testing::ShuffledItems;

/// Notes which keys are asked for, and lets a test wait for them. None of them exists.
class NotingStore final : public storage::ForwardingStore {
 public:
  NotingStore() : ForwardingStore(std::make_shared<storage::MemoryStore>()) {}

  void read(storage::ReadRequest request, const storage::CallContext&, storage::ReadCallback done) override {
    {
      const MutexLock lock(mutex_);
      keys_.insert(request.key);
    }
    change_.notify_all();
    done(storage::ReadBytes());
  }

  void wait_for(const std::string& key) {
    UniqueMutexLock lock(mutex_);
    change_.wait(lock.native(), [&]() FOREBAY_REQUIRES(mutex_) { return keys_.contains(key); });
  }

 private:
  Mutex mutex_;
  std::condition_variable change_;
  std::set<std::string> keys_ FOREBAY_GUARDED_BY(mutex_);
};

class FetchAheadTest : public ::testing::Test {
 protected:
  static std::shared_ptr<ReadPlan> plan() {
    return std::make_shared<ReadPlan>(0, UINT64_MAX,
                                      std::make_shared<ShuffledItems>(std::vector<uint64_t>(100, 10), 1), 5);
  }
  static std::string key_at(const ReadPlan& plan, uint64_t position) {
    return ShuffledItems::key_of(plan.items()->item_at(position));
  }

  std::shared_ptr<Future> future_ = std::make_shared<Future>();
  std::shared_ptr<NotingStore> store_ = std::make_shared<NotingStore>();
};

TEST_F(FetchAheadTest, FollowsTheReader) {
  FetchAhead ahead(future_, nullptr, {.ahead_bytes = 100});
  const std::shared_ptr<ReadPlan> followed = plan();
  ahead.follow(store_, followed);
  store_->wait_for(key_at(*followed, 14));
  const ObjectId object = object_id(store_->uri_of(key_at(*followed, 50)), "1");
  EXPECT_EQ(future_->next_read({object.low, 0, 10}, 0), 50);
  followed->advance(30);
  store_->wait_for(key_at(*followed, 44));
}

TEST_F(FetchAheadTest, SourcesWithoutAnIndexAreFetchedByTheirRanges) {
  FetchAhead ahead(future_, nullptr, {.ahead_bytes = 100});
  auto followed =
      std::make_shared<ReadPlan>(0, 40, [](uint64_t k, std::vector<storage::PlannedRange>* ranges) {
        ranges->push_back({"r" + std::to_string(k), 0, 10, {}});
      });
  ahead.follow(store_, followed);
  store_->wait_for("r9");
  followed->advance(30);
  store_->wait_for("r39");
}

TEST_F(FetchAheadTest, HoldsNeitherStoreNorPlanOnceTheyAreGone) {
  auto ahead = std::make_unique<FetchAhead>(future_, nullptr, FetchAheadOptions{.ahead_bytes = 100});
  std::shared_ptr<ReadPlan> followed = plan();
  ahead->follow(store_, followed);
  store_->wait_for(key_at(*followed, 14));
  const std::weak_ptr<const storage::PlannedItems> items = followed->items();
  followed->retract();
  ahead.reset();
  future_->now();
  EXPECT_TRUE(items.expired());
  const std::weak_ptr<NotingStore> store = store_;
  store_.reset();
  EXPECT_TRUE(store.expired());
}

TEST_F(FetchAheadTest, AForkedChildLeavesItAlone) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  auto ahead = std::make_unique<FetchAhead>(future_, nullptr, FetchAheadOptions{.ahead_bytes = 100});
  const std::shared_ptr<ReadPlan> followed = plan();
  ahead->follow(store_, followed);
  store_->wait_for(key_at(*followed, 14));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ahead->follow(store_, plan());
    followed->advance(30);
    ahead.reset();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(wait_for_child(child, &status), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  followed->advance(60);
  store_->wait_for(key_at(*followed, 74));
}

TEST_F(FetchAheadTest, ItsThreadMayDropTheStoreThatOwnsIt) {
  /// As a cache does: its store owns what follows its plans.
  struct OwningStore final : storage::ForwardingStore {
    explicit OwningStore(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}
    std::unique_ptr<FetchAhead> ahead;
  };
  auto owner = std::make_shared<OwningStore>(store_);
  owner->ahead = std::make_unique<FetchAhead>(future_, nullptr, FetchAheadOptions{.ahead_bytes = 100});
  const std::shared_ptr<ReadPlan> followed = plan();
  owner->ahead->follow(owner, followed);
  store_->wait_for(key_at(*followed, 5));
  owner.reset();  // the thread may hold it for the moment, and is then the last owner
  followed->advance(10);
  followed->retract();
}

}  // namespace
}  // namespace forebay::cache
