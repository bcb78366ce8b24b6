#include "forebay/dataset/numpy/numpy_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "forebay/dataset/testing/array_files.h"
#include "forebay/dataset/testing/memory_set.h"

namespace forebay::dataset {
namespace {

using testing::counted;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::npy_file;
using testing::npy_of_header;

Result<NpyHeader> header_of(const std::string& file) {
  return parse_npy_header(testing::bytes_of(file));
}

TEST(NpyHeader, IsReadInEveryVersion) {
  for (const int version : {1, 2, 3}) {
    const std::string file = npy_file("'<f4'", "(2, 3)", std::string(24, 'x'), version == 2, version);
    const Result<NpyHeader> header = header_of(file);
    ASSERT_TRUE(header.ok()) << header.status();
    EXPECT_EQ(header->dtype, tensor::DType::kFloat);
    EXPECT_EQ(header->shape, (tensor::Shape{2, 3}));
    EXPECT_EQ(header->is_fortran, version == 2);
    EXPECT_EQ(file.size() - header->offset_bytes, 24);
  }
}

TEST(NpyHeader, TakesWhatNumpyWrote) {
  EXPECT_EQ(header_of(npy_file("'|b1'", "()", "x"))->shape, tensor::Shape());
  EXPECT_EQ(header_of(npy_file("'|u1'", "(3,)", "xxx"))->shape, tensor::Shape{3});
  EXPECT_EQ(header_of(npy_file("'=i8'", "(0, 4)", ""))->dtype, tensor::DType::kInt64);
  const Result<NpyHeader> old =
      header_of(npy_of_header("{'shape': (3L, 2L), \"fortran_order\": False,'descr':'<u2'}", "123456789012"));
  ASSERT_TRUE(old.ok()) << old.status();
  EXPECT_EQ(old->shape, (tensor::Shape{3, 2}));
}

TEST(NpyHeader, NamesWhatIsWrong) {
  const auto error_of = [](const std::string& file) {
    return std::string(header_of(file).status().message());
  };
  EXPECT_THAT(error_of("PNG"), HasSubstr("not an .npy file"));
  EXPECT_THAT(error_of(npy_file("'>f4'", "(1,)", "1234")), HasSubstr("byte order"));
  EXPECT_THAT(error_of(npy_file("'<c8'", "(1,)", "12345678")), HasSubstr("'<c8'"));
  EXPECT_THAT(error_of(npy_file("'|O'", "(1,)", "12345678")), HasSubstr("'|O'"));
  EXPECT_THAT(error_of(npy_file("[('a', '<f4')]", "(1,)", "1234")), HasSubstr("several fields"));
  EXPECT_THAT(error_of(npy_file("'<f4'", "(-1,)", "")), HasSubstr("tuple of extents"));
  EXPECT_THAT(error_of(npy_file("'<f4'", "(3)", "")), ::testing::Not(HasSubstr("header")));
  EXPECT_THAT(error_of(npy_file("'<f4'", "3", "")), HasSubstr("no tuple"));
  EXPECT_THAT(error_of(npy_file("'<f4'", "(1,1,1,1,1,1,1,1,1)", "1234")), HasSubstr("more than 8"));
  EXPECT_THAT(error_of(npy_file("'<f4'", "(4611686018427387904, 4)", "")), HasSubstr("larger"));
  EXPECT_THAT(error_of(npy_file("'<f8'", "(2305843009213693953,)", "12345678")), HasSubstr("larger"));
  EXPECT_THAT(error_of(npy_of_header("{'descr': '<f4', 'shape': (1,)}", "1234")), HasSubstr("lacks"));
  EXPECT_THAT(error_of(npy_of_header("{'descr': '<f4', 'x': 1}", "1234")), HasSubstr("'x'"));
  EXPECT_THAT(error_of(npy_of_header("{'descr': '<f4'", "1234")), HasSubstr("dictionary"));
  EXPECT_THAT(error_of(npy_file("'<f4'", "(1,)", "1234", false, 9)), HasSubstr("version 9"));
  const std::string whole = npy_file("'<f4'", "(1,)", "1234");
  for (size_t size = 0; size + 4 < whole.size(); ++size) {
    EXPECT_FALSE(header_of(whole.substr(0, size)).ok()) << size;
  }
  std::string endless = npy_of_header("{}", "", 2);
  endless.replace(8, 4, "\xff\xff\xff\x7f");
  EXPECT_THAT(error_of(endless), HasSubstr("at most"));
}

class NumpySource : public ::testing::Test {
 protected:
  NumpyOptions options(std::vector<std::string> files) {
    NumpyOptions options;
    options.files = std::move(files);
    options.registry = &set_.registry;
    return options;
  }
  static void set_region(NumpyOptions& options, const ArrayRegion& region) {
    options.region = [region](const tensor::Shape&) { return region; };
  }
  Result<tensor::Tensor> read(const NumpyOptions& options, int64_t index = 0) {
    FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<Source> source, make_numpy_source(options));
    FOREBAY_ASSIGN_OR_RETURN(Record record, read_now(*source, index));
    return record.fields[0];
  }
  template <class T>
  static std::vector<T> values_of(const tensor::Tensor& tensor) {
    const std::span<const T> values = tensor.view().span<T>();
    return {values.begin(), values.end()};
  }

