#include "forebay/dataset/parquet/parquet_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "forebay/base/error_context.h"
#include "forebay/dataset/testing/memory_set.h"
#include "forebay/dataset/testing/parquet_files.h"
#include "forebay/storage/testing/outage_store.h"

namespace forebay::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::PageText;
using testing::parquet_of_numbers;
using testing::ParquetText;
using testing::plain_page;
using testing::runs_of;
using testing::text_of;

constexpr int kInt32 = 1;
constexpr int kInt64 = 2;
constexpr int kDouble = 5;
constexpr int kTexts = 6;
constexpr int kFixed = 7;

std::vector<int64_t> counted_from(int64_t first, size_t count) {
  std::vector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

class Parquet : public ::testing::Test {
 protected:
  ParquetOptions options(std::vector<std::string> columns = {"x"}) {
    ParquetOptions options;
    options.path = {"mem://set/a.parquet"};
    options.columns = std::move(columns);
    options.registry = &set_.registry;
    return options;
  }
  Result<std::shared_ptr<Source>> open(const std::string& content, std::vector<std::string> columns = {"x"}) {
    set_.put("a.parquet", content);
    return make_parquet_source(options(std::move(columns)));
  }
  Result<Record> read(const std::string& content, int64_t row = 0) {
    FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<Source> source, open(content));
    return read_now(*source, row);
  }
  std::string error_of(const std::string& content, int64_t row = 0) {
    return std::string(message(read(content, row).status()));
  }
  template <class T>
  static std::vector<T> numbers_of(const Source& source, int field = 0) {
    std::vector<T> numbers;
    for (int64_t row = 0; row < source.size(); ++row) {
      const Result<Record> record = read_now(source, row);
      EXPECT_TRUE(record.ok()) << record.status();
      numbers.push_back(record.ok() ? record->fields[field].view().span<T>()[0] : T{});
    }
    return numbers;
  }

  testing::MemorySet set_;
};

/// Two row groups of two pages each, numbers 0 to 19 and 20 to 39, and their halves as texts.
std::string file_of_pages(Compression compression, bool has_page_index, int kind = 0) {
  ParquetText file({{"x", kInt64}, {"t", kTexts}}, compression, has_page_index);
  for (int64_t first = 0; first < 40; first += 20) {
    file.begin_group(20);
    std::vector<PageText> numbers;
    std::vector<PageText> texts;
    for (int64_t begin = first; begin < first + 20; begin += 10) {
      numbers.push_back(plain_page(counted_from(begin, 10)));
      numbers.back().kind = kind;
      std::vector<std::string> page;
      for (int64_t i = begin; i < begin + 10; ++i) {
        page.push_back("half " + std::to_string(i / 2));
      }
      texts.push_back({.kind = kind, .values = 10, .content = testing::plain_texts(page), .rows = 10});
    }
    file.add_chunk(kInt64, numbers);
    file.add_chunk(kTexts, texts);
  }
  return file.finish();
}

TEST_F(Parquet, RowsOfAllGroupsAndPagesAreRead) {
  for (const Compression compression : {Compression::kNone, Compression::kSnappy, Compression::kGzip,
                                        Compression::kBrotli, Compression::kZstd, Compression::kLz4}) {
    for (const bool has_page_index : {false, true}) {
      for (const int kind : {0, 3}) {
        const auto source = open(file_of_pages(compression, has_page_index, kind), {"t", "x"});
        ASSERT_TRUE(source.ok()) << source.status();
        EXPECT_EQ(numbers_of<int64_t>(**source, 1), counted_from(0, 40)) << name_of(compression);
        EXPECT_EQ(text_of(read_now(**source, 37)->fields[0]), "half 18");
      }
    }
  }
}

