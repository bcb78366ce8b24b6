#include "forebay/exchange/arrays/dlpack.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "forebay/memory/copy.h"

namespace forebay::exchange {
namespace {

using tensor::DType;
using tensor::Tensor;

Tensor counting(tensor::Shape shape) {
  std::vector<int32_t> values(shape.volume());
  std::iota(values.begin(), values.end(), 0);
  return *Tensor::copy_of<int32_t>(values, shape);
}

// Another framework's structure over memory of the test.
struct Foreign {
  explicit Foreign(std::vector<int64_t> shape_, std::vector<int64_t> strides_ = {})
      : values(64), shape(std::move(shape_)), strides(std::move(strides_)) {
    std::iota(values.begin(), values.end(), 0);
    managed.dl_tensor = {values.data(),
                         {dlpack::kCpu, 0},
                         static_cast<int32_t>(shape.size()),
                         {0, 32, 1},
                         shape.data(),
                         strides.empty() ? nullptr : strides.data(),
                         0};
    managed.manager_ctx = this;
    managed.deleter = [](dlpack::ManagedTensor* self) {
      ++static_cast<Foreign*>(self->manager_ctx)->deleted;
    };
  }

  std::vector<int32_t> values;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  dlpack::ManagedTensor managed{};
  int deleted = 0;
};

TEST(Dlpack, ExportSharesAndHoldsTheTensor) {
  const Tensor tensor = counting({2, 3});
  const uint64_t copied = memory::bytes_copied();
  dlpack::ManagedTensor* managed = *to_dlpack(tensor);
  EXPECT_EQ(memory::bytes_copied(), copied);
  EXPECT_EQ(managed->dl_tensor.data, tensor.data());
  EXPECT_EQ(managed->dl_tensor.ndim, 2);
  EXPECT_EQ(managed->dl_tensor.strides[0], 3);
  EXPECT_EQ(tensor.buffer().use_count(), 2);
  managed->deleter(managed);
  EXPECT_EQ(tensor.buffer().use_count(), 1);
}

TEST(Dlpack, ReadOnlyMemoryStaysSo) {
  const std::vector<int32_t> values = {1, 2, 3, 4};
  const tensor::TensorSpec spec{{4}, DType::kInt32, {}};
  const Tensor lent(
      memory::Buffer::wrap_read_only(values.data(), spec.size_bytes(), memory::MemoryKind::kHost, {}), 0,
      spec);
  EXPECT_EQ(to_dlpack(lent).status().code(), StatusCode::kFailedPrecondition);
  dlpack::ManagedTensorVersioned* managed = *to_dlpack_versioned(lent);
  EXPECT_EQ(managed->version.major, 1u);
  EXPECT_EQ(managed->flags, dlpack::kFlagReadOnly);
  const Tensor back = *from_dlpack(managed);
  EXPECT_EQ(back.data(), values.data());
  EXPECT_TRUE(back.buffer()->is_read_only());
  EXPECT_TRUE(array_of(back)->is_read_only);
}

TEST(Dlpack, RoundTripIsTheSameMemory) {
  const Tensor tensor = counting({2, 3});
  for (const tensor::Shape& shape : {tensor::Shape{2, 3}, tensor::Shape{6}}) {
    const Tensor from = *tensor.reinterpreted({shape, DType::kInt32, {}});
    const Tensor back = *from_dlpack(*to_dlpack_versioned(from));
    EXPECT_EQ(back.data(), tensor.data());
    EXPECT_EQ(back.shape(), shape);
  }
  EXPECT_EQ(tensor.buffer().use_count(), 1);
}

TEST(Dlpack, ScalarsAndEmptyTensors) {
  EXPECT_EQ(from_dlpack(*to_dlpack(*Tensor::scalar<int32_t>(7)))->shape().rank(), 0);
  EXPECT_EQ(from_dlpack(*to_dlpack(counting({0, 3})))->volume(), 0);
}

TEST(Dlpack, ImportSharesDenseMemoryAndGivesItBackOnce) {
  Foreign foreign({4, 5});
  {
    const Tensor tensor = *from_dlpack(&foreign.managed);
    EXPECT_EQ(tensor.data(), foreign.values.data());
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(Dlpack, ImportCopiesWhatIsNotDense) {
  Foreign foreign({2, 3}, {1, 4});
  const uint64_t copied = memory::bytes_copied();
  const Tensor tensor = *from_dlpack(&foreign.managed);
  EXPECT_EQ(foreign.deleted, 1);
  EXPECT_EQ(memory::bytes_copied() - copied, 24u);
  const auto values = tensor.view().span<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(values.begin(), values.end()), (std::vector<int32_t>{0, 4, 8, 1, 5, 9}));
}

TEST(Dlpack, NegativeAndZeroStrides) {
  Foreign reversed({3}, {-1});
  reversed.managed.dl_tensor.byte_offset = 8;
  const Tensor back = *from_dlpack(&reversed.managed);
  EXPECT_EQ(back.view().as<int32_t>()[0], 2);
  EXPECT_EQ(back.view().as<int32_t>()[2], 0);
  Foreign repeated({2, 2}, {0, 1});
  EXPECT_EQ(from_dlpack(&repeated.managed)->view().as<int32_t>()[2], 0);
}

TEST(Dlpack, WhatIsRefusedStaysTheCallers) {
  Foreign device({4});
  device.managed.dl_tensor.device = {dlpack::kCuda, 0};
  EXPECT_FALSE(from_dlpack(&device.managed).ok());
  Foreign negative({-1});
  EXPECT_FALSE(from_dlpack(&negative.managed).ok());
  Foreign huge({int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_FALSE(from_dlpack(&huge.managed).ok());
  Foreign vectors({4});
  vectors.managed.dl_tensor.dtype.lanes = 4;
  EXPECT_FALSE(from_dlpack(&vectors.managed).ok());
  EXPECT_EQ(device.deleted + negative.deleted + huge.deleted + vectors.deleted, 0);
}

TEST(Dlpack, OtherMajorVersionsAreRefused) {
  dlpack::ManagedTensorVersioned* managed = *to_dlpack_versioned(counting({4}));
  managed->version.major = 2;
  EXPECT_EQ(from_dlpack(managed).status().code(), StatusCode::kFailedPrecondition);
  managed->deleter(managed);
}

}  // namespace
}  // namespace forebay::exchange
