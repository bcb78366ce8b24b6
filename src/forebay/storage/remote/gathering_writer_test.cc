// How content becomes parts, up to the largest objects: the store is simulated, and the bytes of large
// appends are addresses that nobody reads.

#include "forebay/storage/remote/gathering_writer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/base/units.h"
#include "forebay/storage/blocking.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxParts = 10'000;         // of an upload to S3
constexpr uint64_t kLeastPart = 5 << 20;     // but the last
constexpr uint64_t kLargestPart = 5 * kGiB;  // and of a single request
constexpr uint64_t kLargestObject = 5 * kTiB;

/// Sizes that were sent, in order.
struct Sent {
  std::vector<uint64_t> parts;
  uint64_t put_bytes = 0;
  uint64_t object_bytes = 0;
  bool is_aborted = false;
  bool keeps_content = false;
  std::string content;  // of the parts, if it is kept
};

class SimulatedUpload final : public PartedUpload {
 public:
  explicit SimulatedUpload(std::shared_ptr<Sent> sent) : sent_(std::move(sent)) {}
  size_t parts() const override { return sent_->parts.size(); }
  void add(Bytes content, const CallContext&, StatusCallback done) override {
    sent_->parts.push_back(content.size());
    if (sent_->keeps_content) {
      sent_->content.append(reinterpret_cast<const char*>(content.data()), content.size());
    }
    done(ok_status());
  }
  void complete(uint64_t size_bytes, const WriteOptions&, const CallContext&, StatCallback done) override {
    sent_->object_bytes = size_bytes;
    done(ObjectStat{.size_bytes = size_bytes});
  }
  void abort() override { sent_->is_aborted = true; }

 private:
  const std::shared_ptr<Sent> sent_;
};

class SimulatedTarget final : public UploadTarget {
 public:
  explicit SimulatedTarget(std::shared_ptr<Sent> sent) : sent_(std::move(sent)) {}
  std::string uri() const override { return "sim://object"; }
  void put(Bytes content, const WriteOptions&, const CallContext&, StatCallback done) override {
    sent_->put_bytes = sent_->object_bytes = content.size();
    done(ObjectStat{.size_bytes = content.size()});
  }
  std::shared_ptr<PartedUpload> begin() override { return std::make_shared<SimulatedUpload>(sent_); }

 private:
  const std::shared_ptr<Sent> sent_;
};

