// The policies that know no future, against plain models of them on random traces.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/cache/policy/lru.h"
#include "forebay/cache/policy/policies.h"
#include "forebay/cache/policy/s3_fifo.h"

namespace forebay::cache {
namespace {

EntryFacts facts(uint64_t item, uint64_t bytes, Retention retention = {}) {
  return {.key = {.object = {mix64(item, 1), mix64(item, 2)}}, .bytes = bytes, .retention = retention};
}

/// What a model is told; it names items where a policy names slots.
class Model {
 public:
  virtual ~Model() = default;
  virtual void inserted(uint64_t item, uint64_t bytes) = 0;
  virtual void used(uint64_t item) = 0;
  virtual void removed(uint64_t item) = 0;
  virtual uint64_t take_victim() = 0;
};

class PlainLru final : public Model {
 public:
  void inserted(uint64_t item, uint64_t) override { items_.push_back(item); }
  void used(uint64_t item) override {
    removed(item);
    items_.push_back(item);
  }
  void removed(uint64_t item) override { std::erase(items_, item); }
  uint64_t take_victim() override {
    const uint64_t victim = items_.front();
    items_.pop_front();
    return victim;
  }

 private:
  std::deque<uint64_t> items_;
};

/// Algorithm 1 of the paper, word for word.
class PlainS3Fifo final : public Model {
 public:
  void inserted(uint64_t item, uint64_t bytes) override {
    const bool was_ghost = std::erase(ghosts_, item) > 0;
    (was_ghost ? main_ : small_).push_front({item, bytes, 0});
  }
  void used(uint64_t item) override {
    for (std::deque<Entry>* queue : {&small_, &main_}) {
      for (Entry& entry : *queue) {
        entry.reads += entry.item == item && entry.reads < 3;
      }
    }
  }
  void removed(uint64_t item) override {
    for (std::deque<Entry>* queue : {&small_, &main_}) {
      std::erase_if(*queue, [&](const Entry& entry) { return entry.item == item; });
    }
  }
  uint64_t take_victim() override {
    for (;;) {
      const uint64_t all = bytes_of(small_) + bytes_of(main_);
      const bool from_small = !small_.empty() && (main_.empty() || bytes_of(small_) >= all / 10);
      std::deque<Entry>& queue = from_small ? small_ : main_;
      const size_t held = small_.size() + main_.size();
      Entry entry = queue.back();
      queue.pop_back();
      if (from_small && entry.reads > 1) {
        entry.reads = 0;
        main_.push_front(entry);
      } else if (from_small) {
        ghosts_.push_back(entry.item);
        while (ghosts_.size() > held - held / 10) {
          ghosts_.pop_front();
        }
        return entry.item;
      } else if (entry.reads > 0) {
        --entry.reads;
        main_.push_front(entry);
      } else {
        return entry.item;
      }
    }
  }

 private:
  struct Entry {
    uint64_t item;
    uint64_t bytes;
    int reads;
  };
  static uint64_t bytes_of(const std::deque<Entry>& queue) {
    uint64_t bytes = 0;
    for (const Entry& entry : queue) {
      bytes += entry.bytes;
    }
    return bytes;
  }

  std::deque<Entry> small_;
  std::deque<Entry> main_;
  std::deque<uint64_t> ghosts_;
};

/// A cache without bytes, which asks a policy and its model the same and compares the answers.
class Compared {
 public:
  Compared(EvictionPolicy& policy, Model& model) : policy_(policy), model_(model) {
    items_.assign(kSlots, kNone);
  }

  void read(uint64_t item, uint64_t bytes) {
    const auto found = std::ranges::find(items_, item);
    if (found != items_.end()) {
      policy_.used(static_cast<EntrySlot>(found - items_.begin()));
      model_.used(item);
      return;
    }
    auto free = std::ranges::find(items_, kNone);
    if (free == items_.end()) {
      ASSERT_TRUE(policy_.admits(facts(item, bytes)));
      const std::optional<EntrySlot> victim = policy_.take_victim();
      ASSERT_TRUE(victim.has_value());
      ASSERT_EQ(items_[*victim], model_.take_victim());
      free = items_.begin() + *victim;
    }
    *free = item;
    policy_.inserted(static_cast<EntrySlot>(free - items_.begin()), facts(item, bytes));
    model_.inserted(item, bytes);
  }

  void remove(EntrySlot slot) {
    if (items_[slot] != kNone) {
      policy_.removed(slot);
      model_.removed(items_[slot]);
      items_[slot] = kNone;
    }
  }

  static constexpr size_t kSlots = 60;

 private:
  static constexpr uint64_t kNone = UINT64_MAX;

