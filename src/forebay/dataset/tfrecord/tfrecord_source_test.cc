#include "forebay/dataset/tfrecord/tfrecord_source.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/dataset/testing/memory_set.h"
#include "forebay/dataset/testing/packed_bytes.h"
#include "forebay/dataset/testing/record_files.h"
#include "forebay/dataset/tfrecord/seen_features.h"
#include "forebay/dataset/tfrecord/tfrecord_index.h"

namespace forebay::dataset {
namespace {

using testing::bytes_field;
using testing::bytes_of;
using testing::example;
using testing::float_feature;
using testing::int64_feature;
using testing::string_feature;
using testing::text_of;
using testing::tfrecord;

FeatureSpec fixed(const std::string& name, FeatureKind kind, tensor::Shape shape = {}) {
  FeatureSpec spec;
  spec.name = name;
  spec.kind = kind;
  spec.shape = shape;
  return spec;
}
FeatureSpec var(const std::string& name, FeatureKind kind, tensor::Shape shape = {}) {
  FeatureSpec spec = fixed(name, kind, shape);
  spec.is_fixed = false;
  return spec;
}

class TfrecordTest : public ::testing::Test {
 protected:
  TfrecordOptions options(std::vector<FeatureSpec> features) {
    TfrecordOptions options;
    options.path = {path_};
    options.features = std::move(features);
    options.registry = &set_.registry;
    return options;
  }
  Result<Record> read(const TfrecordOptions& options, int64_t index) {
    FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<Source> source, make_tfrecord_source(options));
    return read_now(*source, index);
  }
  /// Reads one record with one feature "f".
  Result<tensor::Tensor> feature(const std::string& body, const FeatureSpec& spec) {
    TfrecordOptions one = options({spec});
    one.path = {set_.put("one", tfrecord(example({{"f", body}})))};
    FOREBAY_ASSIGN_OR_RETURN(Record record, read(one, 0));
    return record.fields[0];
  }

