#include "forebay/dataset/object_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace forebay::dataset {
namespace {

/// Bytes that tell their offset; a read takes a set time on a clock of its own.
class TimedSource final : public ByteSource {
 public:
  TimedSource(uint64_t size_bytes, int64_t read_ns) : size_bytes_(size_bytes), read_ns_(read_ns) {}

  uint64_t size_bytes() const override { return size_bytes_; }
  Status read(uint64_t offset_bytes, MutableBytes destination) const override {
    clock.advance_ns(read_ns_);
    reads.push_back(destination.size());
    for (size_t i = 0; i < destination.size(); ++i) {
      destination[i] = byte_at(offset_bytes + i);
    }
    return ok_status();
  }
  static std::byte byte_at(uint64_t offset) { return static_cast<std::byte>(offset * 7 + offset / 251); }

  mutable SteppedClock clock;
  mutable std::vector<uint64_t> reads;

 private:
  const uint64_t size_bytes_;
  const int64_t read_ns_;
};

/// Reads 512 bytes every `step` and returns how many reads of the source that took.
size_t scan(const TimedSource& source, uint64_t step) {
  WindowReader reader(source, source.clock);
  for (uint64_t offset = 0; offset + 512 <= source.size_bytes(); offset += step) {
    const Result<Bytes> bytes = reader.at(offset, 512);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_EQ((*bytes)[0], TimedSource::byte_at(offset));
    EXPECT_EQ((*bytes)[511], TimedSource::byte_at(offset + 511));
  }
  return source.reads.size();
}

constexpr uint64_t kObjectBytes = 64 << 20;

TEST(WindowReader, QuickSourcesAreReadAroundTheHeaders) {
  const TimedSource source(kObjectBytes, 20'000);
  EXPECT_EQ(scan(source, 100'000), kObjectBytes / 100'000 + 1);
  EXPECT_EQ(*std::ranges::max_element(source.reads), 16u << 10);
}

TEST(WindowReader, SlowSourcesAreReadInLargeWindows) {
  const TimedSource source(kObjectBytes, 20'000'000);
  EXPECT_LT(scan(source, 100'000), 20u);  // 671 headers
  // What a host's cache keeps in chunks, but for the first look and the object's end.
  EXPECT_TRUE(std::all_of(source.reads.begin() + 1, source.reads.end() - 1,
                          [](uint64_t bytes) { return bytes >= 2u << 20; }));
  EXPECT_EQ(*std::ranges::max_element(source.reads), 4u << 20);
}

TEST(WindowReader, WideGapsAreNotReadOver) {
  const TimedSource source(kObjectBytes, 20'000'000);
  EXPECT_EQ(scan(source, 5 << 20), 13u);
  EXPECT_EQ(*std::ranges::max_element(source.reads), 16u << 10);
}

}  // namespace
}  // namespace forebay::dataset
