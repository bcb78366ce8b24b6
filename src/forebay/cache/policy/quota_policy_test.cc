#include "forebay/cache/policy/quota_policy.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/base/testing/rounds.h"
#include "forebay/cache/policy/policies.h"
#include "forebay/cache/policy/s3_fifo.h"

namespace forebay::cache {
namespace {

using FolderId = QuotaPolicy::FolderId;

constexpr FolderId kWhole = QuotaPolicy::kWhole;

EntryFacts numbered(uint64_t item, uint64_t bytes, Retention retention = {}) {
  return {.key = {.object = {mix64(item, 7), mix64(item, 8)}}, .bytes = bytes, .retention = retention};
}

class FifoWithQuotas : public QuotaPolicy {
 public:
  explicit FifoWithQuotas(const Quotas& quotas) : QuotaPolicy(s3_fifo_policy(), s3_fifo_policy(), 1000) {
    set_quotas(quotas);
  }
};

TEST(QuotaPolicyTest, AFolderChoosesAmongItsOwn) {
  FifoWithQuotas policy({{"a", 100}});
  const FolderId a = policy.folder_of("a");
  EXPECT_EQ(policy.folder_of("b"), kWhole);
  policy.inserted(0, numbered(0, 10), kWhole);
  policy.inserted(1, numbered(1, 60), a);
  policy.inserted(2, numbered(2, 30), a);
  EXPECT_TRUE(policy.has_room(a, 10));
  EXPECT_FALSE(policy.has_room(a, 11));
  EXPECT_TRUE(policy.may_have_room(a, 100));
  EXPECT_FALSE(policy.may_have_room(a, 101));
  EXPECT_TRUE(policy.has_room(kWhole, 1'000'000));
  EXPECT_EQ(policy.take_victim(a), 1u);
  EXPECT_TRUE(policy.has_room(a, 70));
  EXPECT_EQ(policy.take_victim(kWhole), 0u);
  EXPECT_EQ(policy.take_victim(kWhole), 2u);
  EXPECT_TRUE(policy.has_room(a, 100));
  EXPECT_EQ(policy.take_victim(a), std::nullopt);
  EXPECT_EQ(policy.take_victim(kWhole), std::nullopt);
}

TEST(QuotaPolicyTest, PinsAreNoVictims) {
  FifoWithQuotas policy({{"a", 100}});
  const FolderId a = policy.folder_of("a");
  policy.inserted(0, numbered(0, 100, {.is_pinned = true}), a);
  EXPECT_EQ(policy.take_victim(a), std::nullopt);
  EXPECT_FALSE(policy.admits(a, numbered(1, 10)));
  policy.retention_changed(0, {});
  EXPECT_TRUE(policy.admits(a, numbered(1, 10)));
  EXPECT_EQ(policy.take_victim(a), 0u);
}

TEST(QuotaPolicyTest, AnotherQuotaHoldsAtOnceAndNothingIsForgotten) {
  FifoWithQuotas policy({{"a", 100}, {"b", 100}});
  const FolderId a = policy.folder_of("a");
  for (EntrySlot slot = 0; slot < 8; ++slot) {
    policy.inserted(slot, numbered(slot, 20), policy.folder_of(slot < 4 ? "a" : "b"));
  }
  policy.used(0);
  policy.used(0);
  policy.set_quotas({{"a", 60}, {"b", 100}});
  EXPECT_EQ(policy.folder_of("a"), a);
  EXPECT_FALSE(policy.has_room(a, 0));
  EXPECT_EQ(policy.take_victim(a), 1u) << "the first was read twice";
  EXPECT_TRUE(policy.has_room(a, 0));
  EXPECT_FALSE(policy.has_room(a, 1));
  EXPECT_FALSE(policy.has_room(policy.folder_of("b"), 21));
}

TEST(QuotaPolicyTest, EntriesOutliveTheirQuota) {
  FifoWithQuotas policy({{"a", 100}, {"b", 100}});
  std::vector<EntryFacts> entries;
  for (EntrySlot slot = 0; slot < 6; ++slot) {
    entries.push_back(numbered(slot, 20));
    policy.inserted(slot, entries.back(), policy.folder_of("a"));
  }
  policy.set_quotas({{"b", 100}});
  EXPECT_EQ(policy.folder_of("a"), kWhole);
  policy.move(5, entries[5], policy.folder_of("b"));
  policy.end_old_quotas();
  EXPECT_FALSE(policy.has_room(policy.folder_of("b"), 81));
  policy.set_quotas({});
  policy.end_old_quotas();
  for (EntrySlot slot = 0; slot < 6; ++slot) {
    EXPECT_EQ(policy.take_victim(kWhole), slot) << "in the order in which they came";
  }
}

// The cache's slots are those of all folders.
TEST(QuotaPolicyTest, AFolderTakesMemoryForItsOwnAlone) {
  Quotas quotas;
  for (int i = 0; i < 100; ++i) {
    quotas.emplace(fmt::format("{}", i), 100);
  }
  FifoWithQuotas policy(quotas);
  EntrySlot slot = 1'000'000;
  for (const auto& [name, bytes] : quotas) {
    policy.inserted(slot, numbered(slot, 1), policy.folder_of(name));
    ++slot;
  }
  EXPECT_LT(policy.memory_bytes(), size_t{100} << 20);
}

/// A policy of its own for the whole and for each folder, which all use the cache's slots.
class Reference {
 public:
  struct Entry {
    EntryFacts facts;
    std::string folder;  // empty: none
  };