  testing::MemorySet set_;
};

TEST_F(NumpySource, ReadsWholeArrays) {
  const std::string path = set_.put("a.npy", npy_file("'<i4'", "(2, 3)", counted<int32_t>(6)));
  const Result<tensor::Tensor> array = read(options({path}));
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->shape(), (tensor::Shape{2, 3}));
  EXPECT_THAT(values_of<int32_t>(*array), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(NumpySource, TransposesFortranOrder) {
  const std::string path = set_.put("f.npy", npy_file("'<i2'", "(2, 3)", counted<int16_t>(6), true));
  EXPECT_THAT(values_of<int16_t>(*read(options({path}))), ElementsAre(0, 2, 4, 1, 3, 5));
}

TEST_F(NumpySource, ElementsThatAreNotAlignedAreMoved) {
  std::string file = npy_file("'<f8'", "(2,)", testing::bytes_of_values<double>({1.5, -2}));
  file.replace(8, 2, std::string("\x77\0", 2));  // the header is one byte longer
  file.insert(file.size() - 16, " ");
  const Result<tensor::Tensor> array = read(options({set_.put("odd.npy", file)}));
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_THAT(values_of<double>(*array), ElementsAre(1.5, -2));
}

TEST_F(NumpySource, RegionsArePaddedOutside) {
  const std::string path = set_.put("a.npy", npy_file("'|u1'", "(2, 3)", counted<uint8_t>(6)));
  NumpyOptions padded = options({path});
  padded.fill_value = 300;  // saturates
  set_region(padded, {{-1, 1}, {3, 3}});
  EXPECT_THAT(values_of<uint8_t>(*read(padded)), ElementsAre(255, 255, 255, 1, 2, 255, 4, 5, 255));
  set_region(padded, {{5, 5}, {1, 2}});
  EXPECT_THAT(values_of<uint8_t>(*read(padded)), ElementsAre(255, 255));
  set_region(padded, {{1, 1}, {0, 2}});
  EXPECT_EQ(read(padded)->shape(), (tensor::Shape{0, 2}));
}

// Every region of a large array, in both orders, is what a loop over its elements says.
TEST_F(NumpySource, RegionsOfLargeArraysAreReadByTheirRanges) {
  constexpr int64_t kRows = 60;
  constexpr int64_t kColumns = 40;
  constexpr int64_t kDepth = 50;
  const std::string elements = counted<uint16_t>(kRows * kColumns * kDepth);
  ASSERT_GT(elements.size(), 128 << 10);
  std::mt19937 random(3);
  const auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (const bool is_fortran : {false, true}) {
    const std::string path = set_.put("a.npy", npy_file("'<u2'", "(60, 40, 50)", elements, is_fortran));
    for (int trial = 0; trial < 30; ++trial) {
      ArrayRegion region;
      region.anchor = {draw(-5, 65), draw(-5, 45), draw(-5, 55)};
      region.shape = {draw(0, 70), draw(0, 50), draw(0, 60)};
      NumpyOptions given = options({path});
      given.fill_value = 7;
      set_region(given, region);
      const Result<tensor::Tensor> array = read(given);
      ASSERT_TRUE(array.ok()) << array.status();
      const std::vector<uint16_t> values = values_of<uint16_t>(*array);
      size_t place = 0;
      for (int64_t i = region.anchor[0]; i < region.anchor[0] + region.shape[0]; ++i) {
        for (int64_t j = region.anchor[1]; j < region.anchor[1] + region.shape[1]; ++j) {
          for (int64_t k = region.anchor[2]; k < region.anchor[2] + region.shape[2]; ++k) {
            const bool is_inside = i >= 0 && i < kRows && j >= 0 && j < kColumns && k >= 0 && k < kDepth;
            const int64_t offset =
                is_fortran ? (k * kColumns + j) * kRows + i : (i * kColumns + j) * kDepth + k;
            ASSERT_EQ(values[place++], is_inside ? static_cast<uint16_t>(offset) : 7);
          }
        }
      }
    }
  }
}

TEST_F(NumpySource, ARegionFetchesItsRangesAlone) {
  const std::string path = set_.put("a.npy", npy_file("'|u1'", "(8, 300000)", std::string(2400000, 'x')));
  NumpyOptions given = options({path});
  set_region(given, {{2, 1000}, {3, 500}});
  const auto source = make_numpy_source(given);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->locate(0)->length_bytes, 2400128);  // at most, as long as nothing is known
  set_.store->forget_reads();
  ASSERT_TRUE(read_now(**source, 0).ok());
  EXPECT_EQ((*source)->locate(0)->length_bytes, 1500);
  std::vector<uint64_t> lengths;
  for (const auto& read : set_.store->reads()) {
    lengths.push_back(read.length_bytes);
  }
  EXPECT_THAT(lengths, ElementsAre(4096, 500, 500, 500));
  testing::expect_plans_of_what_is_read(**source, *set_.store);  // the header is known now
}

TEST_F(NumpySource, PlansWhatItReads) {
  const std::string path = set_.put("a.npy", npy_file("'|u1'", "(3,)", "abc"));
  testing::expect_plans_of_what_is_read(**make_numpy_source(options({path})), *set_.store);
}

TEST_F(NumpySource, AFolderAndItsSubfoldersAreRead) {
  for (const char* key :
       {"r/b.npy", "r/a.txt", "r/sub/a.npy", "r/another/c.npy", "r/sub/deep/d.npy", "r/B.NPY"}) {
    set_.put(key, npy_file("'|u1'", "(1,)", std::string(1, static_cast<char>(std::string(key).size()))));
  }
  NumpyOptions folder = options({});
  folder.file_root = "mem://set/r";
  const auto source = make_numpy_source(folder);
  ASSERT_TRUE(source.ok()) << source.status();
  std::vector<std::string> paths;
  for (int64_t i = 0; i < (*source)->size(); ++i) {
    paths.push_back((*source)->locate(i)->object);
  }
  EXPECT_THAT(paths, ElementsAre("mem://set/r/b.npy", "mem://set/r/another/c.npy", "mem://set/r/sub/a.npy"));
  folder.file_filter = "*.bin";
  EXPECT_EQ(make_numpy_source(folder).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(make_numpy_source(options({})).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(NumpySource, AListNamesAPathALine) {
  set_.put("one.npy", npy_file("'|u1'", "(1,)", "1"));
  set_.put("two 2.npy", npy_file("'|u1'", "(1,)", "2"));
  NumpyOptions listed = options({});
  listed.file_list = set_.put("list.txt", "two 2.npy\n\none.npy");
  EXPECT_THAT(values_of<uint8_t>(*read(listed, 0)), ElementsAre('2'));
  EXPECT_THAT(values_of<uint8_t>(*read(listed, 1)), ElementsAre('1'));
}

TEST_F(NumpySource, AnArrayWithoutElementsMayHaveAnyShape) {
  const std::string path =
      set_.put("a.npy", npy_file("'<f8'", "(0, 1152921504606846976, 1152921504606846976)", ""));
  const Result<tensor::Tensor> array = read(options({path}));
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->shape()[0], 0);
}

TEST_F(NumpySource, BrokenFilesAreOneBrokenSampleEach) {
  const std::string whole = npy_file("'<i4'", "(200, 200)", counted<int32_t>(40000));
  const std::string cut = set_.put("cut.npy", whole.substr(0, whole.size() - 1));
  const std::string junk = set_.put("junk.npy", std::string(500, 'x'));
  const std::string empty = set_.put("empty.npy", "");
  const std::string good = set_.put("good.npy", whole);
  NumpyOptions given = options({cut, junk, empty, good, "mem://set/none.npy"});
  for (const bool has_region : {false, true}) {
    if (has_region) {
      set_region(given, {{3, 3}, {2, 2}});
    }
    for (const int64_t index : {0, 1, 2}) {
      EXPECT_EQ(read(given, index).status().code(), StatusCode::kDataLoss) << index;
    }
    EXPECT_TRUE(read(given, 3).ok());
    EXPECT_EQ(read(given, 4).status().code(), StatusCode::kNotFound);
    const Status status = read(given, 0).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr("cut.npy"));
    EXPECT_EQ(context_of(status)->sample_index, 0);
  }
}

TEST_F(NumpySource, AFileReplacedAfterItsHeaderWasReadIsNotMixed) {
  const std::string path = set_.put("a.npy", npy_file("'<i4'", "(200, 200)", counted<int32_t>(40000)));
  NumpyOptions given = options({path});
  set_region(given, {{3, 3}, {2, 2}});
  const auto source = make_numpy_source(given);
  ASSERT_TRUE(read_now(**source, 0).ok());
  set_.put("a.npy", npy_file("'<i4'", "(100, 400)", counted<int32_t>(40000)));
  EXPECT_EQ(read_now(**source, 0).status().code(), StatusCode::kAborted);
}

TEST_F(NumpySource, ErrorsOfTheRegionAreTheSamples) {
  NumpyOptions given = options({set_.put("a.npy", npy_file("'|u1'", "(1,)", "1"))});
  given.region = [](const tensor::Shape&) -> Result<ArrayRegion> {
    return invalid_argument("no such region");
  };
  EXPECT_THAT(std::string(read(given).status().message()), HasSubstr("a.npy: no such region"));
}

}  // namespace
}  // namespace forebay::dataset
