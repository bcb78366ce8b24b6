// Checks convolutions and computes their memory layout.
#include "forebay/kernels/nn/convolution.h"
#include "forebay/kernels/nn/places.h"

namespace forebay::kernels {
namespace {

int64_t length_of(const Extents& extents, const Extents& planes) {
  return place({extents[0] - 1, extents[1] - 1, extents[2] - 1}, planes) + 1;
}

}  // namespace

Extents ConvolutionShape::out() const {
  Extents extents{};
  for (size_t i = 0; i < 3; ++i) {
    extents[i] = (in[i] + 2 * pad[i] - dilate[i] * (kernel[i] - 1) - 1) / stride[i] + 1;
  }
  return extents;
}

int64_t ConvolutionShape::out_volume() const {
  return out_channels * volume(out());
}

int64_t ConvolutionShape::multiplications() const {
  return out_volume() * taps();
}

Status check(const ConvolutionShape& shape) {
  constexpr int64_t kMost = int64_t{1} << 30;
  for (size_t i = 0; i < 3; ++i) {
    const bool is_sane = shape.kernel[i] >= 1 && shape.stride[i] >= 1 && shape.dilate[i] >= 1 &&
                         shape.pad[i] >= 0 && shape.kernel[i] < kMost && shape.stride[i] < kMost &&
                         shape.dilate[i] < kMost && shape.pad[i] < kMost;
    if (!is_sane) {
      return invalid_argument("kernel, stride and dilation must be at least 1, padding at least 0");
    }
    const int64_t reach = shape.dilate[i] * (shape.kernel[i] - 1) + 1;
    if (reach > shape.in[i] + 2 * shape.pad[i]) {
      return invalid_argument("a kernel that reaches over {} places does not fit into {} (with padding)",
                              reach, shape.in[i] + 2 * shape.pad[i]);
    }
  }
  if (shape.groups < 1 || shape.in_channels < 1 || shape.out_channels < 1 ||
      shape.in_channels % shape.groups != 0 || shape.out_channels % shape.groups != 0) {
    return invalid_argument("{} input and {} output channels cannot be divided into {} groups",
                            shape.in_channels, shape.out_channels, shape.groups);
  }
  return ok_status();
}

ConvolutionPlan::ConvolutionPlan(const ConvolutionShape& shape) : shape_(shape), out_(shape.out()) {
  for (size_t i = 0; i < 3; ++i) {
    reach_[i] = (shape.kernel[i] - 1) * shape.dilate[i] / shape.stride[i];
    planes_[i] = out_[i] + reach_[i];
    gradient_planes_[i] = planes_[i] + reach_[i];
  }
  forward_length_ = length_of(out_, planes_);
  backward_length_ = length_of(planes_, gradient_planes_);
  make_phases();
  make_offsets();
}

void ConvolutionPlan::make_phases() {
  for_each_place(shape_.stride, [&](const Extents& start) {
    Phase phase{.start = start};
    for_each_place(shape_.kernel, [&](const Extents& tap) {
      Extents shift{};
      Extents mirrored{};
      for (size_t i = 0; i < 3; ++i) {
        const int64_t at = tap[i] * shape_.dilate[i];
        if (at % shape_.stride[i] != start[i]) {
          return;
        }
        shift[i] = at / shape_.stride[i];
        mirrored[i] = reach_[i] - shift[i];
      }
      phase.tap_places.push_back(place(tap, shape_.kernel));
      phase.forward_offsets.push_back(place(shift, planes_));
      phase.backward_offsets.push_back(place(mirrored, gradient_planes_));
    });
    if (!phase.tap_places.empty()) {
      phases_.push_back(std::move(phase));
    }
  });
}

void ConvolutionPlan::make_offsets() {
  const int64_t kernel = volume(shape_.kernel);
  int64_t base = 0;
  for (int64_t channel = 0; channel < shape_.in_channels / shape_.groups; ++channel) {
    for (const Phase& phase : phases_) {
      for (size_t i = 0; i < phase.tap_places.size(); ++i) {
        tap_places_.push_back(channel * kernel + phase.tap_places[i]);
        offsets_.push_back(base + phase.forward_offsets[i]);
      }
      base += plane();
    }
  }
}

}  // namespace forebay::kernels