TEST_F(Parquet, APieceIsReadOnce) {
  for (const bool has_page_index : {false, true}) {
    const auto source = open(file_of_pages(Compression::kZstd, has_page_index));
    std::vector<PlannedRead> planned;
    (*source)->plan(25, &planned);
    set_.store->forget_reads();
    EXPECT_EQ(numbers_of<int64_t>(**source), counted_from(0, 40));
    const auto reads = set_.store->reads();
    EXPECT_EQ(reads.size(), has_page_index ? 4 : 2);
    ASSERT_EQ(planned.size(), 1);
    EXPECT_EQ(planned[0].range.offset_bytes, reads[has_page_index ? 2 : 1].offset_bytes);
    EXPECT_EQ(planned[0].range.length_bytes, reads[has_page_index ? 2 : 1].length_bytes);
    const Result<SampleLocation> location = (*source)->locate(25);
    EXPECT_EQ(location->offset_bytes, planned[0].range.offset_bytes);
    EXPECT_GT(location->length_bytes, 0);
  }
}

TEST_F(Parquet, ColumnsOfASampleAreReadAtOnce) {
  const auto source = open(file_of_pages(Compression::kZstd, true), {"x", "t"});
  set_.store->hold_reads();
  std::optional<Result<Record>> records[2];
  for (int i = 0; i < 2; ++i) {
    (*source)->read(25 + i, {}, [&, i](Result<Record> record) { records[i] = std::move(record); });
  }
  EXPECT_EQ(set_.store->held_reads(), 2);  // of both columns, for both samples
  EXPECT_TRUE(set_.store->step(1));
  EXPECT_FALSE(records[0]);
  set_.store->release_reads();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(records[i] && records[i]->ok());
    EXPECT_EQ((*records[i])->fields[0].view().span<int64_t>()[0], 25 + i);
  }
}

TEST_F(Parquet, WhoIsNoLongerWantedDoesNotSpoilItForOthers) {
  const auto source = open(file_of_pages(Compression::kNone, true));
  set_.store->hold_reads();
  std::stop_source given_up;
  ReadFlags flags;
  flags.context.cancellation = given_up.get_token();
  std::optional<Result<Record>> records[2];
  (*source)->read(0, flags, [&](Result<Record> record) { records[0] = std::move(record); });
  (*source)->read(1, {}, [&](Result<Record> record) { records[1] = std::move(record); });
  given_up.request_stop();
  set_.store->release_reads();
  ASSERT_TRUE(records[0] && records[1]);
  EXPECT_EQ(records[0]->status().code(), StatusCode::kCancelled);
  ASSERT_TRUE(records[1]->ok()) << records[1]->status();
  EXPECT_EQ((*records[1])->fields[0].view().span<int64_t>()[0], 1);
}

TEST_F(Parquet, NullsAreErrorsOrFilled) {
  ParquetText file({{"x", kDouble, 1}, {"t", kTexts, 1}});
  file.begin_group(4);
  const std::string levels = runs_of({1, 0, 0, 1}, 1);
  PageText numbers = plain_page(std::vector<double>{1.5, 2.5});
  numbers.values = 4;
  numbers.definition = levels;
  file.add_chunk(kDouble, {numbers});
  file.add_chunk(
      kTexts,
      {{.values = 4, .definition = levels, .content = testing::plain_texts({"one", "two"}), .rows = 4}});
  set_.put("a.parquet", file.finish());
  ParquetOptions given = options({"x", "t"});
  const auto strict = make_parquet_source(given);
  EXPECT_TRUE(read_now(**strict, 0).ok());
  const Status status = read_now(**strict, 1).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_THAT(std::string(message(status)), HasSubstr("column 'x', row 1: it is null; give `fill`"));
  EXPECT_EQ(context_of(status)->sample_index, 1);
  given.fill = -7;
  const auto filled = make_parquet_source(given);
  EXPECT_THAT(numbers_of<double>(**filled), ElementsAre(1.5, -7, -7, 2.5));
  EXPECT_EQ(text_of(read_now(**filled, 2)->fields[1]), "");
  EXPECT_EQ(text_of(read_now(**filled, 3)->fields[1]), "two");
}