/// Addresses of so many bytes; to read one of them is a crash.
class UnreadBytes {
 public:
  explicit UnreadBytes(uint64_t size_bytes)
      : size_bytes_(size_bytes),
        data_(::mmap(nullptr, size_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~UnreadBytes() {
    if (is_there()) {
      ::munmap(data_, size_bytes_);
    }
  }
  UnreadBytes(const UnreadBytes&) = delete;
  UnreadBytes& operator=(const UnreadBytes&) = delete;

  bool is_there() const { return data_ != MAP_FAILED; }
  Bytes first(uint64_t size_bytes) const { return {static_cast<const std::byte*>(data_), size_bytes}; }

 private:
  const uint64_t size_bytes_;
  void* const data_;
};

std::unique_ptr<GatheringWriter> writer_to(const std::shared_ptr<Sent>& sent, GatheringOptions options = {}) {
  return std::make_unique<GatheringWriter>(std::make_unique<SimulatedTarget>(sent), options, WriteOptions());
}

void expect_s3_takes(const Sent& sent, uint64_t size_bytes) {
  EXPECT_EQ(sent.object_bytes, size_bytes);
  EXPECT_EQ(std::accumulate(sent.parts.begin(), sent.parts.end(), uint64_t{0}), size_bytes);
  EXPECT_LE(sent.parts.size(), kMaxParts);
  for (size_t i = 0; i < sent.parts.size(); ++i) {
    EXPECT_LE(sent.parts[i], kLargestPart);
    EXPECT_TRUE(sent.parts[i] >= kLeastPart || i + 1 == sent.parts.size()) << i << ": " << sent.parts[i];
  }
  EXPECT_FALSE(sent.is_aborted);
}

TEST(GatheringWriter, WhatIsTooLargeForOneRequestGoesInPartsThatAreNot) {
  for (const uint64_t size_bytes : {kLargestPart + 1, 2 * kLargestPart + 3, kTiB + 5, kLargestObject}) {
    const UnreadBytes content(size_bytes);
    if (!content.is_there()) {
      GTEST_SKIP() << "no addresses for " << size_bytes << " bytes";
    }
    const auto sent = std::make_shared<Sent>();
    write_in_parts(writer_to(sent), content.first(size_bytes), {},
                   [](const Result<ObjectStat>& stat) { EXPECT_TRUE(stat.ok()) << stat.status(); });
    expect_s3_takes(*sent, size_bytes);
  }
}

TEST(GatheringWriter, ALargeObjectMayComeInPartsOfAnySizeThatItNames) {
  for (const uint64_t at_once : {64 << 20, 300 << 20, 7 << 28}) {
    const UnreadBytes content(kLargestPart);
    if (!content.is_there()) {
      GTEST_SKIP() << "no addresses for 5 GiB";
    }
    const auto sent = std::make_shared<Sent>();
    const std::unique_ptr<GatheringWriter> writer = writer_to(sent);
    uint64_t size_bytes = 0;
    while (size_bytes < kLargestObject) {
      const uint64_t part = std::max<uint64_t>(at_once, writer->limits().best_bytes);
      ASSERT_LE(part, kLargestPart);
      writer->append(content.first(part), {},
                     [](const Status& status) { EXPECT_TRUE(status.ok()) << status; });
      size_bytes += part;
    }
    writer->commit({}, [](const Result<ObjectStat>& stat) { EXPECT_TRUE(stat.ok()) << stat.status(); });
    expect_s3_takes(*sent, size_bytes);
  }
}

// The same in small: 8 bytes for 8 MiB.
TEST(GatheringWriter, SmallAppendsAreGatheredIntoPartsThatGrow) {
  const GatheringOptions options = {.part_bytes = 8, .largest_bytes = kLargestPart >> 20};
  const auto sent = std::make_shared<Sent>();
  const std::unique_ptr<GatheringWriter> writer = writer_to(sent, options);
  const std::string some(7, 'x');
  uint64_t size_bytes = 0;
  while (size_bytes < (kLargestObject >> 20)) {
    writer->append(std::as_bytes(std::span(some)), {},
                   [](const Status& status) { EXPECT_TRUE(status.ok()); });
    size_bytes += some.size();
  }
  writer->commit({}, [](const Result<ObjectStat>& stat) { EXPECT_TRUE(stat.ok()) << stat.status(); });
  EXPECT_EQ(sent->object_bytes, size_bytes);
  EXPECT_EQ(std::accumulate(sent->parts.begin(), sent->parts.end(), uint64_t{0}), size_bytes);
  EXPECT_LE(sent->parts.size(), kMaxParts);
}

TEST(GatheringWriter, PartsAreWholeUnitsButTheLast) {
  constexpr uint64_t kUnit = 4;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto sent = std::make_shared<Sent>(Sent{.keeps_content = true});
    const std::unique_ptr<GatheringWriter> writer =
        writer_to(sent, {.part_bytes = 8, .part_unit_bytes = kUnit});
    RandomStream draws(7, seed);
    std::string whole;
    for (uint64_t i = draws.below(20) + 9; i > 0; --i) {
      const std::string some(draws.below(30), static_cast<char>('a' + i % 26));
      whole += some;
      writer->append(std::as_bytes(std::span(some)), {},
                     [](const Status& status) { EXPECT_TRUE(status.ok()); });
    }
    writer->commit({}, [](const Result<ObjectStat>& stat) { EXPECT_TRUE(stat.ok()) << stat.status(); });
    EXPECT_EQ(sent->object_bytes, whole.size());
    ASSERT_FALSE(sent->parts.empty());
    EXPECT_EQ(sent->content, whole);
    for (size_t i = 0; i + 1 < sent->parts.size(); ++i) {
      EXPECT_EQ(sent->parts[i] % kUnit, 0u) << seed;
    }
  }
}

TEST(GatheringWriter, WhatFitsIntoAPartIsOneRequest) {
  const auto sent = std::make_shared<Sent>();
  const std::unique_ptr<GatheringWriter> writer = writer_to(sent);
  const std::string some(1000, 'x');
  writer->append(std::as_bytes(std::span(some)), {}, [](const Status& status) { EXPECT_TRUE(status.ok()); });
  writer->commit({}, [](const Result<ObjectStat>& stat) { EXPECT_TRUE(stat.ok()) << stat.status(); });
  EXPECT_EQ(sent->put_bytes, 1000u);
  EXPECT_TRUE(sent->parts.empty());
}

TEST(GatheringWriter, AWriterThatGoesEndsItsUpload) {
  const auto sent = std::make_shared<Sent>();
  {
    const std::unique_ptr<GatheringWriter> writer = writer_to(sent, {.part_bytes = 4});
    const std::string some(10, 'x');
    writer->append(std::as_bytes(std::span(some)), {},
                   [](const Status& status) { EXPECT_TRUE(status.ok()); });
  }
  EXPECT_TRUE(sent->is_aborted);
}

}  // namespace
}  // namespace forebay::storage