  void inserted(EntrySlot slot, const EntryFacts& facts, const std::string& folder) {
    entries[slot] = {facts, folder};
    whole_.inserted(slot, facts);
    if (!folder.empty()) {
      folders_[folder].inserted(slot, facts);
    }
  }
  void used(EntrySlot slot) {
    whole_.used(slot);
    if (S3Fifo* const folder = folder_of(slot)) {
      folder->used(slot);
    }
  }
  void retention_changed(EntrySlot slot, const Retention& retention) {
    entries[slot].facts.retention = retention;
    whole_.retention_changed(slot, retention);
    if (S3Fifo* const folder = folder_of(slot)) {
      folder->retention_changed(slot, retention);
    }
  }
  void removed(EntrySlot slot) {
    whole_.removed(slot);
    move(slot, "");
    entries.erase(slot);
  }
  void move(EntrySlot slot, const std::string& to) {
    if (S3Fifo* const folder = folder_of(slot)) {
      folder->removed(slot);
    }
    entries[slot].folder = to;
    if (!to.empty()) {
      folders_[to].inserted(slot, entries[slot].facts);
    }
  }
  std::optional<EntrySlot> take_victim() {
    const std::optional<EntrySlot> victim = whole_.take_victim();
    if (victim) {
      move(*victim, "");
      entries.erase(*victim);
    }
    return victim;
  }
  std::optional<EntrySlot> take_victim(const std::string& folder) {
    const std::optional<EntrySlot> victim = folders_[folder].take_victim();
    if (victim) {
      whole_.removed(*victim);
      entries.erase(*victim);
    }
    return victim;
  }
  uint64_t held_bytes(const std::string& folder) { return folders_[folder].held_bytes(); }

  std::map<EntrySlot, Entry> entries;

 private:
  S3Fifo* folder_of(EntrySlot slot) {
    const std::string& name = entries.at(slot).folder;
    return name.empty() ? nullptr : &folders_[name];
  }

  S3Fifo whole_;
  std::map<std::string, S3Fifo> folders_;
};

TEST(QuotaPolicyTest, IsTheWholeAndEachFolderByItself) {
  const std::vector<std::string> names = {"", "a", "b", "c"};
  for (uint64_t seed = 0; seed < rounds(20, 200); ++seed) {
    constexpr uint64_t kQuota = 400;
    FifoWithQuotas policy({{"a", kQuota}, {"b", kQuota}, {"c", kQuota}});
    Reference reference;
    uint64_t step = 0;
    const auto draw = [&](uint64_t bound) { return mix64(seed, ++step) % bound; };
    EntrySlot next = 0;
    for (int i = 0; i < 3000; ++i) {
      const std::string& name = names[draw(names.size())];
      const FolderId folder = policy.folder_of(name);
      const bool is_empty = reference.entries.empty();
      const auto lower = reference.entries.lower_bound(static_cast<EntrySlot>(draw(next + uint64_t{1})));
      const EntrySlot slot =
          is_empty ? 0 : (lower == reference.entries.end() ? reference.entries.begin() : lower)->first;
      const Retention retention = {.priority = static_cast<int8_t>(draw(3)), .is_pinned = draw(8) == 0};
      switch (is_empty ? 0 : draw(8)) {
        case 0:
        case 1: {
          const EntryFacts facts = numbered(draw(200), 1 + draw(50), retention);
          policy.inserted(next, facts, folder);
          reference.inserted(next, facts, name);
          ++next;
          break;
        }
        case 2:
        case 3:
          policy.used(slot);
          reference.used(slot);
          break;
        case 4:
          policy.retention_changed(slot, retention);
          reference.retention_changed(slot, retention);
          break;
        case 5:
          policy.removed(slot);
          reference.removed(slot);
          break;
        case 6:
          if (name.empty()) {
            EXPECT_EQ(policy.take_victim(kWhole), reference.take_victim());
          } else {
            EXPECT_EQ(policy.take_victim(folder), reference.take_victim(name));
          }
          break;
        default:
          if (reference.entries.at(slot).folder != name) {
            policy.move(slot, reference.entries.at(slot).facts, folder);
            reference.move(slot, name);
          }
      }
      if (folder != kWhole) {
        const uint64_t held = reference.held_bytes(name);
        ASSERT_TRUE(held > kQuota || policy.has_room(folder, kQuota - held)) << seed << " " << i;
        ASSERT_FALSE(policy.has_room(folder, kQuota - std::min(held, kQuota) + 1)) << seed << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace forebay::cache
