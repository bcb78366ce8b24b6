// Scratch memory of image kernels comes from the caller's resource, and its refusal is their error: at each
// allocation in turn, without leaking a byte.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

#include "forebay/kernels/resampling/fused_resample.h"
#include "forebay/kernels/resampling/pillow_resize.h"
#include "forebay/kernels/resampling/resample.h"
#include "forebay/memory/scratch.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::Tensor;

/// Refuses request number `refused`, counted from 0.
class RefusingResource final : public memory::MemoryResource {
 public:
  explicit RefusingResource(int refused) : refused_(refused) {}

  Result<void*> allocate(size_t bytes) override {
    if (requests_++ == refused_) {
      return resource_exhausted("refused by the test");
    }
    FOREBAY_ASSIGN_OR_RETURN(void* const block, memory::host_pool()->allocate(bytes));
    out_bytes_ += bytes;
    return block;
  }
  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override {
    out_bytes_ -= bytes;
    memory::host_pool()->deallocate(pointer, bytes, last_use);
  }
  memory::MemoryKind kind() const override { return memory::MemoryKind::kHost; }
  std::string_view name() const override { return "refusing"; }

  int requests() const { return requests_; }
  size_t out_bytes() const { return out_bytes_; }

 private:
  const int refused_;
  int requests_ = 0;
  size_t out_bytes_ = 0;
};

void expect_refusals(const std::function<Status()>& work, int at_least) {
  for (int refused = 0;; ++refused) {
    RefusingResource resource(refused);
    const memory::ScratchScope scope(resource);
    const Status status = work();
    EXPECT_EQ(resource.out_bytes(), 0);
    if (resource.requests() <= refused) {
      EXPECT_EQ(status, ok_status());
      EXPECT_GE(refused, at_least) << "allocations that the resource saw";
      return;
    }
    ASSERT_EQ(status.code(), StatusCode::kResourceExhausted) << "allocation " << refused;
  }
}

Tensor image(int64_t height, int64_t width, int64_t channels, DType dtype = DType::kUint8) {
  Tensor made = *Tensor::allocate({{height, width, channels}, dtype, tensor::Layout("HWC")});
  std::memset(made.mutable_data(), 7, made.size_bytes());
  return made;
}

ResampleAxis axis(int in_size, int out_size) {
  return *ResampleAxis::make({.in_size = in_size, .out_size = out_size, .hi = static_cast<float>(in_size)});
}

TEST(ScratchRefusalTest, Resample) {
  struct Case {
    int64_t in, out, channels;
  };
  for (const Case& each : {Case{800, 500, 3}, Case{500, 900, 3}, Case{800, 500, 1}, Case{500, 900, 1}}) {
    const Tensor in = image(each.in, each.in, each.channels);
    const Tensor out = image(each.out, each.out, each.channels);
    const auto size = static_cast<int>(each.in);
    const auto wanted = static_cast<int>(each.out);
    const std::vector<ResampleAxis> axes{axis(size, wanted), axis(size, wanted)};
    expect_refusals([&] { return resample(in.view(), axes, out.mutable_view()); }, 2);
  }
}

TEST(ScratchRefusalTest, PillowResize) {
  const Tensor in = image(600, 600, 3);
  const Tensor out = image(400, 300, 3);
  const ImageView<uint8_t> from{in.view().as<uint8_t>(), 600, 600, 3, 1800};
  const MutableImageView<uint8_t> to{out.mutable_view().as<uint8_t>(), 400, 300, 3, 900};
  expect_refusals([&] { return pillow_resize(from, PillowFilter::kBicubic, {0, 0, 600, 600}, to); }, 3);
}

TEST(ScratchRefusalTest, FusedResample) {
  const Tensor out = image(300, 300, 3);
  const Tensor in = image(600, 600, 3);
  for (const int wanted : {300, 900}) {
    const auto work = [&]() -> Status {
      FusedOutput output{.data = out.mutable_data(), .window_height = 300, .window_width = 300};
      FOREBAY_ASSIGN_OR_RETURN(FusedResample fused,
                               FusedResample::make(axis(600, wanted), axis(600, wanted), 3, output));
      while (!fused.is_finished()) {
        fused.push_row(in.view().as<uint8_t>() + fused.next_row() * 1800);
      }
      return ok_status();
    };
    expect_refusals(work, 2);
  }
}

}  // namespace
}  // namespace forebay::kernels
