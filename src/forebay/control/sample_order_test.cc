#include "forebay/control/sample_order.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/dataset/files/file_source.h"
#include "forebay/dataset/order/order.h"

namespace forebay::control {
namespace {

class SampleOrderTest : public ::testing::Test {
 protected:
  static constexpr int kFiles = 300;

  SampleOrderTest() {
    for (int i = 0; i < kFiles; ++i) {
      const std::string path = directory_ / (std::to_string(i % 3) + "/" + std::to_string(i) + ".jpg");
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
      std::ofstream(path) << std::string(static_cast<size_t>(i) + 1, 'x');
    }
    dataset::FileSourceOptions options;
    options.file_root = directory_ / "";
    samples_ = std::dynamic_pointer_cast<const dataset::IndexedSource>(*dataset::make_file_source(options));
  }

  /// The keys in the order of the source, from a mark on.
  std::vector<std::string> keys(const SampleOrderOptions& options, uint64_t begin = 0,
                                std::vector<std::string>* marks = nullptr) {
    std::vector<std::string> found;
    const std::unique_ptr<cache::PreloadSource> source = *sample_order(samples_, options, begin);
    while (true) {
      const cache::PreloadBatch batch = *source->next({});
      if (batch.requests.empty()) {
        return found;
      }
      for (const storage::BringRequest& request : batch.requests) {
        EXPECT_FALSE(request.version.empty());
        EXPECT_EQ(cache::bytes_of(request), request.object_bytes);
        found.push_back(request.key);
      }
      if (marks != nullptr) {
        marks->push_back(batch.mark);
      }
    }
  }
  std::string key_of(uint64_t sample) const {
    return samples_->address_of(samples_->index().row(static_cast<int64_t>(sample)).object)->key;
  }

  TemporaryDirectory directory_;
  std::shared_ptr<const dataset::IndexedSource> samples_;
};

TEST_F(SampleOrderTest, IsThatOfTheReadersSideBySide) {
  for (const uint32_t shards : {1U, 2U, 7U, 8U}) {
    std::vector<dataset::Order> readers;
    for (uint32_t shard = 0; shard < shards; ++shard) {
      readers.push_back(*dataset::Order::create({.dataset_size = kFiles,
                                                 .num_shards = shards,
                                                 .shard_id = shard,
                                                 .seed = 5,
                                                 .random_shuffle = true}));
    }
    std::vector<std::string> expected;
    for (uint64_t step = 0; step <= kFiles / shards; ++step) {
      for (const dataset::Order& reader : readers) {
        if (step < reader.samples_in_epoch(0)) {
          expected.push_back(key_of(reader.at(step).index));
        }
      }
    }
    EXPECT_EQ(keys({.seed = 5, .num_shards = shards}), expected) << shards;
  }
}

TEST_F(SampleOrderTest, GoesOnBehindAnyMark) {
  const SampleOrderOptions options = {.seed = 1, .epoch = 3, .num_shards = 7};
  std::vector<std::string> marks;
  const std::vector<std::string> all = keys(options, 0, &marks);
  ASSERT_EQ(all.size(), size_t{kFiles});
  ASSERT_GE(marks.size(), 3U);
  for (const std::string& mark : marks) {
    const uint64_t begin = std::stoull(mark);
    EXPECT_EQ(keys(options, begin),
              std::vector<std::string>(all.begin() + static_cast<ptrdiff_t>(begin), all.end()));
  }
}

TEST_F(SampleOrderTest, MoreShardsThanSamplesAreRefused) {
  EXPECT_EQ(sample_order(samples_, {.num_shards = kFiles + 1}, 0).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::control
