#include "forebay/dataset/mds/mds_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/base/error_context.h"
#include "forebay/dataset/testing/array_files.h"
#include "forebay/dataset/testing/mds_files.h"
#include "forebay/dataset/testing/memory_set.h"

namespace forebay::dataset {
namespace {

using testing::bytes_of_values;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MdsSamples;
using testing::MdsWriterOptions;
using testing::text_of;

const std::vector<MdsColumn> kTextAndNumber = {{"image", "bytes", std::nullopt}, {"label", "int", 8}};

std::vector<std::string> text_and_number(int i) {
  return {"image " + std::to_string(i * i), bytes_of_values<int64_t>({i})};
}

class Mds : public ::testing::Test {
 protected:
  void put(const testing::MdsFiles& files, const std::string& folder = "set") {
    for (const auto& [name, content] : files) {
      set_.put(folder + "/" + name, content);
    }
  }
  /// Three shards of two, three and one samples.
  void put_numbered(const MdsWriterOptions& writer = {}) {
    std::vector<MdsSamples> shards(3);
    for (int i = 0; i < 6; ++i) {
      shards[i < 2 ? 0 : i < 5 ? 1 : 2].push_back(text_and_number(i));
    }
    put(testing::mds_files_of(kTextAndNumber, shards, writer));
  }
  MdsOptions options(std::vector<std::string> columns = {"label", "image"}) {
    MdsOptions options;
    options.path = {"mem://set/set"};
    options.columns = std::move(columns);
    options.registry = &set_.registry;
    return options;
  }
  static void expect_numbered(const MdsOptions& options) {
    const Result<std::shared_ptr<Source>> source = make_mds_source(options);
    ASSERT_TRUE(source.ok()) << source.status();
    ASSERT_EQ((*source)->size(), 6);
    for (int i = 0; i < 6; ++i) {
      const Result<Record> record = read_now(**source, i);
      ASSERT_TRUE(record.ok()) << record.status();
      EXPECT_EQ(record->fields[0].view().span<int64_t>()[0], i);
      EXPECT_EQ(record->fields[0].shape().rank(), 0);
      EXPECT_EQ(text_of(record->fields[1]), text_and_number(i)[0]);
    }
  }
  std::string error_of(const MdsOptions& options) {
    return std::string(message(make_mds_source(options).status()));
  }
  /// The error of a sample.
  Status status_of(const MdsOptions& options, int64_t index) {
    const Result<std::shared_ptr<Source>> source = make_mds_source(options);
    EXPECT_TRUE(source.ok()) << source.status();
    return source.ok() ? read_now(**source, index).status() : source.status();
  }

  testing::MemorySet set_;
};

TEST_F(Mds, SamplesOfAllShardsAreRead) {
  put_numbered();
  expect_numbered(options());
  const auto source = make_mds_source(options());
  testing::expect_plans_of_what_is_read(**source, *set_.store);
}

TEST_F(Mds, CompressedShardsAreUnpackedOnce) {
  for (const Compression compression : {Compression::kZstd, Compression::kGzip, Compression::kBrotli,
                                        Compression::kSnappy, Compression::kBzip2}) {
    put_numbered({.compression = compression});
    expect_numbered(options());
  }
  const auto source = make_mds_source(options());
  set_.store->forget_reads();
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(read_now(**source, i).ok());
  }
  EXPECT_EQ(set_.store->reads().size(), 3);
  std::vector<PlannedRead> planned;
  (*source)->plan(2, &planned);
  ASSERT_EQ(planned.size(), 1);
  EXPECT_EQ(planned[0].range.key, "set/shard.00001.mds.packed");
}

TEST_F(Mds, ShardsThatDoNotFitIntoMemoryAreRefused) {
  put_numbered({.compression = Compression::kZstd});
  MdsOptions given = options();
  given.block_bytes = 10;
  const Status status = status_of(given, 0);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(message(status)), HasSubstr("shard.00000.mds.packed"));
  given.block_bytes = 0;
  EXPECT_THAT(error_of(given), HasSubstr("block_bytes"));
}