  const std::string first_ = tfrecord(example({{"image", string_feature({"abc"})},
                                               {"label", int64_feature({5})},
                                               {"box", float_feature({1.5f, 2.5f, 3.5f, 4.5f})},
                                               {"ids", int64_feature({1, -2, 3})}}));
  const std::string second_ =
      tfrecord(example({{"label", int64_feature({-7}, false)}, {"image", string_feature({""})}}));
  testing::MemorySet set_;
  const std::string path_ = set_.put("a.tfrecord", first_ + second_);
};

TEST_F(TfrecordTest, PlansWhatItReads) {
  TfrecordOptions plain = options({fixed("label", FeatureKind::kInt64)});
  for (const bool verify : {false, true}) {
    plain.verify_checksums = verify;
    testing::expect_plans_of_what_is_read(**make_tfrecord_source(plain), *set_.store);
  }
}

TEST_F(TfrecordTest, ReadsFeatures) {
  const Result<std::shared_ptr<Source>> source = make_tfrecord_source(
      options({fixed("image", FeatureKind::kString), fixed("label", FeatureKind::kInt64, {1}),
               fixed("label", FeatureKind::kInt64), fixed("box", FeatureKind::kFloat, {2, 2}),
               var("ids", FeatureKind::kInt64), var("box", FeatureKind::kFloat, {2})}));
  ASSERT_TRUE(source.ok()) << source.status();
  ASSERT_EQ((*source)->size(), 2);
  EXPECT_EQ((*source)->num_fields(), 6);
  const Result<Record> record = read_now(**source, 0);
  ASSERT_TRUE(record.ok()) << record.status();
  const std::vector<tensor::Tensor>& fields = record->fields;
  EXPECT_EQ(text_of(fields[0]), "abc");
  EXPECT_EQ(fields[1].shape(), tensor::Shape{1});
  EXPECT_EQ(*fields[1].view().as<int64_t>(), 5);
  EXPECT_EQ(fields[2].shape(), tensor::Shape());
  EXPECT_EQ(fields[3].shape(), (tensor::Shape{2, 2}));
  EXPECT_EQ(fields[3].view().as<float>()[3], 4.5f);
  EXPECT_EQ(fields[4].shape(), tensor::Shape{3});
  EXPECT_EQ(fields[4].view().as<int64_t>()[1], -2);
  EXPECT_EQ(fields[5].shape(), (tensor::Shape{2, 2}));

  const Result<Record> other = read_now(**source, 1);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(text_of(other->fields[0]), "");
  EXPECT_EQ(*other->fields[1].view().as<int64_t>(), -7);
  EXPECT_EQ(other->fields[3].view().as<float>()[0], 0.0f);
  EXPECT_EQ(other->fields[4].shape(), tensor::Shape{0});
}

TEST_F(TfrecordTest, DefaultsFillWhatIsMissing) {
  FeatureSpec number = fixed("f", FeatureKind::kFloat, {4});
  number.default_float = 9;
  const tensor::Tensor filled = *feature(float_feature({1, 2}, false), number);
  EXPECT_EQ(filled.view().as<float>()[1], 2);
  EXPECT_EQ(filled.view().as<float>()[2], 9);
  EXPECT_EQ(filled.view().as<float>()[3], 9);
  FeatureSpec text = fixed("none", FeatureKind::kString);
  text.default_string = "default";
  EXPECT_EQ(text_of(*feature("", text)), "default");
  FeatureSpec missing = fixed("none", FeatureKind::kInt64, {2});
  missing.default_int64 = 42;
  EXPECT_EQ(feature("", missing)->view().as<int64_t>()[1], 42);
}

TEST_F(TfrecordTest, WithoutADefaultAFeatureMustBeThere) {
  FeatureSpec label = fixed("lable", FeatureKind::kInt64);
  label.is_required = true;
  const Status missing = read(options({label}), 0).status();
  EXPECT_EQ(missing.code(), StatusCode::kDataLoss);
  EXPECT_NE(message(missing).find("no feature 'lable'"), std::string_view::npos) << missing;
  EXPECT_NE(message(missing).find("it has 'box', 'ids', 'image', 'label'"), std::string_view::npos)
      << missing;
  label.name = "label";
  EXPECT_EQ(*read(options({label}), 0)->fields[0].view().as<int64_t>(), 5);
}

TEST_F(TfrecordTest, WarnsOnceOfAFeatureThatNoRecordHas) {
  const std::shared_ptr<Source> source =
      *make_tfrecord_source(options({fixed("lable", FeatureKind::kInt64),
                                     fixed("image", FeatureKind::kString), var("ids", FeatureKind::kInt64)}));
  ::testing::internal::CaptureStderr();
  for (int64_t read = 0; read + 1 < kRecordsOfNone; ++read) {
    EXPECT_TRUE(read_now(*source, read % 2).ok());
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ::testing::internal::CaptureStderr();
  for (int64_t read = 0; read < kRecordsOfNone; ++read) {
    EXPECT_TRUE(read_now(*source, 1).ok());
  }
  EXPECT_EQ(
      ::testing::internal::GetCapturedStderr(),
      "forebay warning: readers.tfrecord: none of the first 100 records that were read has the feature "
      "'lable': "
      "samples have its default, or no elements. A record of mem://set/a.tfrecord has 'image', 'label'\n");
}

TEST_F(TfrecordTest, WhatDoesNotFitIsDataLoss) {
  const auto code = [&](const std::string& body, const FeatureSpec& spec) {
    return feature(body, spec).status().code();
  };
  EXPECT_EQ(code(float_feature({1, 2, 3, 4}), fixed("f", FeatureKind::kFloat, {2})), StatusCode::kDataLoss);
  EXPECT_EQ(code(int64_feature({1}), fixed("f", FeatureKind::kFloat, {1})), StatusCode::kDataLoss);
  EXPECT_EQ(code(int64_feature({1, 2, 3}), var("f", FeatureKind::kInt64, {2})), StatusCode::kDataLoss);
  EXPECT_EQ(code(std::string("\x1a\xff"), fixed("f", FeatureKind::kInt64)), StatusCode::kDataLoss);
  EXPECT_EQ(text_of(*feature(string_feature({"a", "bc"}), fixed("f", FeatureKind::kString))), "a");
}

// As protocol buffers merge what is there twice.
TEST_F(TfrecordTest, AFeatureInPiecesIsMerged) {
  const std::string two_lists = int64_feature({1, 2}) + int64_feature({3}, false);
  const tensor::Tensor numbers = *feature(two_lists, var("f", FeatureKind::kInt64));
  ASSERT_EQ(numbers.shape(), tensor::Shape{3});
  EXPECT_EQ(numbers.view().as<int64_t>()[0], 1);
  EXPECT_EQ(numbers.view().as<int64_t>()[2], 3);
  EXPECT_EQ(text_of(*feature(string_feature({}) + string_feature({"a", "b"}) + string_feature({"c"}),
                             fixed("f", FeatureKind::kString))),
            "a");
  // Of several kinds the last one holds, without what there was of it before.
  const tensor::Tensor last = *feature(float_feature({1}) + int64_feature({7}) + float_feature({2, 3}),
                                       var("f", FeatureKind::kFloat));
  ASSERT_EQ(last.shape(), tensor::Shape{2});
  EXPECT_EQ(last.view().as<float>()[0], 2);

  const std::string entry = bytes_field(2, float_feature({1, 2})) + bytes_field(1, "f") + bytes_field(2, "") +
                            bytes_field(2, float_feature({3}));
  TfrecordOptions twice = options({var("f", FeatureKind::kFloat), fixed("f", FeatureKind::kFloat, {3})});
  twice.path = {set_.put("twice", tfrecord(bytes_field(1, bytes_field(1, entry))))};
  const Result<Record> record = read(twice, 0);
  ASSERT_TRUE(record.ok()) << record.status();
  for (const tensor::Tensor& values : record->fields) {
    ASSERT_EQ(values.shape(), tensor::Shape{3});
    EXPECT_EQ(values.view().as<float>()[0], 1);
    EXPECT_EQ(values.view().as<float>()[2], 3);
  }
}

TEST_F(TfrecordTest, WithoutFeaturesTheIndexIsTheSame) {
  TfrecordOptions bare = options({});
  bare.index_file = "mem://set/index";
  const Result<std::shared_ptr<Source>> made = make_tfrecord_source(bare);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ((*made)->num_fields(), 0);
  const std::string written = storage::stat_now(*set_.store, "index")->version;
  TfrecordOptions whole = options({fixed("label", FeatureKind::kInt64)});
  whole.index_file = bare.index_file;
  EXPECT_EQ((*make_tfrecord_source(whole))->size(), (*made)->size());
  EXPECT_EQ(storage::stat_now(*set_.store, "index")->version, written);
}

TEST_F(TfrecordTest, RefusesWhatHasNoMeaning) {
  const auto code = [&](const FeatureSpec& spec) {
    return make_tfrecord_source(options({spec})).status().code();
  };
  EXPECT_EQ(code(var("image", FeatureKind::kString)), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(fixed("image", FeatureKind::kString, {2})), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(fixed("x", FeatureKind::kInt64, {-1})), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(fixed("x", FeatureKind::kInt64, {1 << 20, 1 << 20})), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(var("x", FeatureKind::kInt64, {0})), StatusCode::kInvalidArgument);
  TfrecordOptions wrong = options({fixed("label", FeatureKind::kInt64)});
  wrong.index_path = {"a", "b"};
  EXPECT_EQ(make_tfrecord_source(wrong).status().code(), StatusCode::kInvalidArgument);
  wrong = options({fixed("label", FeatureKind::kInt64)});
  wrong.path.clear();
  EXPECT_EQ(make_tfrecord_source(wrong).status().code(), StatusCode::kInvalidArgument);
  wrong = options({fixed("label", FeatureKind::kInt64)});
  wrong.path = {set_.put("empty", "")};
  EXPECT_EQ(make_tfrecord_source(wrong).status().code(), StatusCode::kNotFound);
}

TEST_F(TfrecordTest, IndexFilesGiveTheSame) {
  TfrecordOptions indexed = options({fixed("label", FeatureKind::kInt64)});
  indexed.index_path = {set_.put("a.idx", "0 " + std::to_string(first_.size()) + "\n" +
                                              std::to_string(first_.size()) + " " +
                                              std::to_string(second_.size()) + "\n")};
  EXPECT_EQ(*read(indexed, 0)->fields[0].view().as<int64_t>(), 5);
  EXPECT_EQ(*read(indexed, 1)->fields[0].view().as<int64_t>(), -7);
  for (const char* wrong :
       {"0", "0 15", "x 100", "0 100 3", "-1 100", "99999999999999999999 100", "0 100x"}) {
    const Status status = parse_tfrecord_index(std::string("0 20\n") + wrong, "x.idx").status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << wrong;
    EXPECT_NE(message(status).find("x.idx:2"), std::string_view::npos) << status;
  }
  indexed.index_path = {set_.put("far.idx", "1000000 200\n")};
  EXPECT_EQ(read(indexed, 0).status().code(), StatusCode::kDataLoss);
}

TEST_F(TfrecordTest, AnIndexOfNothingIsThatOfAnEmptyFile) {
  TfrecordOptions many = options({fixed("label", FeatureKind::kInt64)});
  many.index_path = {set_.put("a.idx", fmt::format("0 {}\n", first_.size())), set_.put("none.idx", "\n")};
  many.path.push_back(set_.put("empty.tfrecord", ""));
  EXPECT_EQ((*make_tfrecord_source(many))->size(), 1);
  many.path.back() = set_.put("b.tfrecord", second_);
  const Status refused = make_tfrecord_source(many).status();
  EXPECT_EQ(refused.code(), StatusCode::kDataLoss) << refused;
  EXPECT_NE(message(refused).find("mem://set/none.idx"), std::string_view::npos) << refused;
  EXPECT_NE(message(refused).find("mem://set/b.tfrecord"), std::string_view::npos) << refused;
}

TEST_F(TfrecordTest, PathsMayBePatterns) {
  TfrecordOptions many = options({fixed("label", FeatureKind::kInt64)});
  set_.put("b.tfrecord", second_);
  set_.put("b.idx", "0 " + std::to_string(second_.size()) + "\n");
  for (const char* pattern : {"mem://set/{b,a}.tfrecord", "mem://set/[ab].tfrecord"}) {
    many.path = {pattern};
    const Result<std::shared_ptr<Source>> source = make_tfrecord_source(many);
    ASSERT_TRUE(source.ok()) << source.status();
    EXPECT_EQ((*source)->size(), 3);
  }
  many.path = {"mem://set/*.tfrecord"};
  many.index_path = {"mem://set/*.idx"};
  EXPECT_EQ(make_tfrecord_source(many).status().code(), StatusCode::kInvalidArgument);
  many.path = {"mem://set/b*.tfrecord"};
  EXPECT_EQ(*read(many, 0)->fields[0].view().as<int64_t>(), -7);
}

TEST_F(TfrecordTest, ScansCheckEveryLength) {
  const std::string file = first_ + second_;
  const auto scan = [](const std::string& bytes) {
    const MemoryByteSource source(bytes_of(bytes));
    return scan_tfrecord(source, "x.tfrecord");
  };
  ASSERT_EQ(scan(file)->records.size(), 2u);
  for (size_t bit = 0; bit < 12 * 8; ++bit) {
    std::string damaged = file;
    damaged[first_.size() + bit / 8] = static_cast<char>(damaged[first_.size() + bit / 8] ^ (1 << bit % 8));
    const TfrecordScan found = *scan(damaged);
    EXPECT_EQ(found.records.size(), 1u);
    EXPECT_EQ(found.damaged_at, first_.size());
    EXPECT_EQ(found.damage.code(), StatusCode::kDataLoss);
    EXPECT_NE(message(found.damage).find(std::to_string(first_.size())), std::string_view::npos);
  }
  EXPECT_EQ(scan(file.substr(0, file.size() - 1))->records.size(),
            2u);  // the data is truncated: only that record fails
  for (size_t size = first_.size() + 1; size < first_.size() + kTfrecordHeaderBytes; ++size) {
    const std::vector<TfrecordRange> records = scan(file.substr(0, size))->records;
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[1].offset_bytes, first_.size());
    EXPECT_GT(records[1].offset_bytes + records[1].size_bytes, size);
  }
}

TEST_F(TfrecordTest, BrokenRecordsAreNamed) {
  TfrecordOptions cut = options({fixed("label", FeatureKind::kInt64)});
  cut.path = {set_.put("cut", first_ + second_.substr(0, 20))};
  EXPECT_TRUE(read(cut, 0).ok());
  const Status status = read(cut, 1).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_EQ(context_of(status)->origin.object, cut.path[0]);
  EXPECT_EQ(context_of(status)->origin.offset_bytes, first_.size() + 12);
  EXPECT_EQ(context_of(status)->sample_index, 1);
}

TEST_F(TfrecordTest, ACutWithinALengthIsABrokenRecord) {
  TfrecordOptions cut = options({fixed("label", FeatureKind::kInt64)});
  cut.path = {set_.put("cut", first_ + second_.substr(0, 5)), path_};
  const Result<std::shared_ptr<Source>> source = make_tfrecord_source(cut);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->size(), 4);
  EXPECT_TRUE(read(cut, 0).ok());
  const Status status = read(cut, 1).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_EQ(context_of(status)->origin.object, cut.path[0]);
  EXPECT_EQ(context_of(status)->origin.offset_bytes, first_.size());
  EXPECT_TRUE(read(cut, 2).ok());
}

