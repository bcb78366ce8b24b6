#include "forebay/dataset/index/stored_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "forebay/base/random/random.h"

namespace forebay::dataset {
namespace {

std::shared_ptr<const SampleIndex> index_of(const std::vector<std::vector<SampleRow>>& samples,
                                            uint32_t num_objects) {
  SampleIndexBuilder builder(static_cast<int>(samples.front().size()));
  for (uint32_t object = 0; object < num_objects; ++object) {
    builder.add_object("object" + std::to_string(object), {.size_bytes = 1000, .version = "1"});
  }
  for (const std::vector<SampleRow>& rows : samples) {
    for (const SampleRow& row : rows) {
      builder.add_row(row);
    }
  }
  return *builder.finish(0);
}

SampleRow row(uint32_t object, uint64_t offset_bytes, uint64_t length_bytes) {
  return {.object = object, .offset_bytes = offset_bytes, .length_bytes = length_bytes};
}

TEST(StoredOrder, OfAnIndexInOrderIsTheIndexItself) {
  const StoredOrder order(index_of({{row(0, 0, 10)}, {row(0, 10, 5)}, {row(1, 0, 10)}, {row(2, 7, 1)}}, 3));
  for (uint64_t sample = 0; sample < 4; ++sample) {
    EXPECT_EQ(order.place_of(sample), sample);
    EXPECT_EQ(order.sample_at(sample), sample);
  }
  EXPECT_EQ(order.samples_in(0, 0, 10), (storage::ItemRun{0, 1}));
  EXPECT_EQ(order.samples_in(0, 9, 11), (storage::ItemRun{0, 2}));
  EXPECT_EQ(order.samples_in(0, 15, 1000).count, 0u);
  EXPECT_EQ(order.samples_in(1, 0, UINT64_MAX), (storage::ItemRun{2, 1}));
  EXPECT_EQ(order.samples_in(2, 0, 7).count, 0u);
}

TEST(StoredOrder, FindsTheSamplesOfARangeInAnyOrder) {
  RandomStream random(5, 0);
  std::vector<std::vector<SampleRow>> samples;
  for (uint32_t object = 0; object < 7; ++object) {
    for (uint64_t offset = 0; offset < 1000; offset += 40) {  // two fields, and a gap behind them
      samples.push_back({row(object, offset, 10), row(object, offset + 12, 20)});
    }
  }
  for (size_t i = samples.size(); i > 1; --i) {
    std::swap(samples[i - 1], samples[random.below(i)]);
  }
  samples.push_back(samples.front());  // the same bytes twice
  samples.push_back({SampleRow(), SampleRow()});
  const StoredOrder order(index_of(samples, 7));
  for (uint64_t sample = 0; sample < samples.size(); ++sample) {
    ASSERT_EQ(order.sample_at(order.place_of(sample)), sample);
  }
  for (int i = 0; i < 500; ++i) {
    const auto object = static_cast<uint32_t>(random.below(7));
    const uint64_t begin = random.below(1000);
    const uint64_t end = begin + 1 + random.below(100);
    std::vector<uint64_t> expected;
    for (uint64_t sample = 0; sample < samples.size(); ++sample) {
      const SampleRow& first = samples[sample][0];
      if (!first.is_missing() && first.object == object && first.offset_bytes < end &&
          first.offset_bytes + 32 > begin) {
        expected.push_back(sample);
      }
    }
    std::vector<uint64_t> found;
    const storage::ItemRun run = order.samples_in(object, begin, end);
    for (uint64_t place = run.first; place < run.first + run.count; ++place) {
      found.push_back(order.sample_at(place));
    }
    std::ranges::sort(found);
    ASSERT_EQ(found, expected) << object << " " << begin << " " << end;
  }
}

}  // namespace
}  // namespace forebay::dataset
