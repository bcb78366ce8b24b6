#include "forebay/exchange/arrays/strided_array.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "forebay/exchange/arrays/array_interface.h"
#include "forebay/exchange/arrays/array_type.h"
#include "forebay/exchange/arrays/dlpack.h"
#include "forebay/memory/copy.h"

namespace forebay::exchange {
namespace {

// 64 int32 values that count up, viewed with any shape and strides.
struct Numbers {
  std::vector<int32_t> values = std::vector<int32_t>(64);
  int released = 0;

  Numbers() { std::iota(values.begin(), values.end(), 0); }

  StridedArray array(Extents shape, Extents strides_elements, int first = 0) {
    StridedArray array;
    array.data = reinterpret_cast<std::byte*>(values.data() + first);
    array.type = {dlpack::kInt, 32, 1};
    array.shape = std::move(shape);
    for (const int64_t stride : strides_elements) {
      array.strides_bytes.push_back(stride * 4);
    }
    array.owner = memory::Buffer::wrap(values.data(), values.size() * 4, memory::MemoryKind::kHost,
                                       [this] { ++released; });
    return array;
  }
};

std::vector<int32_t> values_of(const StridedArray& array) {
  const StridedArray dense = *copied(array);
  const auto* first = reinterpret_cast<const int32_t*>(dense.data);
  return {first, first + dense.volume()};
}

TEST(StridedArray, WhatIsDense) {
  Numbers numbers;
  EXPECT_TRUE(numbers.array({2, 3}, {3, 1}).is_dense());
  EXPECT_TRUE(numbers.array({1, 3}, {77, 1}).is_dense());
  EXPECT_TRUE(numbers.array({}, {}).is_dense());
  EXPECT_TRUE(numbers.array({0, 3}, {1, 7}).is_dense());
  EXPECT_FALSE(numbers.array({2, 3}, {1, 2}).is_dense());
  EXPECT_FALSE(numbers.array({3}, {-1}, 2).is_dense());
  EXPECT_FALSE(numbers.array({3}, {0}).is_dense());
}

TEST(StridedArray, CopiesAreDenseAndCounted) {
  Numbers numbers;
  const uint64_t before = memory::bytes_copied();
  EXPECT_EQ(values_of(numbers.array({2, 3}, {1, 4})), (std::vector<int32_t>{0, 4, 8, 1, 5, 9}));
  EXPECT_EQ(memory::bytes_copied() - before, 24u);
  EXPECT_EQ(values_of(numbers.array({3}, {-1}, 2)), (std::vector<int32_t>{2, 1, 0}));
  EXPECT_EQ(values_of(numbers.array({2, 2}, {0, 1})), (std::vector<int32_t>{0, 1, 0, 1}));
  EXPECT_EQ(values_of(numbers.array({2, 2, 2}, {8, 4, 2})),
            (std::vector<int32_t>{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(values_of(numbers.array({}, {}, 5)), (std::vector<int32_t>{5}));
  EXPECT_TRUE(values_of(numbers.array({0, 4}, {4, 1})).empty());
}

TEST(StridedArray, SpansCoverNegativeStrides) {
  Numbers numbers;
  const ByteSpan span = span_of(numbers.array({2, 3}, {8, -1}, 2));
  EXPECT_EQ(span.first, -8);
  EXPECT_EQ(span.last, 36);
}

TEST(StridedArray, ImpossibleOnesAreRefused) {
  Numbers numbers;
  const int64_t huge = int64_t{1} << 60;
  EXPECT_FALSE(check_array(numbers.array({-1}, {1})).ok());
  EXPECT_FALSE(check_array(numbers.array({huge, huge}, {1, 1})).ok());
  EXPECT_FALSE(check_array(numbers.array({3}, {huge})).ok());
  EXPECT_FALSE(check_array(numbers.array({huge}, {1})).ok());
  StridedArray without = numbers.array({3}, {1});
  without.data = nullptr;
  EXPECT_FALSE(check_array(without).ok());
  StridedArray unknown = numbers.array({3}, {1});
  unknown.type = {200, 32, 1};
  EXPECT_FALSE(check_array(unknown).ok());
  EXPECT_FALSE(check_array(numbers.array(Extents(65, 1), Extents(65, 1))).ok());
}

TEST(StridedArray, TensorsAndBack) {
  Numbers numbers;
  {
    const tensor::Tensor tensor = *tensor_of(numbers.array({2, 3}, {3, 1}), false);
    EXPECT_EQ(tensor.data(), numbers.values.data());
    EXPECT_TRUE(array_of(tensor)->is_dense());
    EXPECT_EQ(numbers.released, 0);
  }
  EXPECT_EQ(numbers.released, 1);
  EXPECT_FALSE(tensor_of(numbers.array({2, 3}, {1, 2}), false).ok());
  EXPECT_EQ(tensor_of(numbers.array({2, 3}, {1, 2}), true)->view().as<int32_t>()[1], 2);
}

TEST(DlpackArrays, StridesAreKeptAndUnitAxesNormal) {
  Numbers numbers;
  auto* managed = *to_dlpack_versioned(numbers.array({2, 1, 3}, {1, 77, 2}));
  EXPECT_EQ(managed->dl_tensor.data, numbers.values.data());
  EXPECT_EQ(managed->dl_tensor.strides[0], 1);
  EXPECT_EQ(managed->dl_tensor.strides[1], 6);
  EXPECT_EQ(managed->dl_tensor.strides[2], 2);
  EXPECT_EQ(managed->version.minor, 3u);
  const StridedArray back = *array_from_dlpack(managed);
  EXPECT_EQ(values_of(back), (std::vector<int32_t>{0, 2, 4, 1, 3, 5}));
}

TEST(DlpackArrays, NegativeStridesAreCopiedOrRefused) {
  Numbers numbers;
  const StridedArray reversed = numbers.array({3}, {-1}, 2);
  EXPECT_EQ(to_dlpack_versioned(reversed, {.copy = false}).status().code(), StatusCode::kFailedPrecondition);
  auto* managed = *to_dlpack_versioned(reversed);
  EXPECT_EQ(managed->flags, dlpack::kFlagIsCopied);
  EXPECT_EQ(values_of(*array_from_dlpack(managed)), (std::vector<int32_t>{2, 1, 0}));
  EXPECT_FALSE(is_immediate(reversed, {}));
}

TEST(DlpackArrays, ReadOnlyNeedsAVersionOrACopy) {
  Numbers numbers;
  StridedArray array = numbers.array({3}, {1});
  array.is_read_only = true;
  EXPECT_FALSE(to_dlpack(array).ok());
  auto* versioned = *to_dlpack_versioned(array);
  EXPECT_EQ(versioned->flags, dlpack::kFlagReadOnly);
  EXPECT_TRUE(array_from_dlpack(versioned)->is_read_only);
  auto* copy = *to_dlpack(array, {.copy = true});
  EXPECT_NE(copy->dl_tensor.data, array.data);
  copy->deleter(copy);
  auto* exposed = *to_dlpack(array, {}, true);
  EXPECT_EQ(exposed->dl_tensor.data, array.data);
  exposed->deleter(exposed);
}

TEST(DlpackArrays, DevicesThatAreNotThere) {
  Numbers numbers;
  const StridedArray array = numbers.array({3}, {1});
  EXPECT_FALSE(to_dlpack(array, {.device = dlpack::Device{dlpack::kCuda, 0}}).ok());
  EXPECT_FALSE(to_dlpack(array, {.device = dlpack::Device{dlpack::kCpu, 1}}).ok());
  EXPECT_FALSE(to_dlpack(array, {.stream = 1}).ok());
  auto* managed = *to_dlpack(array, {.device = dlpack::Device{dlpack::kCpu, 0}});
  managed->deleter(managed);
}

TEST(DlpackArrays, PinnedMemoryIsCpuMemory) {
  Numbers numbers;
  StridedArray array = numbers.array({3}, {1});
  array.device = {dlpack::kCudaHost, 0};
  auto* managed = *to_dlpack_versioned(array);
  EXPECT_EQ(managed->dl_tensor.device, (dlpack::Device{dlpack::kCpu, 0}));
  EXPECT_EQ(managed->dl_tensor.data, array.data);
  managed->deleter(managed);
}

TEST(DlpackArrays, PackedElements) {
  Numbers numbers;
  StridedArray array = numbers.array({2, 3}, {3, 1});
  array.type = {dlpack::kUInt, 4, 1};
  array.strides_bytes = {0, 0};
  EXPECT_EQ(array.size_bytes(), 3u);
  auto* managed = *to_dlpack_versioned(array);
  EXPECT_EQ(managed->dl_tensor.strides[0], 3);
  EXPECT_EQ(array_from_dlpack(managed)->size_bytes(), 3u);
  auto* strided = *to_dlpack_versioned(array);
  strided->dl_tensor.strides[0] = 4;
  EXPECT_FALSE(array_from_dlpack(strided).ok());
  strided->deleter(strided);
  array.is_subbyte_padded = true;
  array.strides_bytes = {3, 1};
  auto* padded = *to_dlpack_versioned(array);
  EXPECT_EQ(padded->flags, dlpack::kFlagIsSubbytePadded);
  EXPECT_EQ(array_from_dlpack(padded)->size_bytes(), 6u);
  EXPECT_FALSE(to_dlpack(array).ok());
}

TEST(DlpackArrays, AllocatorGivesWhatThePrototypeSays) {
  int64_t shape[] = {2, 5};
  dlpack::Tensor prototype{nullptr, {dlpack::kCpu, 0}, 2, {dlpack::kBfloat, 16, 1}, shape, nullptr, 0};
  auto* managed = *allocate_dlpack(prototype);
  EXPECT_NE(managed->dl_tensor.data, nullptr);
  EXPECT_EQ(managed->dl_tensor.strides[0], 5);
  managed->deleter(managed);
  prototype.device.device_type = dlpack::kCuda;
  EXPECT_FALSE(allocate_dlpack(prototype).ok());
}

TEST(ArrayInterface, ThereAndBack) {
  Numbers numbers;
  StridedArray array = numbers.array({2, 3}, {8, -1}, 2);
  array.is_read_only = true;
  const ArrayInterface facts = *array_interface_of(array);
  EXPECT_EQ(facts.typestring, "<i4");
  EXPECT_EQ(facts.strides_bytes, (Extents{32, -4}));
  EXPECT_EQ(*typestring_of({dlpack::kComplex, 64, 1}), "<c8");
  int released = 0;
  {
    const StridedArray back = *exchange::array_of(facts, {dlpack::kCpu, 0}, [&released] { ++released; });
    EXPECT_EQ(values_of(back), (std::vector<int32_t>{2, 1, 0, 10, 9, 8}));
    EXPECT_TRUE(back.is_read_only);
  }
  EXPECT_EQ(released, 1);
  EXPECT_FALSE(array_interface_of(numbers.array({3}, {1}))->strides_bytes);
}

TEST(ArrayInterface, RefusesWhatItCannotRead) {
  ArrayInterface facts;
  facts.typestring = "<f4";
  facts.shape = {3};
  const dlpack::Device cpu{dlpack::kCpu, 0};
  EXPECT_FALSE(exchange::array_of(facts, cpu, {}).ok());  // no pointer
  facts.shape = {0};
  EXPECT_TRUE(exchange::array_of(facts, cpu, {}).ok());
  for (const char* name : {">f4", "<f3", "|O8", "<U4", "", "f4", "<V2", "<M8"}) {
    facts.typestring = name;
    EXPECT_FALSE(exchange::array_of(facts, cpu, {}).ok()) << name;
  }
  facts.typestring = "<f4";
  facts.has_mask = true;
  EXPECT_FALSE(exchange::array_of(facts, cpu, {}).ok());
  facts.has_mask = false;
  facts.version = 4;
  EXPECT_FALSE(exchange::array_of(facts, cpu, {}).ok());
  facts.version = 3;
  facts.strides_bytes = Extents{4, 4};
  EXPECT_FALSE(exchange::array_of(facts, cpu, {}).ok());
}

TEST(ArrayType, FormatsComeBack) {
  for (const dlpack::DataType type : {dlpack::DataType{dlpack::kInt, 64, 1},
                                      {dlpack::kUInt, 8, 1},
                                      {dlpack::kFloat, 16, 1},
                                      {dlpack::kComplex, 128, 1},
                                      {dlpack::kBool, 8, 1}}) {
    EXPECT_EQ(*type_of_buffer_format(*buffer_format_of(type), type.bits / 8), type);
    EXPECT_EQ(*type_of_typestring(*typestring_of(type)), type);
  }
  EXPECT_EQ(*type_of_buffer_format("<q", 8), (dlpack::DataType{dlpack::kInt, 64, 1}));
  EXPECT_FALSE(type_of_buffer_format(">i", 4).ok());
  EXPECT_TRUE(type_of_buffer_format(">b", 1).ok());
  EXPECT_FALSE(type_of_buffer_format("T{i:x:}", 4).ok());
  EXPECT_FALSE(buffer_format_of({dlpack::kBfloat, 16, 1}).ok());
}

}  // namespace
}  // namespace forebay::exchange
