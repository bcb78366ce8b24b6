#include "forebay/cache/policy/due_heap.h"

#include <gtest/gtest.h>

#include <map>

#include "forebay/base/random/random.h"

namespace forebay::cache {
namespace {

TEST(DueHeap, HasOnTopWhatGoesFirst) {
  DueHeap heap;
  std::map<EntrySlot, Due> plain;
  RandomStream random(4, 0);
  for (int i = 0; i < 20'000; ++i) {
    const auto slot = static_cast<EntrySlot>(random.below(100));
    if (random.below(3) == 0 && plain.erase(slot) > 0) {
      heap.erase(slot);
    } else {
      plain[slot] = {static_cast<double>(random.below(1000)), static_cast<int8_t>(random.below(3))};
      heap.set(slot, plain[slot]);
    }
    size_t before = 0;
    const Due bound = {500, 1};
    heap.visit_before(bound, [&](EntrySlot each) {
      before += plain.at(each).goes_before(bound);
      return true;
    });
    size_t expected = 0;
    for (const auto& [each, due] : plain) {
      ASSERT_FALSE(due.goes_before(heap.top().due));
      expected += due.goes_before(bound);
    }
    ASSERT_EQ(before, expected);
    ASSERT_EQ(heap.is_empty(), plain.empty());
  }
}

}  // namespace
}  // namespace forebay::cache
