#include "forebay/dataset/index/sample_index.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/base/crc32c.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::dataset {
namespace {

TEST(Crc32c, KnownValues) {
  // RFC 3720, appendix B.4.
  const std::vector<std::byte> zeros(32, std::byte{0});
  const std::vector<std::byte> ones(32, std::byte{0xff});
  EXPECT_EQ(crc32c(zeros), 0x8a9136aau);
  EXPECT_EQ(crc32c(ones), 0x62a8ab43u);
  const std::string text = "123456789";
  EXPECT_EQ(crc32c(std::as_bytes(std::span(text))), 0xe3069283u);
  EXPECT_EQ(crc32c_portable(std::as_bytes(std::span(text))), 0xe3069283u);
}

TEST(Crc32c, ContinuesAndBothPathsAgree) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < 300; ++i) {
    bytes.push_back(static_cast<std::byte>(i * 37));
    EXPECT_EQ(crc32c(bytes), crc32c_portable(bytes));
  }
  const Bytes all(bytes);
  EXPECT_EQ(crc32c(all.subspan(100), crc32c(all.first(100))), crc32c(all));
}

std::shared_ptr<const SampleIndex> small_index() {
  SampleIndexBuilder builder(2);
  const uint32_t b = builder.add_object("b.tar", {.size_bytes = 1000, .modified_ns = 5, .version = "v1"});
  const uint32_t a = builder.add_object("a.tar", {.size_bytes = 2000, .modified_ns = 6});
  for (uint64_t i = 0; i < 5; ++i) {
    builder.add_row({i % 2 == 0 ? a : b, 0, i * 512, 100 + i, static_cast<int64_t>(i)});
    builder.add_row(i == 3 ? SampleRow() : SampleRow{b, 0, i * 512 + 256, i, -1});
    if (i == 1 || i == 4) {
      builder.end_shard();
    }
  }
  builder.end_shard();  // without samples
  return *builder.finish(77);
}

void expect_small(const SampleIndex& index) {
  EXPECT_EQ(index.size(), 5);
  EXPECT_EQ(index.num_fields(), 2);
  EXPECT_EQ(index.parameters(), 77u);
  ASSERT_EQ(index.num_objects(), 2u);
  EXPECT_EQ(index.object(0).name, "a.tar");  // sorted
  EXPECT_EQ(index.object(0).version, "");
  EXPECT_EQ(index.object(1).name, "b.tar");
  EXPECT_EQ(index.object(1).size_bytes, 1000u);
  EXPECT_EQ(index.object(1).version, "v1");
  EXPECT_EQ(index.object(index.row(2, 0).object).name, "a.tar");
  EXPECT_EQ(index.row(4, 1).offset_bytes, 4u * 512 + 256);
  EXPECT_EQ(index.row(4, 1).label, -1);
  EXPECT_TRUE(index.row(3, 1).is_missing());
  EXPECT_EQ(index.shards(), (std::vector<uint64_t>{2, 3, 0}));
}

TEST(SampleIndex, KeepsWhatWasAdded) {
  expect_small(*small_index());
}

TEST(SampleIndex, ComesBackFromAnyStore) {
  const storage::TemporaryDirectory directory;
  const storage::ObjectAddress file = {std::make_shared<storage::LocalStore>(), directory / "x/index"};
  const storage::ObjectAddress object = {std::make_shared<storage::MemoryStore>(), "index"};
  for (const storage::ObjectAddress& address : {file, object}) {
    EXPECT_EQ(SampleIndex::open(address).status().code(), StatusCode::kNotFound);
    ASSERT_TRUE(small_index()->write(address).ok());
    const Result<std::shared_ptr<const SampleIndex>> opened = SampleIndex::open(address);
    ASSERT_TRUE(opened.ok()) << opened.status();
    expect_small(**opened);
  }
}

Status status_of(std::vector<std::byte> image) {
  return SampleIndex::from_image(image, nullptr, "x.index").status();
}

TEST(SampleIndex, EveryDamageIsFound) {
  const auto index = small_index();
  const std::vector<std::byte> image(index->image().begin(), index->image().end());
  ASSERT_TRUE(status_of(image).ok());
  for (size_t bit = 0; bit < image.size() * 8; ++bit) {
    std::vector<std::byte> damaged = image;
    damaged[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    const Status status = status_of(damaged);
    ASSERT_EQ(status.code(), StatusCode::kDataLoss) << bit;
    ASSERT_NE(message(status).find("x.index"), std::string_view::npos);
  }
  for (size_t size = 0; size < image.size(); ++size) {
    ASSERT_EQ(status_of({image.begin(), image.begin() + static_cast<std::ptrdiff_t>(size)}).code(),
              StatusCode::kDataLoss);
  }
  std::vector<std::byte> longer = image;
  longer.push_back(std::byte{0});
  EXPECT_EQ(status_of(longer).code(), StatusCode::kDataLoss);
}

TEST(SampleIndex, RefusesWhatIsNoIndex) {
  EXPECT_EQ(SampleIndexBuilder().finish(0).status().code(), StatusCode::kInvalidArgument);
  SampleIndexBuilder twice;
  twice.add_object("a", {});
  twice.add_row({twice.add_object("a", {})});
  EXPECT_EQ(twice.finish(0).status().code(), StatusCode::kInvalidArgument);
  SampleIndexBuilder outside;
  outside.add_object("a", {});
  outside.add_row({0});
  outside.end_shard();
  outside.add_row({0});
  EXPECT_EQ(outside.finish(0).status().code(), StatusCode::kDataLoss) << "a sample in no shard";
  const storage::TemporaryDirectory directory;
  const storage::ObjectAddress file = {std::make_shared<storage::LocalStore>(), directory / "empty"};
  ASSERT_TRUE(storage::write_now(*file.store, file.key, {}).ok());
  EXPECT_EQ(SampleIndex::open(file).status().code(), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace forebay::dataset
