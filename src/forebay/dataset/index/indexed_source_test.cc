// What every source over an index says of its samples.
#include "forebay/dataset/index/indexed_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace forebay::dataset {
namespace {

using ::testing::ElementsAre;

/// Rows of two fields in objects "0", "1"..., whose names are counted when they are asked for.
class NamedRows final : public SampleRows {
 public:
  explicit NamedRows(std::vector<std::vector<SampleRow>> rows) : rows_(std::move(rows)) {}

  int64_t size() const override { return static_cast<int64_t>(rows_.size()); }
  int num_fields() const override { return 2; }
  SampleRow row(int64_t sample, int field) const override {
    return rows_[static_cast<size_t>(sample)][static_cast<size_t>(field)];
  }
  uint32_t num_objects() const override { return static_cast<uint32_t>(names_.size()); }
  IndexedObject object(uint32_t id) const override {
    ++names_given;
    return {.name = names_[id]};
  }

  mutable int names_given = 0;

 private:
  const std::vector<std::vector<SampleRow>> rows_;
  const std::vector<std::string> names_ = {"0", "1"};
};

class SourceOfRows final : public IndexedSource {
 public:
  explicit SourceOfRows(std::shared_ptr<const SampleRows> rows)
      : IndexedSource(std::move(rows), "mem://set/", SourceOptions()) {}

  void read(int64_t /*index*/, const ReadFlags& /*flags*/, RecordCallback done) const override {
    done(unimplemented("there are no bytes"));
  }
};

TEST(IndexedSource, LengthsAreThoseOfTheExtentsAndNeedNoNames) {
  const SampleRow none;
  const auto rows = std::make_shared<const NamedRows>(std::vector<std::vector<SampleRow>>{
      {{.object = 0, .offset_bytes = 10, .length_bytes = 5, .label = 7}, none},
      {{.object = 1, .offset_bytes = 100, .length_bytes = 30}, {.object = 1, .offset_bytes = 40}},
      {none, {.object = 1, .offset_bytes = 0, .length_bytes = 3}},
      {none, none}});
  const SourceOfRows source(rows);
  EXPECT_THAT(source.lengths(), ElementsAre(5u, 90u, 3u, 0u));
  EXPECT_EQ(rows->names_given, 0);

  const std::vector<uint64_t> lengths = source.lengths();
  for (int64_t sample = 0; sample < source.size(); ++sample) {
    EXPECT_EQ(source.locate(sample)->length_bytes, lengths[static_cast<size_t>(sample)]);
  }
  EXPECT_EQ(source.locate(0)->object, "mem://set/0");
  EXPECT_EQ(source.locate(0)->label, 7);
  EXPECT_EQ(source.locate(1)->offset_bytes, 40u);
  EXPECT_EQ(source.locate(3)->object, "");
  EXPECT_EQ(source.locate(4).status().code(), StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace forebay::dataset