TEST_F(Mds, HashesAreCheckedIfAskedFor) {
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    put_numbered({compression, {"sha1", "md5", "sha256"}});
    MdsOptions given = options();
    given.verify_hashes = true;
    expect_numbered(given);
    const std::string shard =
        compression == Compression::kNone ? "shard.00001.mds" : "shard.00001.mds.packed";
    const storage::ReadBytes good = *storage::read_now(*set_.store, {.key = "set/" + shard});
    std::string content(reinterpret_cast<const char*>(good.bytes.data()), good.size_bytes());
    content.back() ^= 1;
    set_.put("set/" + shard, content);
    const Status status = status_of(given, 3);
    EXPECT_EQ(status.code(), StatusCode::kDataLoss);
    EXPECT_THAT(std::string(message(status)), HasSubstr(shard));
    EXPECT_TRUE(status_of(given, 1).ok());
  }
}

TEST_F(Mds, HashesOfXxhashAreKnown) {
  testing::MdsFiles files = testing::mds_files_of(kTextAndNumber, {{text_and_number(0)}});
  const std::string shard = files["shard.00000.mds"];
  const auto with_hash = [&](const std::string& algorithm, const std::string& digits) {
    std::string index = files["index.json"];
    const std::string empty = R"("hashes":{})";
    index.replace(index.find(empty), empty.size(),
                  R"("hashes":{")" + algorithm + R"(":")" + digits + R"("})");
    put({{"shard.00000.mds", shard}, {"index.json", index}});
    MdsOptions given = options();
    given.verify_hashes = true;
    return status_of(given, 0);
  };
  EXPECT_THAT(std::string(message(with_hash("xxh64", "0"))), HasSubstr("its xxh64 is"));
  EXPECT_THAT(std::string(message(with_hash("xxh3_64", "0"))), HasSubstr("its xxh3_64 is"));
  EXPECT_THAT(std::string(message(with_hash("xxh128", "0"))), HasSubstr("its xxh128 is"));
  EXPECT_THAT(std::string(message(with_hash("sha3_256", "0"))), HasSubstr("its sha3_256 is"));
  EXPECT_EQ(with_hash("crc7", "0").code(), StatusCode::kUnimplemented);
}

TEST_F(Mds, EachEncodingHasItsTensor) {
  const std::vector<MdsColumn> columns = {{"a", "ndarray", std::nullopt},
                                          {"b", "ndarray:int16", std::nullopt},
                                          {"c", "ndarray:float32:2,1", 8},
                                          {"d", "pil", std::nullopt},
                                          {"e", "str_int", std::nullopt},
                                          {"f", "str_float", std::nullopt},
                                          {"g", "uint16", 2},
                                          {"h", "json", std::nullopt}};
  const MdsSamples samples = {{std::string("\x22\x08\x02\x01", 4) + bytes_of_values<float>({1, 2}),
                               std::string("\x05\x03\x00", 3) + bytes_of_values<int16_t>({7, -8, 9}),
                               bytes_of_values<float>({3, 4}),
                               bytes_of_values<uint32_t>({1, 2, 3}) + "RGB" + "abcdef", "-12", "2.5e3",
                               bytes_of_values<uint16_t>({65535}), "{\"x\": 1}"}};
  put(testing::mds_files_of(columns, {samples}));
  const auto source = make_mds_source(options({"a", "b", "c", "d", "e", "f", "g", "h"}));
  ASSERT_TRUE(source.ok()) << source.status();
  const Result<Record> record = read_now(**source, 0);
  ASSERT_TRUE(record.ok()) << record.status();
  const std::vector<tensor::Tensor>& fields = record->fields;
  EXPECT_EQ(fields[0].spec(), (tensor::TensorSpec{{2, 1}, tensor::DType::kFloat, {}}));
  EXPECT_THAT(fields[0].view().span<float>(), ElementsAre(1, 2));
  EXPECT_EQ(fields[1].spec(), (tensor::TensorSpec{{3}, tensor::DType::kInt16, {}}));
  EXPECT_THAT(fields[1].view().span<int16_t>(), ElementsAre(7, -8, 9));
  EXPECT_EQ(fields[2].shape(), (tensor::Shape{2, 1}));
  EXPECT_EQ(fields[3].spec(), (tensor::TensorSpec{{2, 1, 3}, tensor::DType::kUint8, "HWC"}));
  EXPECT_EQ(text_of(fields[3]), "abcdef");
  EXPECT_EQ(fields[4].view().span<int64_t>()[0], -12);
  EXPECT_EQ(fields[5].view().span<double>()[0], 2500);
  EXPECT_EQ(fields[6].view().span<uint16_t>()[0], 65535);
  EXPECT_EQ(text_of(fields[7]), "{\"x\": 1}");
  for (const tensor::Tensor& field : fields) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(field.data()) % tensor::size_of(field.dtype()), 0);
  }
}

