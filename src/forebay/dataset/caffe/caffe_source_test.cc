#include "forebay/dataset/caffe/caffe_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/dataset/testing/key_value_files.h"
#include "forebay/dataset/testing/memory_set.h"

namespace forebay::dataset {
namespace {

using testing::datum_of;
using ::testing::ElementsAre;
using testing::float_proto;
using ::testing::HasSubstr;
using testing::int32_proto;
using testing::lmdb_file_of;
using testing::picture_proto;
using testing::text_of;

using Items = std::vector<std::pair<std::string, std::string>>;

class Caffe : public ::testing::Test {
 protected:
  CaffeOptions options(std::vector<std::string> path) {
    CaffeOptions options;
    options.path = std::move(path);
    options.registry = &set_.registry;
    return options;
  }
  std::vector<std::string> all(const CaffeOptions& options) {
    const Result<std::shared_ptr<Source>> source = make_caffe_source(options);
    if (!source.ok()) {
      return {std::string(source.status().message())};
    }
    std::vector<std::string> texts;
    for (int64_t i = 0; i < (*source)->size(); ++i) {
      const Result<Record> record = read_now(**source, i);
      texts.push_back(record.ok() ? fmt::format("{} {}", text_of(record->fields[0]),
                                                *record->fields[1].view().as<int32_t>())
                                  : absl::StatusCodeToString(record.status().code()));
    }
    return texts;
  }
  /// The fields of a sample of Caffe2's of which these are the tensors.
  Result<Record> read_protos(const std::vector<std::string>& tensors, Caffe2Options options) {
    options.path = {set_.put("two.mdb", lmdb_file_of({{"k", testing::tensor_protos_of(tensors)}}))};
    options.registry = &set_.registry;
    FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<Source> source, make_caffe2_source(options));
    return read_now(*source, 0);
  }
  template <class T>
  static std::vector<T> values_of(const tensor::Tensor& tensor) {
    const std::span<const T> values = tensor.view().span<T>();
    return {values.begin(), values.end()};
  }
  testing::MemorySet set_;
};

TEST_F(Caffe, SamplesAreInTheOrderOfTheirKeys) {
  Items items;
  for (int i = 0; i < 300; ++i) {  // several leaves, and pages of their own
    items.emplace_back(fmt::format("{:05}", i),
                       datum_of(std::string(static_cast<size_t>(i % 7) * 700, 'p'), i - 5));
  }
  set_.put("db/data.mdb", lmdb_file_of(items));
  const CaffeOptions given = options({"mem://set/db"});
  const std::vector<std::string> texts = all(given);
  ASSERT_EQ(texts.size(), items.size());
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(texts[i], fmt::format("{} {}", std::string(static_cast<size_t>(i % 7) * 700, 'p'), i - 5));
  }
  testing::expect_plans_of_what_is_read(**make_caffe_source(given), *set_.store);
}

