// The synchronisation of the protocols on the simulated device, where every write is late until somebody
// waits for it.
#include "forebay/exchange/devices/streams.h"

#include <gtest/gtest.h>

#include "forebay/exchange/arrays/array_interface.h"
#include "forebay/exchange/arrays/dlpack.h"
#include "forebay/exchange/testing/stream_names.h"
#include "forebay/memory/device/simulated_device.h"

namespace forebay::exchange {
namespace {

using memory::SimulatedDevice;

class Streams : public ::testing::Test {
 protected:
  void SetUp() override { SetUp(7); }
  void SetUp(uint64_t seed) {
    device_ = *SimulatedDevice::create({.seed = seed, .eager = false});
    set_stream_names(device_->driver(), std::make_shared<TestNames>());
  }
  void TearDown() override { set_stream_names(device_->driver(), nullptr); }

  // Returns 16 bytes that queue 3 will fill with `value`, as an array on a CUDA device.
  StridedArray written(int value) {
    const auto buffer = *memory::Buffer::allocate(16, device_->resource());
    auto* bytes = static_cast<uint8_t*>(buffer->data());
    EXPECT_TRUE(device_
                    ->submit(3,
                             [bytes, value] {
                               std::fill(bytes, bytes + 16, static_cast<uint8_t>(value));
                               return ok_status();
                             })
                    .ok());
    buffer->set_last_write(*device_->record(3));
    StridedArray array;
    array.owner = buffer;
    array.data = static_cast<std::byte*>(buffer->data());
    array.type = {dlpack::kUInt, 8, 1};
    array.device = {dlpack::kCuda, 0};
    array.shape = {16};
    array.strides_bytes = {1};
    return array;
  }

  // Returns the first byte as seen by work put on `queue` now.
  int seen_on(uint32_t queue, const std::byte* data) {
    int value = -1;
    EXPECT_TRUE(device_
                    ->submit(queue,
                             [&value, data] {
                               value = static_cast<int>(*data);
                               return ok_status();
                             })
                    .ok());
    EXPECT_TRUE(device_->wait(queue, device_->record(queue)->sequence).ok());
    return value;
  }

  std::shared_ptr<SimulatedDevice> device_;
};

TEST_F(Streams, DlpackConsumersStreamSeesTheContent) {
  for (const auto& [stream, queue] :
       {std::pair<std::optional<int64_t>, uint32_t>{std::nullopt, 0}, {1, 0}, {2, 1}, {1002, 2}}) {
    const StridedArray array = written(5);
    auto* managed = *to_dlpack_versioned(array, {.stream = stream});
    EXPECT_EQ(managed->dl_tensor.device.device_type, dlpack::kCuda);
    EXPECT_EQ(seen_on(queue, array.data), 5);
    managed->deleter(managed);
    EXPECT_EQ(array.owner->readers().size(), 1u);  // the memory waits for the consumer's stream
  }
}

TEST_F(Streams, WithoutSynchronisationSomeScheduleIsLate) {
  int late = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    TearDown();
    SetUp(seed);
    const StridedArray array = written(5);
    auto* managed = *to_dlpack_versioned(array, {.stream = -1});
    late += seen_on(0, array.data) != 5 ? 1 : 0;
    managed->deleter(managed);
    EXPECT_TRUE(array.owner->readers().empty());
  }
  EXPECT_GT(late, 0);
}

TEST_F(Streams, WithItNoScheduleIs) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    TearDown();
    SetUp(seed);
    const StridedArray array = written(5);
    auto* managed = *to_dlpack_versioned(array);
    EXPECT_EQ(seen_on(0, array.data), 5);
    managed->deleter(managed);
  }
}

TEST_F(Streams, StreamsThatAreNone) {
  const StridedArray array = written(5);
  EXPECT_FALSE(to_dlpack_versioned(array, {.stream = 0}).ok());
  EXPECT_FALSE(to_dlpack_versioned(array, {.stream = -2}).ok());
  EXPECT_FALSE(to_dlpack_versioned(array, {.stream = 55}).ok());
}

TEST_F(Streams, WithoutNamesOnlyWhatIsReadyIsHandedOver) {
  const StridedArray array = written(5);
  set_stream_names(device_->driver(), nullptr);
  EXPECT_FALSE(to_dlpack_versioned(array).ok());
  ASSERT_TRUE(device_->synchronize().ok());
  auto* managed = *to_dlpack_versioned(array);
  managed->deleter(managed);
}

TEST_F(Streams, ToTheHostByACopyBehindTheWriter) {
  const StridedArray array = written(9);
  EXPECT_FALSE(to_dlpack_versioned(array, {.device = dlpack::Device{dlpack::kCpu, 0}, .copy = false}).ok());
  const StridedArray copy = *copied(array);
  EXPECT_EQ(static_cast<int>(copy.data[15]), 9);
}

TEST_F(Streams, CudaArrayInterfaceNamesTheWritersStream) {
  const StridedArray array = written(5);
  const ArrayInterface facts = *cuda_array_interface_of(array);
  EXPECT_EQ(facts.stream, 1003u);
  const StridedArray taken = *exchange::array_of(facts, {dlpack::kCuda, 0}, {}, device_->driver());
  EXPECT_FALSE(taken.owner->last_write().is_trivial());
  auto* managed = *to_dlpack_versioned(taken, {.stream = 2});
  EXPECT_EQ(seen_on(1, array.data), 5);
  managed->deleter(managed);
}

TEST_F(Streams, CudaArrayInterfaceOfWhatIsReadyNeedsNoStream) {
  StridedArray array = written(5);
  array.owner->set_last_write({});
  EXPECT_FALSE(cuda_array_interface_of(array)->stream);
  array.device = {dlpack::kCpu, 0};
  EXPECT_FALSE(cuda_array_interface_of(array).ok());
}

TEST_F(Streams, ConsumerRefusesStreamZero) {
  ArrayInterface facts = *cuda_array_interface_of(written(5));
  facts.stream = 0;
  EXPECT_FALSE(exchange::array_of(facts, {dlpack::kCuda, 0}, {}, device_->driver()).ok());
}

}  // namespace
}  // namespace forebay::exchange