TEST_F(Parquet, FillMustBeAValueOfTheColumn) {
  ParquetText file({{"x", kInt32, 1, 0, 15}});
  file.begin_group(1);
  PageText page = plain_page(std::vector<int32_t>{-3});
  page.definition = runs_of({1}, 1);
  file.add_chunk(kInt32, {page});
  set_.put("a.parquet", file.finish());
  const auto error = [&](double fill) {
    ParquetOptions given = options();
    given.fill = fill;
    return std::string(message(make_parquet_source(given).status()));
  };
  EXPECT_EQ(error(-128), "");
  EXPECT_THAT(error(128), HasSubstr("column 'x': `fill` is 128, which int8 does not have"));
  EXPECT_THAT(error(0.5), HasSubstr("0.5"));
  EXPECT_THAT(numbers_of<int8_t>(**make_parquet_source(options())), ElementsAre(-3));
}

/// Rows [1, 2], null, [], [3, null], of INT32.
std::string file_of_lists() {
  ParquetText file(testing::list_schema("x", kInt32));
  file.begin_group(4);
  PageText page = plain_page(std::vector<int32_t>{1, 2, 3});
  page.values = 6;
  page.rows = 4;
  page.repetition = runs_of({0, 1, 0, 0, 0, 1}, 1);
  page.definition = runs_of({3, 3, 0, 1, 3, 2}, 2);
  file.add_chunk(kInt32, {page});
  return file.finish();
}

TEST_F(Parquet, ListsAreTensorsOfTheirLength) {
  set_.put("a.parquet", file_of_lists());
  ParquetOptions given = options();
  const auto strict = make_parquet_source(given);
  EXPECT_THAT(read_now(**strict, 0)->fields[0].view().span<int32_t>(), ElementsAre(1, 2));
  EXPECT_EQ(read_now(**strict, 2)->fields[0].shape(), tensor::Shape{0});
  EXPECT_THAT(std::string(message(read_now(**strict, 1).status())), HasSubstr("is null"));
  EXPECT_THAT(std::string(message(read_now(**strict, 3).status())), HasSubstr("is null"));
  given.fill = 9;
  const auto filled = make_parquet_source(given);
  EXPECT_EQ(read_now(**filled, 1)->fields[0].shape(), tensor::Shape{0});
  EXPECT_THAT(read_now(**filled, 3)->fields[0].view().span<int32_t>(), ElementsAre(3, 9));
  EXPECT_TRUE(open(file_of_lists(), {"x.list.element"}).ok());
}