TEST_F(TfrecordTest, ADamagedLengthOrAMissingFileIsOneBrokenRecord) {
  TfrecordOptions broken = options({fixed("label", FeatureKind::kInt64)});
  std::string damaged = first_ + second_;
  damaged[first_.size() + 9] ^= 1;
  broken.path = {set_.put("damaged", damaged), "mem://set/gone", path_};
  const Result<std::shared_ptr<Source>> source = make_tfrecord_source(broken);
  ASSERT_TRUE(source.ok()) << source.status();
  ASSERT_EQ((*source)->size(), 5);
  for (const int64_t whole : {0, 3, 4}) {
    EXPECT_TRUE(read_now(**source, whole).ok());
  }
  const Status at_damage = read_now(**source, 1).status();
  EXPECT_EQ(at_damage.code(), StatusCode::kDataLoss);
  EXPECT_EQ(context_of(at_damage)->origin.offset_bytes, first_.size());
  EXPECT_EQ(read_now(**source, 2).status().code(), StatusCode::kNotFound);
  broken.path = {"mem://set/gone"};
  EXPECT_EQ(make_tfrecord_source(broken).status().code(), StatusCode::kNotFound);
  broken.path = {set_.put("none", std::string(100, 'z'))};
  EXPECT_EQ(make_tfrecord_source(broken).status().code(), StatusCode::kDataLoss);
}

