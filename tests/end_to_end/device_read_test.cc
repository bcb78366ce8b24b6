// Files into a GPU's memory, through pinned memory and by GPUDirect Storage where the machine has it.
#include "forebay/storage/device_reads/device_read.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

#include "forebay/cuda/memory/resources.h"
#include "forebay/cuda/queues/driver_queue.h"
#include "forebay/cuda/testing/gpu.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/device_driver.h"
#include "forebay/memory/pool/pool.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

class GpuDeviceRead : public cuda::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (device_ == nullptr) {
      return;
    }
    for (size_t i = 0; i < text_.size(); ++i) {
      text_[i] = static_cast<char>(i * 131 + i / 4099);
    }
    ASSERT_TRUE(storage::write_now(store_, "k", std::as_bytes(std::span(text_))).ok());
    staging_ =
        *memory::Pool::create({.upstream = cuda::pinned_resource(device_), .maximum_bytes = 64 * kMiB});
    place_ = {.buffer = *memory::Buffer::allocate(text_.size(), cuda::device_resource(device_)),
              .queue = queue(1),
              .engine = &engine_,
              .lane = engine_.new_lane({.name = "reads"}),
              .copies = *engine_.device_executor("copies", cuda::driver_queue(queue(1), device_))};
  }

  Result<storage::DeviceRead> read(bool may_be_direct) {
    const storage::ReadRequest request{.key = "k", .offset_bytes = kOffset, .resource = staging_};
    Result<storage::DeviceRead> read = storage::read_to_device(
        store_, request, place_, {.chunk_bytes = kMiB, .may_be_direct = may_be_direct});
    if (read.ok()) {
      FOREBAY_RETURN_IF_ERROR(engine_.wait(read->ready));
    }
    return read;
  }

  void expect_content() {
    std::string seen(text_.size() - kOffset, '\0');
    ASSERT_EQ(memory::wait_on_queue(device_->driver(), 2, place_.buffer->last_write()), ok_status());
    const Result<Fence> copied =
        memory::copy_async(device_->driver(), 2, seen.data(), place_.buffer->data(), seen.size());
    ASSERT_EQ(memory::wait(*copied), ok_status());
    EXPECT_TRUE(seen == std::string_view(text_).substr(kOffset));
  }

  static constexpr size_t kOffset = 5;

  storage::TemporaryDirectory directory_;
  storage::LocalStore store_{{.root = directory_.path()}};
  std::string text_ = std::string(9 * kMiB + 77, '\0');
  std::shared_ptr<memory::MemoryResource> staging_;
  engine::Engine engine_{{.workers = 2}};
  storage::DevicePlace place_;
};

TEST_F(GpuDeviceRead, ThroughPinnedMemory) {
  const Result<storage::DeviceRead> got = read(false);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_FALSE(got->is_direct());
  expect_content();
}

TEST_F(GpuDeviceRead, ByTheDeviceItselfOrElseThroughTheHost) {
  const Result<storage::DeviceRead> got = read(true);
  ASSERT_TRUE(got.ok()) << got.status();
  expect_content();
  if (!got->is_direct()) {
    GTEST_SKIP() << "the bytes came through the host: " << message(got->direct);
  }
}

}  // namespace
}  // namespace forebay
