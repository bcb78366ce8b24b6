#include "forebay/cache/table/entry_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <unordered_map>

#include "forebay/base/random/random.h"
#include "forebay/base/sanitizers.h"

namespace forebay::cache {
namespace {

EntryKey key_of(uint64_t number) {
  return {{mix64(number, 1), mix64(number, 2)}, (number % 3) << 20};
}

TEST(EntryTable, AgreesWithAMap) {
  EntryTable table;
  std::unordered_map<EntryKey, EntrySlot, EntryKeyHash> model;
  RandomStream random(7, 0);
  for (int step = 0; step < 50'000; ++step) {
    const EntryKey key = key_of(random.below(3000));
    const auto known = model.find(key);
    const std::optional<EntrySlot> found = table.find(key);
    ASSERT_EQ(found.has_value(), known != model.end());
    if (!found) {
      model[key] = table.insert(key);
    } else if (random.below(3) != 0) {
      ASSERT_EQ(*found, known->second);
      ASSERT_EQ(table[*found].key(), key);
      table.unlink(*found);
      table.release(*found);
      model.erase(known);
    }
    ASSERT_EQ(table.size(), model.size());
  }
  EXPECT_LE(table.slots(), 3000u);
}

TEST(EntryTable, AnUnlinkedEntryKeepsItsSlotUntilReleased) {
  EntryTable table;
  const EntrySlot first = table.insert(key_of(1));
  table[first].length_bytes = 7;
  table.unlink(first);
  EXPECT_FALSE(table.find(key_of(1)));
  const EntrySlot second = table.insert(key_of(1));
  EXPECT_NE(first, second);
  EXPECT_EQ(table[first].length_bytes, 7u);
  table.release(first);
  EXPECT_EQ(table.insert(key_of(2)), first);
}

// Eight bytes more per entry are its place in its file.
TEST(EntryTable, TakesFewBytesForAnEntry) {
  const uint64_t most = kIsSanitized ? 100'000 : 800'000;
  for (uint64_t count : {uint64_t{30'000}, uint64_t{100'000}, uint64_t{419'431}, uint64_t{800'000}}) {
    count = std::min(count, most);
    EntryTable table;
    for (uint64_t i = 0; i < count; ++i) {
      table.insert(key_of(i));
    }
    EXPECT_LE(table.memory_bytes() + 8 * count, 64 * count) << count;
  }
}

}  // namespace
}  // namespace forebay::cache