TEST_F(Mds, ValuesThatDoNotFitTheirEncodingAreBrokenSamples) {
  const auto error = [&](const std::string& encoding, const std::string& value) {
    put(testing::mds_files_of({{"x", encoding, std::nullopt}}, {{{value}}}));
    const Status status = status_of(options({"x"}), 0);
    EXPECT_NE(status.code(), StatusCode::kOk) << encoding;
    EXPECT_EQ(context_of(status)->sample_index, 0);
    return std::string(message(status));
  };
  EXPECT_THAT(error("ndarray", ""), HasSubstr("column 'x': a value ends within its header"));
  EXPECT_THAT(error("ndarray", "\x07"), HasSubstr("element type is 7"));
  EXPECT_THAT(error("ndarray",
                    "\x08\x08\x02\x02"
                    "abc"),
              HasSubstr("an array of 2x2 uint8 in 3 bytes"));
  EXPECT_THAT(error("ndarray:int16", std::string("\x04\x01", 2) + "abc"), HasSubstr("in 3 bytes"));
  EXPECT_THAT(error("pil", std::string(12, '\1')), HasSubstr("ends within its header"));
  EXPECT_THAT(error("pil", bytes_of_values<uint32_t>({1, 1, 1}) + "1" + "x"), HasSubstr("mode '1'"));
  EXPECT_THAT(error("pil", bytes_of_values<uint32_t>({9, 9, 1}) + "L" + "x"), HasSubstr("in 1 bytes"));
  EXPECT_THAT(error("str_int", "12x"), HasSubstr("'12x' is not a number"));
  EXPECT_THAT(error("str_int", "99999999999999999999"), HasSubstr("is not a number of type int64"));
}

TEST_F(Mds, WhatCannotBeReadIsRefusedAtOnce) {
  const auto error = [&](const std::string& encoding) {
    put(testing::mds_files_of({{"x", encoding, std::nullopt}}, {{{"v"}}}));
    return error_of(options({"x"}));
  };
  EXPECT_THAT(error("pkl"), HasSubstr("unpickling runs what they say"));
  EXPECT_THAT(error("list[jpeg]"), HasSubstr("'list[jpeg]' is not known"));
  EXPECT_THAT(error("ndarray:complex64"), HasSubstr("'complex64' is not an element type"));
  EXPECT_THAT(error("ndarray:int8:0"), HasSubstr("'0' is not a shape"));
  EXPECT_THAT(error("int"), HasSubstr("0 bytes a value"));
  put_numbered();
  EXPECT_THAT(error_of(options({"images"})), HasSubstr("no column 'images'; it has image, label"));
  put(testing::mds_files_of({{"image", "str", std::nullopt}, {"label", "int", 8}}, {{text_and_number(0)}}),
      "other");
  MdsOptions two = options();
  two.path.push_back("mem://set/other/");
  EXPECT_THAT(error_of(two), HasSubstr("'image' is encoded as 'str', and as 'bytes' in mem://set/set"));
  two.columns = {"label"};
  EXPECT_EQ((*make_mds_source(two))->size(), 7);
  EXPECT_THAT(error_of({}), HasSubstr("`path`"));
}