  EvictionPolicy& policy_;
  Model& model_;
  std::vector<uint64_t> items_;
};

void compare(EvictionPolicy& policy, Model& model) {
  Compared cache(policy, model);
  RandomStream random(11, 0);
  for (int i = 0; i < 30'000 && !::testing::Test::HasFatalFailure(); ++i) {
    // Some items are read often; some of the others come back soon enough to be ghosts.
    const uint64_t item = random.coin(0.5F) ? random.below(40) : random.below(400);
    cache.read(item, 1 + item % 7);
    if (random.below(100) == 0) {
      cache.remove(static_cast<EntrySlot>(random.below(Compared::kSlots)));
    }
  }
}

TEST(Lru, GivesUpWhatAPlainModelGivesUp) {
  Lru policy;
  PlainLru model;
  compare(policy, model);
}

TEST(S3Fifo, GivesUpWhatThePapersAlgorithmGivesUp) {
  S3Fifo policy;
  PlainS3Fifo model;
  compare(policy, model);
}

TEST(S3Fifo, AScanLeavesWhatIsReadOftenAlone) {
  S3Fifo policy;
  for (EntrySlot slot = 0; slot < 100; ++slot) {
    policy.inserted(slot, facts(slot, 10));
    if (slot < 80) {
      policy.used(slot);
      policy.used(slot);
    }
  }
  for (uint64_t scanned = 100; scanned < 1000; ++scanned) {
    const EntrySlot victim = *policy.take_victim();
    ASSERT_GE(victim, 80u);
    policy.inserted(victim, facts(scanned, 10));
  }
}

class AnyPolicy : public ::testing::TestWithParam<int> {
 protected:
  AnyPolicy() {
    const PolicyFactory factories[] = {
        lru_policy(), s3_fifo_policy(),
        planned_policy(std::make_shared<Future>(), std::make_shared<PlannedRoom>())};
    policy_ = factories[GetParam()](1000);
  }

  std::unique_ptr<EvictionPolicy> policy_;
};
INSTANTIATE_TEST_SUITE_P(Policies, AnyPolicy, ::testing::Values(0, 1, 2));

TEST_P(AnyPolicy, NeverGivesUpWhatIsPinned) {
  for (EntrySlot slot = 0; slot < 10; ++slot) {
    policy_->inserted(slot, facts(slot, 100, {.is_pinned = slot % 2 == 0}));
  }
  policy_->retention_changed(1, {.is_pinned = true});
  policy_->used(0);
  policy_->retention_changed(0, {});
  std::set<EntrySlot> victims;
  while (const std::optional<EntrySlot> victim = policy_->take_victim()) {
    victims.insert(*victim);
  }
  EXPECT_EQ(victims, (std::set<EntrySlot>{0, 3, 5, 7, 9}));
  policy_->removed(1);
  EXPECT_EQ(policy_->take_victim(), std::nullopt);
}

TEST_P(AnyPolicy, GivesUpALowerPriorityFirstAndNoHigherOneForIt) {
  for (EntrySlot slot = 0; slot < 9; ++slot) {
    policy_->inserted(slot, facts(slot, 100, {.priority = static_cast<int8_t>(slot % 3)}));
  }
  policy_->retention_changed(2, {.priority = -1});
  EXPECT_TRUE(policy_->admits(facts(20, 1000, {.priority = 2})));
  EXPECT_FALSE(policy_->admits(facts(20, 1000, {.priority = -2})));
  EXPECT_EQ(policy_->take_victim(), 2u);
  for (const int priority : {0, 0, 0, 1, 1, 1, 2, 2}) {
    EXPECT_EQ(*policy_->take_victim() % 3, static_cast<EntrySlot>(priority));
  }
  EXPECT_EQ(policy_->take_victim(), std::nullopt);
}

TEST_P(AnyPolicy, TakesABoundedAmountOfMemoryForEachEntry) {
  constexpr EntrySlot kEntries = 100'000;
  for (EntrySlot slot = 0; slot < kEntries; ++slot) {
    policy_->inserted(slot, facts(slot, 100));
  }
  for (uint64_t item = kEntries; item < 4 * kEntries; ++item) {
    policy_->inserted(*policy_->take_victim(), facts(item, 100));
  }
  // Arrays grow by doubling, so up to twice of what the headers say.
  const size_t most[] = {12, 24 + 20, 84 + 20};
  EXPECT_LE(policy_->memory_bytes(), 2 * most[GetParam()] * kEntries);
  EXPECT_GT(policy_->memory_bytes(), 8u * kEntries);
}

}  // namespace
}  // namespace forebay::cache
