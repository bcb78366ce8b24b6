#include "forebay/dataset/fits/fits_tiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "forebay/dataset/fits/fits_dither.h"
#include "forebay/dataset/fits/fits_image.h"
#include "forebay/dataset/fits/fits_rice.h"
#include "forebay/dataset/testing/array_files.h"
#include "forebay/dataset/testing/packed_bytes.h"

namespace forebay::dataset {
namespace {

using ::testing::ElementsAre;
using testing::fits_unit;
using ::testing::HasSubstr;

std::string word(uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

/// Bits as text, "1011", to bytes.
std::string bits_text(std::string bits) {
  bits.resize((bits.size() + 7) / 8 * 8, '0');
  std::string bytes;
  for (size_t at = 0; at < bits.size(); at += 8) {
    bytes += static_cast<char>(std::stoi(bits.substr(at, 8), nullptr, 2));
  }
  return bytes;
}

struct Table {
  std::string method = "GZIP_1";
  int bits = 16;
  int columns = 3;
  int rows = 2;
  int tile = 3;
  std::vector<std::string> more = {};
  std::vector<double> blanks = {};  // a tile's each, in a column of their own
};

/// A file with an image in tiles of a row each, which are packed already.
std::string file_of_tiles(const Table& table, const std::vector<std::string>& tiles) {
  std::string pointers;
  std::string heap;
  for (size_t i = 0; i < tiles.size(); ++i) {
    pointers += word(static_cast<uint32_t>(tiles[i].size())) + word(static_cast<uint32_t>(heap.size()));
    heap += tiles[i];
    if (!table.blanks.empty()) {
      const auto bits = std::bit_cast<uint64_t>(table.blanks[i]);
      pointers += word(static_cast<uint32_t>(bits >> 32)) + word(static_cast<uint32_t>(bits));
    }
  }
  const bool has_blanks = !table.blanks.empty();
  const auto number = [](const std::string& name, int64_t value) {
    return name + std::string(8 - name.size(), ' ') + "= " + std::to_string(value);
  };
  std::vector<std::string> cards{"XTENSION= 'BINTABLE'",
                                 "BITPIX  = 8",
                                 "NAXIS   = 2",
                                 number("NAXIS1", has_blanks ? 16 : 8),
                                 number("NAXIS2", static_cast<int64_t>(tiles.size())),
                                 number("PCOUNT", static_cast<int64_t>(heap.size())),
                                 "GCOUNT  = 1",
                                 number("TFIELDS", has_blanks ? 2 : 1),
                                 "TTYPE1  = 'COMPRESSED_DATA'",
                                 "TFORM1  = '1PB(99)'",
                                 "ZIMAGE  = T",
                                 number("ZBITPIX", table.bits),
                                 "ZNAXIS  = 2",
                                 number("ZNAXIS1", table.columns),
                                 number("ZNAXIS2", table.rows),
                                 number("ZTILE1", table.tile),
                                 "ZCMPTYPE= '" + table.method + "'"};
  if (has_blanks) {
    cards.insert(cards.end(), {"TTYPE2  = 'ZBLANK'", "TFORM2  = '1D'"});
  }
  cards.insert(cards.end(), table.more.begin(), table.more.end());
  return fits_unit({"SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0"}, "") + fits_unit(cards, pointers + heap);
}

Result<tensor::Tensor> image_of(const std::string& file) {
  const int64_t numbers[] = {2};
  const Bytes bytes = std::as_bytes(std::span(file));
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<FitsUnit> units, find_fits_units(bytes, numbers));
  return fits_image(bytes, units[0]);
}

std::string error_of_file(const std::string& file) {
  return std::string(message(image_of(file).status()));
}

std::string gzip(const std::string& text) {
  return testing::pack(Compression::kGzip, text);
}

TEST(FitsTiles, GzipKeepsBytesOrShufflesThem) {
  const std::string first("\x00\x01\x00\x02\x00\x03", 6);
  const std::string second("\xff\xff\x00\x00\x01\x00", 6);
  const auto plain = image_of(file_of_tiles({}, {gzip(first), gzip(second)}));
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->spec(), (tensor::TensorSpec{{2, 3}, tensor::DType::kInt16, {}}));
  EXPECT_THAT(plain->view().span<int16_t>(), ElementsAre(1, 2, 3, -1, 0, 256));
  const std::string shuffled("\x00\x00\x00\x01\x02\x03", 6);
  const auto other = image_of(file_of_tiles({.method = "GZIP_2"}, {gzip(shuffled), gzip(shuffled)}));
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_THAT(other->view().span<int16_t>(), ElementsAre(1, 2, 3, 1, 2, 3));
}

TEST(FitsTiles, TilesAtTheEdgeAreSmaller) {
  const std::string a("\x00\x01\x00\x02", 4);
  const std::string b("\x00\x03", 2);
  const auto image = image_of(file_of_tiles({.tile = 2}, {gzip(a), gzip(b), gzip(a), gzip(b)}));
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_THAT(image->view().span<int16_t>(), ElementsAre(1, 2, 3, 1, 2, 3));
}

// A column of doubles may hold what no number of a pixel is.
TEST(FitsTiles, BlankIsWhatTheTileSays) {
  const std::string tile = gzip(word(1) + word(7) + word(0));
  const double none[] = {1e30, -1e30, std::numeric_limits<double>::quiet_NaN(), 0.5};
  for (const double blank : none) {
    const auto image = image_of(file_of_tiles(
        {.bits = -32, .more = {"ZSCALE  = 0.5", "ZZERO   = 1"}, .blanks = {7, blank}}, {tile, tile}));
    ASSERT_TRUE(image.ok()) << image.status();
    EXPECT_THAT(image->view().span<float>(), ElementsAre(1.5, ::testing::IsNan(), 1, 1.5, 4.5, 1)) << blank;
  }
}

TEST(FitsTiles, RiceCodesDifferences) {
  // 5, then differences +1 (coded 2), -2 (coded 3), 0, of width 1: 1 is "0" + the low bit after the high
  // part.
  const std::string packed = bits_text(
      "0000000000000101"
      "0010"
      "10"
      "010"
      "011"
      "10");
  std::vector<int32_t> values(4);
  ASSERT_TRUE(unpack_rice(std::as_bytes(std::span(packed)), 2, 32, values).ok());
  EXPECT_THAT(values, ElementsAre(5, 6, 4, 4));
  const std::string zeros = bits_text(
      "11111111"
      "000");
  ASSERT_TRUE(unpack_rice(std::as_bytes(std::span(zeros)), 1, 32, values).ok());
  EXPECT_THAT(values, ElementsAre(255, 255, 255, 255));
  const std::string raw = bits_text(std::string(32, '0') + "11010" + std::string(30, '0') + "11");
  values.resize(1);
  ASSERT_TRUE(unpack_rice(std::as_bytes(std::span(raw)), 4, 32, values).ok());
  EXPECT_THAT(values, ElementsAre(-2));
}

TEST(FitsTiles, RiceThatEndsEarlyIsDataLoss) {
  const std::string packed = bits_text(
      "0000000000000101"
      "0010"
      "10"
      "010"
      "011"
      "10");
  std::vector<int32_t> values(4);
  for (size_t size = 0; size + 1 < packed.size(); ++size) {
    const std::string cut = packed.substr(0, size);
    EXPECT_EQ(unpack_rice(std::as_bytes(std::span(cut)), 2, 32, values).code(), StatusCode::kDataLoss);
  }
  const std::string wide = bits_text(std::string(32, '0') + "11111" + std::string(64, '1'));
  EXPECT_EQ(unpack_rice(std::as_bytes(std::span(wide)), 4, 32, values).code(), StatusCode::kDataLoss);
}

TEST(FitsTiles, TheRandomNumbersAreTheStandards) {
  // The standard gives the seed after the last one: 1043618065.
  int64_t seed = 1;
  for (int i = 0; i < 10000; ++i) {
    seed = 16807 * seed % 2147483647;
  }
  EXPECT_EQ(seed, 1043618065);
  FitsDither first(0, 1);
  FitsDither same(10000, 1);
  FitsDither other(1, 1);
  const double number = first.next();
  EXPECT_EQ(number, same.next());
  EXPECT_NE(number, other.next());
  EXPECT_EQ(number, static_cast<float>(16807.0 / 2147483647));
}

TEST(FitsTiles, WhatIsNotReadIsNamed) {
  const std::vector<std::string> tiles{gzip("abcdef"), gzip("abcdef")};
  EXPECT_THAT(error_of_file(file_of_tiles({.method = "PLIO_1"}, tiles)),
              HasSubstr("'PLIO_1'; RICE_1, GZIP_1"));
  EXPECT_THAT(error_of_file(file_of_tiles({.method = "HCOMPRESS_1"}, tiles)), HasSubstr("HCOMPRESS_1"));
  EXPECT_THAT(error_of_file(file_of_tiles({.bits = 7}, tiles)), HasSubstr("ZBITPIX is 7"));
  EXPECT_THAT(error_of_file(file_of_tiles({.tile = 0}, tiles)), HasSubstr("tiles are 0 long"));
  EXPECT_THAT(error_of_file(file_of_tiles({.more = {"ZQUANTIZ= 'X'"}}, tiles)),
              HasSubstr("quantized by 'X'"));
  EXPECT_THAT(error_of_file(file_of_tiles({.more = {"THEAP   = 2"}}, tiles)), HasSubstr("heap begins at 2"));
}

TEST(FitsTiles, DamagedTilesAreNamed) {
  const std::string good = gzip("abcdef");
  EXPECT_THAT(error_of_file(file_of_tiles({}, {good, "no gzip"})), HasSubstr("tile 2: gzip"));
  EXPECT_THAT(error_of_file(file_of_tiles({}, {good, gzip("abc")})), HasSubstr("tile 2"));
  EXPECT_THAT(error_of_file(file_of_tiles({}, {good, ""})), HasSubstr("tile 2"));
  EXPECT_THAT(error_of_file(file_of_tiles({}, {good})), HasSubstr("the table has 1 rows"));
  EXPECT_THAT(error_of_file(file_of_tiles({.columns = 100000, .rows = 100000, .tile = 100000}, {good})),
              HasSubstr("bytes of tiles"));
  std::string file = file_of_tiles({}, {good, good});
  file[2880 * 2 + 4] = '\x7f';  // where the first tile is
  EXPECT_THAT(error_of_file(file), HasSubstr("tile 1: "));
}

}  // namespace
}  // namespace forebay::dataset
