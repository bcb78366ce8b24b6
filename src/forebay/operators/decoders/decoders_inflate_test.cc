#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lz4.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators {
namespace {

using testing::Given;
using ::testing::HasSubstr;
using testing::run_operator;
using testing::tensor_of;
using testing::values_of;

using Integers = std::vector<int64_t>;

std::vector<uint8_t> deflated(const std::vector<uint8_t>& plain) {
  std::vector<uint8_t> block(static_cast<size_t>(LZ4_compressBound(static_cast<int>(plain.size()))));
  const int size =
      LZ4_compress_default(reinterpret_cast<const char*>(plain.data()), reinterpret_cast<char*>(block.data()),
                           static_cast<int>(plain.size()), static_cast<int>(block.size()));
  block.resize(static_cast<size_t>(size));
  return block;
}

Tensor bytes_tensor(const std::vector<uint8_t>& bytes) {
  return tensor_of<uint8_t>(bytes, {static_cast<int64_t>(bytes.size())});
}

Result<Tensor> inflated(const std::vector<uint8_t>& bytes, const Given& given) {
  FOREBAY_ASSIGN_OR_RETURN(std::vector<Tensor> out,
                           run_operator("decoders.inflate", {bytes_tensor(bytes)}, given));
  return out[0];
}

std::vector<uint8_t> ramp(size_t size, uint8_t first) {
  std::vector<uint8_t> values(size);
  for (size_t i = 0; i < size; ++i) {
    values[i] = static_cast<uint8_t>(first + i % 9);
  }
  return values;
}

std::string inflate_error(const std::vector<uint8_t>& bytes, const Given& given) {
  return std::string(message(inflated(bytes, given).status()));
}

TEST(DecodersInflate, InflatesATensor) {
  const Result<Tensor> out =
      inflated(deflated(ramp(600, 3)), {.constants = {{"shape", Integers{10, 20, 3}}, {"layout", "HWC"}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->spec(), (TensorSpec{{10, 20, 3}, DType::kUint8, "HWC"}));
  EXPECT_EQ(values_of<uint8_t>(*out), ramp(600, 3));
  const Result<Tensor> floats =
      inflated(deflated(ramp(600, 3)),
               {.constants = {{"shape", int64_t{150}}, {"dtype", static_cast<int64_t>(DType::kFloat)}}});
  ASSERT_TRUE(floats.ok()) << floats.status();
  EXPECT_EQ(floats->spec(), (TensorSpec{{150}, DType::kFloat, {}}));
}

TEST(DecodersInflate, InflatesChunks) {
  std::vector<uint8_t> bytes = deflated(ramp(100, 1));
  const auto first = static_cast<int64_t>(bytes.size());
  const std::vector<uint8_t> second = deflated(ramp(100, 50));
  bytes.insert(bytes.end(), second.begin(), second.end());
  std::vector<uint8_t> expected = ramp(100, 1);
  const std::vector<uint8_t> behind = ramp(100, 50);
  expected.insert(expected.end(), behind.begin(), behind.end());
  const Integers offsets{0, first};
  const Integers sizes{first, static_cast<int64_t>(second.size())};
  std::map<std::string, Value> constants{{"shape", Integers{10, 10}}, {"layout", "HW"}};
  for (const int given : {1, 2, 3}) {
    std::map<std::string, Value> with = constants;
    if (given & 1) {
      with["chunk_offsets"] = offsets;
    }
    if (given & 2) {
      with["chunk_sizes"] = sizes;
    }
    const Result<Tensor> out = inflated(bytes, {.constants = with});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(out->spec(), (TensorSpec{{2, 10, 10}, DType::kUint8, "FHW"}));
    EXPECT_EQ(values_of<uint8_t>(*out), expected);
  }
  const Result<Tensor> by_sample =
      inflated(bytes, {.constants = constants, .tensors = {{"chunk_sizes", tensor_of<int64_t>(sizes, {2})}}});
  EXPECT_EQ(values_of<uint8_t>(*by_sample), expected);
}

TEST(DecodersInflate, SaysWhatIsWrong) {
  const std::vector<uint8_t> block = deflated(ramp(100, 1));
  EXPECT_THAT(inflate_error(block, {.constants = {{"shape", int64_t{99}}}}), HasSubstr("longer than the 99"));
  EXPECT_THAT(inflate_error(block, {.constants = {{"shape", int64_t{101}}}}),
              HasSubstr("100 bytes where its shape has 101"));
  EXPECT_THAT(inflate_error({0xff, 0xff, 0xff}, {.constants = {{"shape", int64_t{9}}}}),
              HasSubstr("no LZ4 block"));
  EXPECT_THAT(inflate_error(block, {.constants = {{"shape", int64_t{-1}}}}), HasSubstr("no block"));
  EXPECT_THAT(inflate_error(block, {.constants = {{"shape", Integers{1 << 20, 1 << 20}}}}),
              HasSubstr("no block"));
  EXPECT_THAT(inflate_error(block, {.constants = {{"shape", int64_t{100}}, {"layout", "HW"}}}),
              HasSubstr("layout"));
  EXPECT_THAT(inflate_error(block, {.constants = {{"shape", int64_t{100}}, {"chunk_sizes", int64_t{9999}}}}),
              HasSubstr("chunk 0"));
  EXPECT_THAT(
      inflate_error(block, {.constants = {{"shape", int64_t{100}}, {"chunk_offsets", Integers{0, 9999}}}}),
      HasSubstr("chunk 0, [0, 9999)"));
  EXPECT_THAT(
      inflate_error(block, {.constants = {{"shape", int64_t{100}}, {"chunk_offsets", Integers{5, 2}}}}),
      HasSubstr("chunk 0, [5, 2)"));
  EXPECT_THAT(inflate_error(block, {.constants = {{"shape", int64_t{100}}, {"chunk_offsets", int64_t{-2}}}}),
              HasSubstr("negative"));
  EXPECT_THAT(inflate_error(block, {.constants = {{"shape", int64_t{100}},
                                                  {"chunk_offsets", Integers{0, 1}},
                                                  {"chunk_sizes", Integers{1}}}}),
              HasSubstr("2 chunk_offsets"));
  EXPECT_THAT(inflate_error(block, {.constants = {{"shape", int64_t{100}}, {"algorithm", "zlib"}}}),
              HasSubstr("LZ4"));
  for (size_t size = 0; size < block.size(); ++size) {  // cut anywhere
    EXPECT_FALSE(inflated({block.begin(), block.begin() + static_cast<int64_t>(size)},
                          {.constants = {{"shape", int64_t{100}}}})
                     .ok());
  }
}

}  // namespace
}  // namespace forebay::operators
