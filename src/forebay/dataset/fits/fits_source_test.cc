#include "forebay/dataset/fits/fits_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/dataset/testing/array_files.h"
#include "forebay/dataset/testing/memory_set.h"

namespace forebay::dataset {
namespace {

using testing::bytes_of_values;
using ::testing::ElementsAre;
using testing::fits_unit;
using ::testing::HasSubstr;

class Fits : public ::testing::Test {
 protected:
  FitsOptions options(const std::string& content) {
    FitsOptions options;
    options.files = {set_.put("a.fits", content)};
    options.registry = &set_.registry;
    return options;
  }
  Result<Record> read(const FitsOptions& options) {
    FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<Source> source, make_fits_source(options));
    return read_now(*source, 0);
  }
  std::string error_of(const std::string& content, std::vector<int64_t> units = {2}) {
    FitsOptions given = options(content);
    given.hdu_indices = std::move(units);
    return std::string(message(read(given).status()));
  }
  template <class T>
  static std::vector<T> values_of(const tensor::Tensor& tensor) {
    const std::span<const T> values = tensor.view().span<T>();
    return {values.begin(), values.end()};
  }

  const std::string head_ = fits_unit({"SIMPLE  = T / a comment", "BITPIX  = 8", "NAXIS   = 0"}, "");
  testing::MemorySet set_;
};

std::string image_unit(int bits, const std::string& data, std::vector<std::string> more = {}) {
  std::vector<std::string> cards{"XTENSION= 'IMAGE   '", "BITPIX  = " + std::to_string(bits),
                                 "NAXIS   = 2",          "NAXIS1  = 3",
                                 "NAXIS2  = 2",          "PCOUNT  = 0",
                                 "GCOUNT  = 1"};
  cards.insert(cards.end(), more.begin(), more.end());
  return fits_unit(cards, data);
}

TEST_F(Fits, ImagesOfEveryTypeAreRead) {
  const Result<Record> bytes = read(options(head_ + image_unit(8, "abcdef")));
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(bytes->fields[0].spec(), (tensor::TensorSpec{{2, 3}, tensor::DType::kUint8, {}}));
  EXPECT_EQ(testing::text_of(bytes->fields[0]), "abcdef");
  const std::string shorts("\x00\x01\xff\xfe\x01\x00\x7f\xff\x80\x00\x00\x00", 12);
  EXPECT_THAT(values_of<int16_t>(read(options(head_ + image_unit(16, shorts)))->fields[0]),
              ElementsAre(1, -2, 256, 32767, -32768, 0));
  EXPECT_THAT(
      values_of<uint16_t>(read(options(head_ + image_unit(16, shorts, {"BZERO   = 32768"})))->fields[0]),
      ElementsAre(32769, 32766, 33024, 65535, 0, 32768));
  EXPECT_THAT(
      values_of<float>(
          read(options(head_ + image_unit(16, shorts, {"BZERO   = 0.5", "BSCALE  = 2.5D0"})))->fields[0]),
      ElementsAre(3, -4.5, 640.5, 81918, -81919.5, 0.5));
  const std::string floats(
      "\x3f\x80\0\0\xc0\0\0\0"
      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
      24);
  EXPECT_THAT(values_of<float>(read(options(head_ + image_unit(-32, floats)))->fields[0]),
              ElementsAre(1, -2, 0, 0, 0, 0));
  EXPECT_EQ(read(options(head_ + image_unit(64, std::string(48, '\0'))))->fields[0].dtype(),
            tensor::DType::kInt64);
  EXPECT_EQ(read(options(head_ + image_unit(-64, std::string(48, '\0'))))->fields[0].dtype(),
            tensor::DType::kFloat64);
  EXPECT_EQ(read(options(head_ + image_unit(32, std::string(24, '\0'))))->fields[0].dtype(),
            tensor::DType::kInt32);
}

TEST_F(Fits, SeveralUnitsAreSeveralFields) {
  const std::string first = fits_unit({"SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 1", "NAXIS1  = 2"}, "xy");
  FitsOptions given = options(first + image_unit(8, "abcdef") + image_unit(8, "ABCDEF"));
  given.hdu_indices = {3, 1};
  given.dtypes = {tensor::DType::kUint8, tensor::DType::kUint8};
  const Result<Record> record = read(given);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(testing::text_of(record->fields[0]), "ABCDEF");
  EXPECT_EQ(testing::text_of(record->fields[1]), "xy");
  testing::expect_plans_of_what_is_read(**make_fits_source(given), *set_.store);
  given.dtypes = {tensor::DType::kUint8, tensor::DType::kFloat};
  EXPECT_THAT(std::string(message(read(given).status())), HasSubstr("unit 1 is of uint8, not of float"));
}

TEST_F(Fits, BrokenFilesAreNamed) {
  EXPECT_THAT(error_of("text"), HasSubstr("a.fits: not a FITS file"));
  EXPECT_THAT(error_of(std::string(2880, ' ')), HasSubstr("without end"));
  EXPECT_THAT(error_of(head_), HasSubstr("no unit 2"));
  EXPECT_THAT(error_of(head_, {1}), HasSubstr("holds no image"));
  const std::string whole = head_ + image_unit(8, "abcdef");
  EXPECT_THAT(error_of(whole.substr(0, 2880 * 2 + 5)), HasSubstr("6 bytes"));
  EXPECT_THAT(error_of(head_ + image_unit(7, "")), HasSubstr("BITPIX is 7"));
  EXPECT_THAT(error_of(head_ + fits_unit({"XTENSION= 'IMAGE   '", "BITPIX  = 8", "NAXIS   = 9"}, "")),
              HasSubstr("9 axes"));
  EXPECT_THAT(error_of(head_ + fits_unit({"XTENSION= 'IMAGE   '", "BITPIX  = 8", "NAXIS   = x"}, "")),
              HasSubstr("NAXIS is no whole number"));
  EXPECT_THAT(error_of(head_ + fits_unit({"XTENSION= 'IMAGE   '", "BITPIX  = 64", "NAXIS   = 2",
                                          "NAXIS1  = 4000000000", "NAXIS2  = 1000000000"},
                                         "")),
              HasSubstr("larger than any file"));
  EXPECT_THAT(
      error_of(head_ + fits_unit({"XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 0", "ZIMAGE  = T"}, "")),
      HasSubstr("ZBITPIX is no whole number"));
  EXPECT_THAT(error_of(head_ + image_unit(8, "abcdef", {"BZERO   = nan"})), HasSubstr("BZERO"));
}

TEST_F(Fits, OptionsThatMakeNoSense) {
  FitsOptions given = options(head_);
  given.hdu_indices = {0};
  EXPECT_EQ(make_fits_source(given).status().code(), StatusCode::kInvalidArgument);
  given.hdu_indices = {};
  EXPECT_EQ(make_fits_source(given).status().code(), StatusCode::kInvalidArgument);
  given.hdu_indices = {1};
  given.dtypes = {tensor::DType::kUint8, tensor::DType::kUint8};
  EXPECT_EQ(make_fits_source(given).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::dataset
