#include "forebay/exchange/devices/cuda_devices.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "forebay/cuda/memory/resources.h"
#include "forebay/cuda/testing/gpu.h"
#include "forebay/exchange/arrays/dlpack.h"
#include "forebay/exchange/devices/device_pool.h"
#include "forebay/exchange/devices/streams.h"
#include "forebay/exchange/testing/stream_names.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/device/simulated_device.h"

namespace forebay::exchange {
namespace {

TEST(CudaDevices, WithoutADriverSayWhatIsMissingEachTime) {
  const Status driver = cuda::driver_functions().status();
  if (driver.ok()) {
    GTEST_SKIP() << "there is a driver";
  }
  EXPECT_EQ(cuda_driver(0).status(), driver);
  EXPECT_EQ(cuda_driver(0).status(), driver);
  EXPECT_EQ(driver_of_streams().status(), driver);
}

TEST(CudaDevices, OfStreamsIsTheOneThatHasNames) {
  const auto device = *memory::SimulatedDevice::create({.seed = 1});
  set_stream_names(device->driver(), std::make_shared<TestNames>());
  EXPECT_EQ(*driver_of_streams(), device->driver());
  set_stream_names(device->driver(), nullptr);
}

TEST(CudaDevices, LeaveArraysOfTheHostAlone) {
  const tensor::TensorSpec spec{.shape = {4}, .dtype = tensor::DType::kUint8};
  const StridedArray array = *array_of(*tensor::Tensor::allocate(spec));
  EXPECT_EQ(take_after_default_stream(array), ok_status());
  EXPECT_TRUE(array.owner->last_write().is_trivial());
}

class CudaBorder : public cuda::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (device_ != nullptr) {
      driver_ = *cuda_driver(0);
    }
  }

  uint64_t stream(uint32_t number) const { return reinterpret_cast<uint64_t>(*device_->stream_of(number)); }

  uint32_t driver_ = 0;
};

TEST_F(CudaBorder, StreamsOfOthersAreQueuesUnderTheirHandles) {
  EXPECT_EQ(*cuda_driver(0), driver_);
  const uint32_t own = *queue_of_stream(driver_, stream(1));
  EXPECT_EQ(*queue_of_stream(driver_, stream(1)), own);
  EXPECT_NE(*queue_of_stream(driver_, stream(2)), own);
  EXPECT_EQ(queue_of_stream(driver_, kPerThreadDefaultStream).status().code(), StatusCode::kUnimplemented);
  cuda::HeldQueue held(*device_, 1);
  const Fence behind = *memory::record(driver_, own);
  EXPECT_FALSE(*memory::has_passed(behind));
  held.resume();
  EXPECT_EQ(memory::wait(behind), ok_status());
}

// The structure that a framework passes for memory of its GPU.
struct ForeignTensor {
  explicit ForeignTensor(void* data, int64_t bytes) : extent(bytes) {
    managed.version = {dlpack::kMajorVersion, dlpack::kMinorVersion};
    managed.dl_tensor.data = data;
    managed.dl_tensor.device = {dlpack::kCuda, 0};
    managed.dl_tensor.ndim = 1;
    managed.dl_tensor.dtype = {dlpack::kUInt, 8, 1};
    managed.dl_tensor.shape = &extent;
  }
  int64_t extent;
  dlpack::ManagedTensorVersioned managed{};
};

TEST_F(CudaBorder, AnArrayComesAfterTheDefaultStreamAndIsCopiedToTheHost) {
  std::vector<uint8_t> content(1000);
  std::iota(content.begin(), content.end(), uint8_t{1});
  const auto resource = cuda::device_resource(device_);
  void* const block = *resource->allocate(content.size());
  const uint32_t queue = *queue_of_stream(driver_, kLegacyDefaultStream);
  ASSERT_TRUE(memory::copy_async(driver_, queue, block, content.data(), content.size()).ok());
  ForeignTensor foreign(block, static_cast<int64_t>(content.size()));
  {
    const StridedArray array = *array_from_dlpack(&foreign.managed);
    ASSERT_EQ(take_after_default_stream(array), ok_status());
    EXPECT_EQ(array.owner->last_write().driver, driver_);
    const StridedArray on_host = *copied(array);
    EXPECT_EQ(std::memcmp(on_host.data, content.data(), content.size()), 0);
  }
  resource->deallocate(block, content.size(), Fence{});
}

TEST_F(CudaBorder, FrameworksShareThePoolOnTheirStreams) {
  DevicePool* const pool = *process_device_pool();
  void* const block = *pool->allocate(1 << 20, 0, stream(1));
  pool->deallocate(block, 1 << 20, stream(1));
  EXPECT_EQ(*pool->allocate(1 << 20, 0, stream(1)), block);
  pool->deallocate(block, 1 << 20, stream(1));
}

}  // namespace
}  // namespace forebay::exchange