TEST_F(TfrecordTest, ACompressedFileIsRefusedAsThat) {
  TfrecordOptions packed = options({fixed("label", FeatureKind::kInt64)});
  const std::pair<std::string, std::string_view> files[] = {
      {testing::pack(Compression::kGzip, first_ + second_), "gzip-compressed"},
      {testing::pack(Compression::kZstd, first_ + second_), "zstd-compressed"},
      {"\x78\x9c and more", "zlib-compressed"},
      {"BZh91AY&SY and more", "bzip2-compressed"}};
  for (const auto& [content, name] : files) {
    packed.path = {path_, set_.put("packed", content)};
    const Status refused = make_tfrecord_source(packed).status();
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument) << refused;
    EXPECT_NE(message(refused).find(name), std::string_view::npos) << refused;
    EXPECT_NE(message(refused).find("decompress"), std::string_view::npos) << refused;
  }
  const std::string record = tfrecord(std::string(0x8b1f, ' '));  // whose length looks like gzip
  packed.path = {set_.put("plain", record)};
  EXPECT_TRUE(make_tfrecord_source(packed).ok());
  std::string damaged = tfrecord(std::string(0x178, ' '));  // whose length looks like zlib
  damaged[9] = static_cast<char>(damaged[9] ^ 1);           // a bit of the length's checksum
  packed.path = {path_, set_.put("damaged", damaged)};
  EXPECT_TRUE(make_tfrecord_source(packed).ok()) << "a damaged record, and no more";
}