TEST_F(Mds, ABrokenIndexSaysWhatIsWrong) {
  const auto error = [&](const std::string& index) {
    set_.put("set/index.json", index);
    return error_of(options());
  };
  const std::string good = testing::mds_files_of(kTextAndNumber, {{text_and_number(0)}})["index.json"];
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return error(text);
  };
  EXPECT_THAT(error("{"), HasSubstr("index.json: not an index of MDS shards"));
  EXPECT_THAT(error("{\"shards\": [7]}"), HasSubstr("shard 0: it is not an object"));
  EXPECT_THAT(error("{\"shards\": []}"), HasSubstr("no samples"));
  EXPECT_THAT(with("\"mds\"", "\"csv\""), HasSubstr("the format is 'csv'"));
  EXPECT_THAT(with("\"samples\":1", "\"samples\":-1"), HasSubstr("`samples`"));
  EXPECT_THAT(with("shard.00000.mds", "../x"), HasSubstr("outside of the index's folder"));
  EXPECT_THAT(with("shard.00000.mds", "s3://x/y"), HasSubstr("outside of the index's folder"));
  EXPECT_THAT(with("\"raw_data\"", "\"rare_data\""), HasSubstr("`raw_data`"));
  MdsOptions nowhere = options();
  nowhere.path = {"mem://set/nowhere"};
  EXPECT_EQ(make_mds_source(nowhere).status().code(), StatusCode::kNotFound);
}

TEST_F(Mds, ABrokenShardIsOneBrokenSample) {
  put_numbered();
  const std::string shard =
      testing::mds_shard_of(kTextAndNumber, {text_and_number(2), text_and_number(3), text_and_number(4)});
  const auto error_of_shard = [&](const std::string& content) {
    set_.put("set/shard.00001.mds", content);
    const Result<std::shared_ptr<Source>> source = make_mds_source(options());
    EXPECT_TRUE(source.ok()) << source.status();
    EXPECT_EQ((*source)->size(), 4);
    EXPECT_TRUE(read_now(**source, 1).ok());
    EXPECT_TRUE(read_now(**source, 3).ok());
    const Status status = read_now(**source, 2).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss);
    return std::string(message(status));
  };
  EXPECT_THAT(error_of_shard(shard.substr(1)), HasSubstr("shard.00001.mds"));
  for (const size_t place : {0u, 4u, 9u, 12u}) {
    std::string broken = shard;
    broken[place] = '\x7f';
    broken[place + 1] = '\x7f';
    EXPECT_THAT(error_of_shard(broken), HasSubstr("shard.00001.mds"));
  }
}

TEST_F(Mds, ASampleThatContradictsItselfIsBroken) {
  put_numbered();
  std::string shard =
      testing::mds_shard_of(kTextAndNumber, {text_and_number(2), text_and_number(3), text_and_number(4)});
  shard[4 * 5 + 2] = '\x70';  // the first value's size
  set_.put("set/shard.00001.mds", shard);
  const Status status = status_of(options(), 2);
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_THAT(std::string(message(status)), HasSubstr("column 'image' has 112 bytes"));
  EXPECT_TRUE(status_of(options(), 3).ok());
}

TEST_F(Mds, TheIndexIsKeptAndOpened) {
  put_numbered();
  MdsOptions given = options();
  given.index_file = "mem://set/the.index";
  expect_numbered(given);
  set_.store->forget_reads();
  expect_numbered(given);
  given.columns = {"label"};
  EXPECT_EQ((*make_mds_source(given))->size(), 6);
  put_numbered({.compression = Compression::kZstd});
  expect_numbered(options());
}

TEST_F(Mds, WhatCannotBeReachedIsAnErrorOfEachSampleAndNotKept) {
  put_numbered({.compression = Compression::kZstd});
  const auto source = make_mds_source(options());
  ASSERT_TRUE(storage::remove_now(*set_.store, "set/shard.00001.mds.packed").ok());
  for (int64_t i = 2; i < 5; ++i) {
    const Status status = read_now(**source, i).status();
    EXPECT_EQ(status.code(), StatusCode::kNotFound);
    EXPECT_EQ(context_of(status)->sample_index, i);
  }
  EXPECT_TRUE(read_now(**source, 5).ok());
}

}  // namespace
}  // namespace forebay::dataset