TEST_F(Parquet, ListsOfEquallyLongListsHaveMoreAxes) {
  const auto rows = [](const std::vector<uint32_t>& repetition, const std::vector<uint32_t>& definition,
                       uint64_t count) {
    ParquetText file(
        {{"x", -1, 1, 1}, {"list", -1, 2, 1}, {"item", -1, 1, 1}, {"list", -1, 2, 1}, {"item", kInt32}});
    file.begin_group(count);
    PageText page = plain_page(std::vector<int32_t>{1, 2, 3, 4, 5, 6});
    page.values = repetition.size();
    page.rows = count;
    page.repetition = runs_of(repetition, 2);
    page.definition = runs_of(definition, 3);
    file.add_chunk(kInt32, {page});
    return file.finish();
  };
  const std::vector<uint32_t> all(6, 4);
  const Result<Record> even = read(rows({0, 2, 1, 2, 1, 2}, all, 1));
  ASSERT_TRUE(even.ok()) << even.status();
  EXPECT_EQ(even->fields[0].shape(), (tensor::Shape{3, 2}));
  EXPECT_THAT(even->fields[0].view().span<int32_t>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(read(rows({0, 1, 1, 0, 2, 2}, all, 2), 1)->fields[0].shape(), (tensor::Shape{1, 3}));
  EXPECT_THAT(error_of(rows({0, 2, 2, 1, 1, 1}, all, 1)), HasSubstr("not equally long"));
  EXPECT_THAT(error_of(rows({0, 2, 1, 2, 2, 2}, all, 1)), HasSubstr("not equally long"));
  EXPECT_THAT(error_of(rows({0, 2, 1, 2, 2, 2, 1}, {4, 4, 4, 4, 4, 4, 3}, 1)), HasSubstr("not equally long"));
  EXPECT_EQ(read(rows({0, 0, 2, 2, 2, 2, 2}, {1, 4, 4, 4, 4, 4, 4}, 2))->fields[0].shape(),
            (tensor::Shape{0, 0}));
}

TEST_F(Parquet, DictionariesAndPlainPagesMix) {
  for (const bool has_page_index : {false, true}) {
    ParquetText file({{"x", kTexts}}, Compression::kSnappy, has_page_index);
    file.begin_group(6);
    const std::string codes = std::string(1, '\2') + runs_of({1, 0, 2}, 2);
    file.add_chunk(kTexts, {{.kind = 2, .values = 3, .content = testing::plain_texts({"a", "bb", "ccc"})},
                            {.values = 3, .coding = 8, .content = codes, .rows = 3},
                            {.values = 3, .content = testing::plain_texts({"x", "", "zz"}), .rows = 3}});
    const auto source = open(file.finish());
    std::vector<std::string> texts;
    for (int64_t row = 0; row < 6; ++row) {
      texts.push_back(text_of(read_now(**source, row)->fields[0]));
    }
    EXPECT_THAT(texts, ElementsAre("bb", "a", "ccc", "x", "", "zz"));
  }
}

TEST_F(Parquet, FixedBytesAndHalfFloatsKeepTheirWidth) {
  ParquetText file({{"x", kFixed, 0, 0, -1, 3}, {"h", kFixed, 0, 0, -1, 2, 15}});
  file.begin_group(2);
  file.add_chunk(kFixed, {{.values = 2, .content = "abcdef", .rows = 2}});
  file.add_chunk(kFixed, {{.values = 2, .content = std::string("\0\x3c\0\xc0", 4), .rows = 2}});
  const auto source = open(file.finish(), {"x", "h"});
  const Result<Record> record = read_now(**source, 1);
  EXPECT_EQ(record->fields[0].shape(), tensor::Shape{3});
  EXPECT_EQ(text_of(record->fields[0]), "def");
  EXPECT_EQ(record->fields[1].dtype(), tensor::DType::kFloat16);
  EXPECT_EQ(static_cast<float>(record->fields[1].view().span<tensor::Float16>()[0]), -2);
}

TEST_F(Parquet, ChecksumsAreChecked) {
  ParquetText file({{"x", kInt64}});
  file.begin_group(2);
  PageText page = plain_page(counted_from(0, 2));
  page.has_checksum = true;
  file.add_chunk(kInt64, {page});
  EXPECT_TRUE(read(file.finish()).ok());
  ParquetText damaged({{"x", kInt64}});
  damaged.begin_group(2);
  page.has_wrong_checksum = true;
  damaged.add_chunk(kInt64, {page});
  const Result<Record> record = read(damaged.finish());
  EXPECT_EQ(record.status().code(), StatusCode::kDataLoss);
  EXPECT_THAT(std::string(message(record.status())), HasSubstr("column 'x': a page's checksum is wrong"));
  EXPECT_EQ(context_of(record.status())->origin.object, "mem://set/a.parquet");
  EXPECT_EQ(context_of(record.status())->origin.offset_bytes, 4);
  EXPECT_EQ(context_of(record.status())->sample_index, 0);
}

TEST_F(Parquet, ColumnsAreNamedOrRefused) {
  ParquetText file(
      {{"s", -1, 1, 2}, {"bytes", kTexts, 1}, {"path", kTexts, 1}, {"d", kInt64, 0, 0, 5}, {"t", 3}});
  file.begin_group(1);
  const PageText text{
      .values = 1, .definition = runs_of({2}, 2), .content = testing::plain_texts({"me"}), .rows = 1};
  file.add_chunk(kTexts, {text});
  file.add_chunk(kTexts, {text});
  file.add_chunk(kInt64, {plain_page(counted_from(0, 1))});
  file.add_chunk(3, {{.values = 1, .content = std::string(12, 't'), .rows = 1}});
  const std::string content = file.finish();
  EXPECT_EQ(text_of(read_now(**open(content, {"s.bytes"}), 0)->fields[0]), "me");
  const auto error = [&](const std::string& column) {
    return std::string(message(open(content, {column}).status()));
  };
  EXPECT_THAT(error("s"), HasSubstr("several parts; name one of them: s.bytes, s.path"));
  EXPECT_THAT(error("S"), HasSubstr("no column 'S'; there are s.bytes, s.path, d, t"));
  EXPECT_THAT(error("d"), HasSubstr("decimal"));
  EXPECT_THAT(error("t"), HasSubstr("96 bits"));
}

TEST_F(Parquet, ListsOfTextsAreRefused) {
  ParquetText file(testing::list_schema("x", kTexts));
  file.begin_group(1);
  file.add_chunk(kTexts, {{.values = 1,
                           .repetition = runs_of({0}, 1),
                           .definition = runs_of({3}, 2),
                           .content = testing::plain_texts({"a"}),
                           .rows = 1}});
  EXPECT_THAT(error_of(file.finish()), HasSubstr("lists of texts"));
}

TEST_F(Parquet, SeveralFilesAndFoldersFollowEachOther) {
  set_.put("set/b.parquet", parquet_of_numbers("x", counted_from(3, 3)));
  set_.put("set/deep/c.parquet", parquet_of_numbers("x", counted_from(6, 2)));
  set_.put("set/a.parquet", parquet_of_numbers("x", counted_from(0, 3)));
  set_.put("set/_metadata.parquet", "not data");
  set_.put("set/readme.txt", "not data");
  ParquetOptions given = options();
  given.path = {"mem://set/set"};
  given.index_file = "mem://set/index";
  for (int i = 0; i < 2; ++i) {
    const auto source = make_parquet_source(given);
    ASSERT_TRUE(source.ok()) << source.status();
    EXPECT_EQ(numbers_of<int64_t>(**source), counted_from(0, 8));
  }
  given.path = {"mem://set/set/b.parquet", "mem://set/set/a.parquet"};
  EXPECT_THAT(numbers_of<int64_t>(**make_parquet_source(given)), ElementsAre(3, 4, 5, 0, 1, 2));
  given.path = {"mem://set/nothing"};
  EXPECT_EQ(make_parquet_source(given).status().code(), StatusCode::kNotFound);
}

TEST_F(Parquet, AnOutageMakesNoFileOfAFolder) {
  set_.put("set/a.parquet", parquet_of_numbers("x", counted_from(0, 3)));
  const auto store = std::make_shared<storage::OutageStore>(set_.store);
  storage::StoreRegistry registry;
  registry.mount("mem://out/", store);
  store->set_outage(true);
  ParquetOptions given = options();
  given.path = {"mem://out/set"};
  given.registry = &registry;
  const auto source = make_parquet_source(given);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ(numbers_of<int64_t>(**source), counted_from(0, 3));
  set_.store->fail_stats("set", unavailable("an outage"));
  EXPECT_EQ(make_parquet_source(given).status().code(), StatusCode::kUnavailable);
}

TEST_F(Parquet, AFileThatCannotBeReadIsABrokenSample) {
  const std::string good = parquet_of_numbers("x", counted_from(0, 3));
  set_.put("a.parquet", good);
  set_.put("c.parquet", parquet_of_numbers("y", counted_from(0, 2)));
  ParquetOptions given = options();
  given.path = {"mem://set/a.parquet", "mem://set/b.parquet", "mem://set/c.parquet"};
  for (const std::string& bad :
       {std::string(), good.substr(0, good.size() - 1), "PAR1" + good.substr(good.size() - 8),
        good.substr(0, good.size() - 4) + "PARE"}) {
    set_.put("b.parquet", bad);
    const auto source = make_parquet_source(given);
    ASSERT_TRUE(source.ok()) << source.status();
    ASSERT_EQ((*source)->size(), 6);
    EXPECT_TRUE(read_now(**source, 2).ok());
    const Status status = read_now(**source, 3).status();
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(std::string(message(status)), HasSubstr("b.parquet"));
    EXPECT_THAT(std::string(message(read_now(**source, 4).status())), HasSubstr("no column 'x'"));
    std::vector<PlannedRead> planned;
    (*source)->plan(3, &planned);
    (*source)->plan(4, &planned);
    EXPECT_TRUE(planned.empty());
    given.path[0] = "mem://set/b.parquet";
    EXPECT_FALSE(make_parquet_source(given).ok());
    given.path[0] = "mem://set/a.parquet";
  }
}

TEST_F(Parquet, FilesMustAgreeOnTypes) {
  ParquetText doubles({{"x", kDouble}});
  doubles.begin_group(1);
  doubles.add_chunk(kDouble, {plain_page(std::vector<double>{1})});
  set_.put("a.parquet", parquet_of_numbers("x", {5}));
  set_.put("b.parquet", doubles.finish());
  set_.put("c.parquet", file_of_lists());
  ParquetOptions given = options();
  given.path = {"mem://set/a.parquet", "mem://set/b.parquet", "mem://set/c.parquet"};
  const auto source = make_parquet_source(given);
  EXPECT_TRUE(read_now(**source, 0).ok());
  EXPECT_THAT(std::string(message(read_now(**source, 1).status())),
              HasSubstr("b.parquet: column 'x' is float64, and int64 in the first file"));
  EXPECT_THAT(std::string(message(read_now(**source, 2).status())), HasSubstr("is list of int32"));
}

TEST_F(Parquet, CodecsThatAreNotReadAreRefused) {
  ParquetText file({{"x", kInt64}});
  file.begin_group(1);
  file.add_chunk(kInt64, {plain_page(counted_from(0, 1))});
  file.codec = 3;
  EXPECT_THAT(error_of(file.finish()), HasSubstr("LZO"));
  file.codec = 5;
  EXPECT_THAT(error_of(file.finish()), HasSubstr("LZ4_RAW"));
  file.codec = 99;
  EXPECT_THAT(error_of(file.finish()), HasSubstr("its codec is 99"));
}

TEST_F(Parquet, PagesThatContradictTheFileAreBroken) {
  const auto error = [&](PageText page, uint64_t rows, int repetition = 0) {
    ParquetText file({{"x", kInt64, repetition}});
    file.begin_group(rows);
    file.add_chunk(kInt64, {std::move(page)});
    const Result<Record> record = read(file.finish());
    EXPECT_FALSE(record.ok());
    return std::string(message(record.status()));
  };
  PageText page = plain_page(counted_from(0, 3));
  page.values = 4;
  EXPECT_THAT(error(page, 4), HasSubstr("a page ends before its 4 values"));
  EXPECT_THAT(error(page, 3), HasSubstr("4 values for 3 rows"));
  page.coding = 8;
  EXPECT_THAT(error(page, 4), HasSubstr("dictionary that is not there"));
  page.coding = 7;
  EXPECT_THAT(error(page, 4), HasSubstr("in coding 7"));
  page = plain_page(counted_from(0, 3));
  page.definition = runs_of({1, 1}, 1);
  EXPECT_THAT(error(page, 3, 1), HasSubstr("a number that does not end"));
  page.definition = {};
  EXPECT_THAT(error(page, 3, 1), HasSubstr("column 'x'"));
}

TEST_F(Parquet, MemoryIsBounded) {
  ParquetOptions given = options();
  set_.put("a.parquet", file_of_pages(Compression::kZstd, true));
  given.block_bytes = 100;
  const auto source = make_parquet_source(given);
  const Status status = read_now(**source, 0).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(message(status)), HasSubstr("column 'x': it takes about"));
  given.block_bytes = 1000;
  EXPECT_EQ(numbers_of<int64_t>(**make_parquet_source(given)), counted_from(0, 40));
}

TEST_F(Parquet, AFileThatWasReplacedIsNoticed) {
  const auto source = open(parquet_of_numbers("x", counted_from(0, 3)));
  set_.put("a.parquet", parquet_of_numbers("x", counted_from(5, 3)));
  const Status status = read_now(**source, 1).status();
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  EXPECT_THAT(std::string(message(status)), HasSubstr("open the data set again"));
}

TEST_F(Parquet, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(make_parquet_source({}).status().code(), StatusCode::kInvalidArgument);
  ParquetOptions given = options();
  given.block_bytes = -1;
  EXPECT_THAT(std::string(message(make_parquet_source(given).status())), HasSubstr("block_bytes"));
}

}  // namespace
}  // namespace forebay::dataset