TEST_F(TfrecordTest, ChecksumsOfDataAreCheckedOnRequest) {
  std::string damaged = first_;
  damaged[damaged.size() - 1] = static_cast<char>(damaged[damaged.size() - 1] ^ 1);
  TfrecordOptions checked = options({fixed("label", FeatureKind::kInt64)});
  checked.path = {set_.put("damaged", damaged)};
  EXPECT_TRUE(read(checked, 0).ok());
  checked.verify_checksums = true;
  EXPECT_EQ(read(checked, 0).status().code(), StatusCode::kDataLoss);
  checked.path = {path_};
  EXPECT_TRUE(read(checked, 1).ok());
}

TEST(Example, EveryDamageIsAStatus) {
  const std::string text = example({{"a", int64_feature({1, 2, 300})},
                                    {"b", float_feature({1, 2})},
                                    {"c", string_feature({"x", "yz"})},
                                    {"a", int64_feature({9})}});
  const std::string_view names[] = {"a", "b", "c"};
  const Result<std::vector<FeatureBytes>> whole = find_features(bytes_of(text), names);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(*count_int64((*whole)[0]), 1);  // the last one with the name
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string damaged = text;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const Result<std::vector<FeatureBytes>> features = find_features(bytes_of(damaged), names);
    if (features.ok()) {
      for (const FeatureBytes& feature : *features) {
        count_int64(feature).IgnoreError();
        count_float(feature).IgnoreError();
        first_string(feature).IgnoreError();
      }
    } else {
      EXPECT_EQ(features.status().code(), StatusCode::kDataLoss);
    }
  }
  for (size_t size = 0; size < text.size(); ++size) {
    find_features(bytes_of(text).first(size), names).IgnoreError();
  }
}

}  // namespace
}  // namespace forebay::dataset