TEST_F(Caffe, AnOutageSaysNothingOfWhereTheDatabaseLies) {
  set_.put("db/data.mdb", lmdb_file_of({{"1", datum_of("one", 1)}}));
  set_.store->fail_stats("db/data.mdb", unavailable("an outage"), 1);
  EXPECT_EQ(make_caffe_source(options({"mem://set/db"})).status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(all(options({"mem://set/db"})), ElementsAre("one 1"));
}

TEST_F(Caffe, DatabasesAreReadOneAfterTheOther) {
  const std::string a = set_.put("a.mdb", lmdb_file_of({{"1", datum_of("one", 1)}}, 256));
  const std::string b = set_.put("b.mdb", lmdb_file_of({{"0", datum_of("two", 2)}}, 65536 / 2));
  EXPECT_THAT(all(options({a, b})), ElementsAre("one 1", "two 2"));
}

TEST_F(Caffe, PixelsHaveAShape) {
  const std::string path =
      set_.put("a.mdb", lmdb_file_of({{"1", testing::datum_of_pixels("abcdef", 1, 2, 3, 9)},
                                      {"2", testing::datum_of_pixels("abcde", 1, 2, 3, 9)}}));
  const auto source = make_caffe_source(options({path}));
  EXPECT_EQ(read_now(**source, 0)->fields[0].shape(), (tensor::Shape{2, 3, 1}));
  EXPECT_EQ(read_now(**source, 1).status().code(), StatusCode::kDataLoss);
}

TEST_F(Caffe, BrokenSamplesAndDatabases) {
  const std::string whole =
      lmdb_file_of({{"1", datum_of(std::string(9000, 'x'), 1)}, {"2", "\xff"}, {"3", ""}});
  EXPECT_THAT(all(options({set_.put("a.mdb", whole)})),
              ElementsAre(std::string(9000, 'x') + " 1", "DATA_LOSS", "DATA_LOSS"));
  std::string damaged = lmdb_file_of({{"1", datum_of("x", 1)}});
  damaged[4096 * 2 + 12] = '\xff';  // where its pointers end
  EXPECT_THAT(all(options({set_.put("b.mdb", damaged)}))[0],
              HasSubstr("damaged LMDB database, at its page 2"));
  const std::string good = set_.put("c.mdb", lmdb_file_of({{"1", datum_of("x", 1)}}));
  EXPECT_THAT(all(options({"mem://set/b.mdb", "mem://set/none", good})),
              ElementsAre("DATA_LOSS", "NOT_FOUND", "x 1"));
  EXPECT_THAT(all(options({set_.put("d.mdb", "text")}))[0], HasSubstr("not an LMDB database"));
  EXPECT_THAT(all(options({set_.put("e.mdb", lmdb_file_of({}))}))[0], HasSubstr("no samples"));
  for (size_t size = 0; size < whole.size(); size += 97) {  // cut anywhere, it is no worse than lost samples
    all(options({set_.put("cut.mdb", whole.substr(0, size))}));
  }
}

TEST_F(Caffe, LabelsOfEveryKind) {
  Caffe2Options given;
  Result<Record> record = read_protos({picture_proto("jpeg"), int32_proto({7})}, given);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(text_of(record->fields[0]), "jpeg");
  EXPECT_THAT(values_of<int32_t>(record->fields[1]), ElementsAre(7));
  given.num_labels = 4;
  given.label_type = Caffe2Labels::kSparse;
  record = read_protos({picture_proto(""), int32_proto({3, 0})}, given);
  EXPECT_THAT(values_of<int32_t>(record->fields[1]), ElementsAre(1, 0, 0, 1));
  given.label_type = Caffe2Labels::kDense;
  record = read_protos({picture_proto(""), float_proto({0.5, 2})}, given);
  EXPECT_THAT(values_of<float>(record->fields[1]), ElementsAre(0.5, 2));
  given.label_type = Caffe2Labels::kWeightedSparse;
  record = read_protos({picture_proto(""), int32_proto({2, 1}), float_proto({0.25, 4})}, given);
  EXPECT_THAT(values_of<float>(record->fields[1]), ElementsAre(0, 4, 0.25, 0));
  given.label_type = Caffe2Labels::kNone;
  given.additional_inputs = 1;
  given.bbox = true;
  record = read_protos({picture_proto("p"), float_proto({9}), int32_proto({1, 2, 3, 4})}, given);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_THAT(values_of<float>(record->fields[1]), ElementsAre(9));
  EXPECT_THAT(values_of<int32_t>(record->fields[2]), ElementsAre(1, 2, 3, 4));
}

TEST_F(Caffe, WhatDoesNotFitTheOptionsIsABrokenSample) {
  Caffe2Options given;
  EXPECT_EQ(read_protos({}, given).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(read_protos({picture_proto("x"), int32_proto({1, 2})}, given).status().code(),
            StatusCode::kDataLoss);
  EXPECT_EQ(read_protos({int32_proto({1}), int32_proto({1})}, given).status().code(), StatusCode::kDataLoss);
  given.label_type = Caffe2Labels::kSparse;
  EXPECT_EQ(read_protos({picture_proto("x"), int32_proto({1})}, given).status().code(),
            StatusCode::kDataLoss);
  EXPECT_EQ(read_protos({picture_proto("x"), int32_proto({-1})}, given).status().code(),
            StatusCode::kDataLoss);
  given.label_type = static_cast<Caffe2Labels>(9);
  EXPECT_EQ(read_protos({}, given).status().code(), StatusCode::kInvalidArgument);
  CaffeOptions nothing = options({"x"});
  nothing.image_available = nothing.label_available = false;
  EXPECT_EQ(make_caffe_source(nothing).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::dataset
