// Working memory of kernels comes from the caller's resource, and its refusal is their error: at each
// allocation in turn, and without a byte left behind.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

#include "forebay/kernels/generic/slice.h"
#include "forebay/kernels/nn/channels.h"
#include "forebay/kernels/nn/convolution.h"
#include "forebay/kernels/nn/lines.h"
#include "forebay/kernels/resampling/fused_resample.h"
#include "forebay/kernels/resampling/pillow_resize.h"
#include "forebay/kernels/resampling/resample.h"
#include "forebay/kernels/sorting/order.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::Tensor;

/// Refuses the request of that number, counted from 0.
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

Result<ResampleAxis> axis(int in_size, int out_size) {
  return ResampleAxis::make({.in_size = in_size, .out_size = out_size, .hi = static_cast<float>(in_size)});
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
    const std::vector<ResampleAxis> axes{*axis(size, wanted), *axis(size, wanted)};
    expect_refusals([&] { return resample(in.view(), axes, out.mutable_view()); }, 2);
  }
}

TEST(ScratchRefusalTest, ResampleAxis) {
  const auto work = [] {
    return ResampleAxis::make({.in_size = 4000, .out_size = 2000, .hi = 4000}).status();
  };
  expect_refusals(work, 3);
}

TEST(ScratchRefusalTest, Slice) {
  const Tensor in = image(10, 10, 2000);
  const Tensor out = image(12, 12, 2000);
  const std::vector<int64_t> anchor{-1, -1, 0};
  const auto work = [&] { return slice_continued(in.view(), anchor, Border::kWrap, out.mutable_view()); };
  expect_refusals(work, 1);
}

TEST(ScratchRefusalTest, Sorting) {
  const Tensor in = image(1, 1, 5000);
  std::vector<int64_t> order(5000);
  std::vector<uint8_t> sorted(5000);
  const Lines lines{.length = 5000};
  expect_refusals([&] { return order_lines(in.view(), lines, 5000, true, 0, 1, order.data()); }, 1);
  expect_refusals([&] { return sort_lines(in.view(), lines, true, 0, 1, sorted.data()); }, 1);
}

/// Kernels of networks let the refusal out: engine and executor make it the error of the task.
Status status_of(const std::function<void()>& work) {
  return caught([&]() -> Status {
    work();
    return ok_status();
  });
}

TEST(ScratchRefusalTest, Convolution) {
  const ConvolutionPlan plan({.in_channels = 8, .out_channels = 8, .in = {1, 40, 40}, .kernel = {1, 3, 3}});
  const ConvolutionShape& shape = plan.shape();
  const std::vector<float> in(static_cast<size_t>(shape.in_volume()), 1);
  const std::vector<float> weights(static_cast<size_t>(shape.weight_volume()), 1);
  const std::vector<float> gradient(static_cast<size_t>(shape.out_volume()), 1);
  std::vector<float> packed(weights.size());
  std::vector<float> out(gradient.size());
  std::vector<float> in_gradient(in.size());
  std::vector<float> weight_gradient(weights.size());
  const auto forward = [&] {
    plan.pack_forward(weights.data(), packed.data());
    plan.forward<float>(packed.data(), nullptr, in.data(), out.data());
  };
  const auto backward = [&] {
    plan.pack_backward(weights.data(), packed.data());
    plan.data_gradient<float>(packed.data(), nullptr, gradient.data(), in_gradient.data());
    plan.weight_gradient(1, in.data(), gradient.data(), weight_gradient.data());
  };
  expect_refusals([&] { return status_of(forward); }, 2);
  expect_refusals([&] { return status_of(backward); }, 4);
}

TEST(ScratchRefusalTest, LinesAndChannels) {
  constexpr int64_t kLength = 3000;
  const std::vector<float> in(2 * kLength, 1);
  std::vector<float> out(2 * kLength);
  std::vector<float> of_line(2);
  const Lines across{.length = kLength, .inner = 2};
  const auto lines = [&] {
    softmax<float>(across, {.logarithm = true}, nullptr, 0, 2, in.data(), out.data());
    softmax_gradient<float>(across, {}, nullptr, 0, 2, in.data(), in.data(), out.data());
    standardize<float>(across, 1e-5, 0, 2, in.data(), out.data(), of_line.data(), of_line.data());
    standardize_gradient<float>(across, 0, 2, in.data(), of_line.data(), in.data(), out.data());
  };
  expect_refusals([&] { return status_of(lines); }, 5);
  std::vector<float> means(kLength);
  std::vector<float> variances(kLength);
  const auto channels = [&] {
    channel_statistics<float>({2, kLength, 1}, 0, kLength, in.data(), means.data(), variances.data());
  };
  expect_refusals([&] { return status_of(channels); }, 2);
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
      FOREBAY_ASSIGN_OR_RETURN(ResampleAxis vertical, axis(600, wanted));
      FOREBAY_ASSIGN_OR_RETURN(ResampleAxis horizontal, axis(600, wanted));
      FOREBAY_ASSIGN_OR_RETURN(FusedResample fused,
                               FusedResample::make(std::move(vertical), std::move(horizontal), 3, output));
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
