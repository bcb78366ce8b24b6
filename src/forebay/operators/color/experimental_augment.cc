// experimental.augment: adjustments of colours and small affine warps, one after the other, as drawn for each
// sample. Policies such as RandAugment are one operator whose operations and amounts are data.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "forebay/kernels/image/adjust.h"
#include "forebay/kernels/image/rotation.h"
#include "forebay/kernels/image/warp.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/image_layout.h"
#include "forebay/operators/types.h"

namespace forebay::operators {
namespace {

/// The numbers of `operations` behind those of kernels::Adjustment.
enum AugmentWarp : int64_t {
  kShearX = kernels::kAdjustments,
  kShearY,
  kTranslateX,
  kTranslateY,
  kRotate,
  kAugmentOperations,
};

struct AugmentStep {
  int64_t operation = 0;
  float amount = 0;
};

using AugmentSteps = std::vector<AugmentStep>;

/// From output to input.
Result<kernels::AffineMatrix> augment_map(const AugmentStep& step, const Shape& image) {
  if (step.operation == kRotate) {
    const std::array<int64_t, 2> size{image[0], image[1]};
    return kernels::rotation_map(size, size, step.amount, {});
  }
  kernels::AffineMatrix map(2);
  if (step.operation == kShearX) {
    map.at(0, 1) = step.amount;
  } else if (step.operation == kShearY) {
    map.at(1, 0) = step.amount;
  } else {
    map.at(step.operation == kTranslateX ? 0 : 1, 2) = -std::trunc(step.amount);
  }
  return map;
}

struct Augment {
  Arg<std::vector<int64_t>> operations;
  Arg<std::vector<float>> amounts;
  Arg<std::vector<float>> order;
  float fill_value = 0;
  InterpType interp_type = InterpType::kNearest;

  Status prepare(const Arguments&) const {
    return interp_type == InterpType::kNearest || interp_type == InterpType::kLinear
               ? ok_status()
               : invalid_argument("interp_type must be INTERP_NN or INTERP_LINEAR");
  }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, image_layout(sample.input(0), {"HWC"}));
    FOREBAY_ASSIGN_OR_RETURN(const AugmentSteps steps, steps_of(sample));
    if (steps.empty()) {
      sample.forward(0, sample.input(0));
      return ok_status();
    }
    const TensorSpec spec{sample.input(0).shape(), sample.input(0).dtype(), layout};
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    std::array<MutableTensorView, 2> between;  // taken in turns
    for (size_t i = 0; i + 1 < std::min<size_t>(steps.size(), 3); ++i) {
      FOREBAY_ASSIGN_OR_RETURN(const MutableBytes memory, sample.scratch(spec.size_bytes()));
      between[i] = {memory.data(), spec};
    }
    TensorView from = sample.input(0).view();
    for (size_t i = 0; i < steps.size(); ++i) {
      const MutableTensorView to = i + 1 == steps.size() ? out : between[i % 2];
      FOREBAY_RETURN_IF_ERROR(apply(steps[i], from, to));
      from = to;
    }
    return ok_status();
  }

 private:
  /// In their order, without those that change nothing.
  Result<AugmentSteps> steps_of(const Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers numbers, operations.values(sample));
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats values, amounts.values(sample));
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats keys, order.values(sample));
    if (values.size() != numbers.size() || (!keys.empty() && keys.size() != numbers.size())) {
      return invalid_argument("there are {} operations, {} amounts and {} places in the order",
                              numbers.size(), values.size(), keys.size());
    }
    if (!std::ranges::all_of(keys, [](float key) { return std::isfinite(key); })) {
      return invalid_argument("the order has a number that is not finite");
    }
    std::vector<size_t> places(numbers.size());
    std::iota(places.begin(), places.end(), 0);
    if (!keys.empty()) {
      std::ranges::stable_sort(places, {}, [&](size_t place) { return keys[place]; });
    }
    AugmentSteps steps;
    for (const size_t place : places) {
      if (numbers[place] < 0 || numbers[place] >= kAugmentOperations || !std::isfinite(values[place])) {
        return invalid_argument("operation {} by {}: operations are 0 to {}, and amounts finite",
                                numbers[place], values[place], kAugmentOperations - 1);
      }
      if (numbers[place] != 0) {
        steps.push_back({numbers[place], values[place]});
      }
    }
    return steps;
  }

  Status apply(const AugmentStep& step, const TensorView& from, const MutableTensorView& to) const {
    if (step.operation < kernels::kAdjustments) {
      return kernels::adjust_image(from, static_cast<kernels::Adjustment>(step.operation), step.amount, to);
    }
    kernels::WarpOptions options;
    FOREBAY_ASSIGN_OR_RETURN(options.map, augment_map(step, from.shape()));
    options.filter =
        interp_type == InterpType::kNearest ? kernels::WarpFilter::kNearest : kernels::WarpFilter::kLinear;
    options.fill = fill_value;
    return kernels::warp(from, options, to);
  }
};

}  // namespace

OperatorSpec experimental_augment() {
  return describe<Augment>(
             "experimental.augment",
             "Adjusts colours and warps images by operations that are data, one after the other.")
      .input("data", "Images, HWC, with 1 or 3 channels, of UINT8, or FLOAT from 0 to 1.")
      .param(
          "operations", &Augment::operations,
          "What is done: 0 nothing, 1 brightness, 2 contrast, 3 saturation, 4 hue, 5 sharpness, 6 posterize, "
          "7 solarize, 8 autocontrast, 9 equalize, 10 invert, 11 grayscale, 12 gamma, 13 shear along x, 14 "
          "along y, 15 translate along x, 16 along y, 17 rotate.")
      .required()
      .param(
          "amounts", &Augment::amounts,
          "How much, one for each: factors (1, 2, 3, 5) or an exponent (12) of 0 or more, a part of a turn "
          "(4), bits that stay (6), a threshold (7), pixels a row or column (13, 14), pixels (15, 16), "
          "degrees counter-clockwise (17).")
      .required()
      .param("order", &Augment::order, "Operations are done by ascending numbers of these; as given without.")
      .param("fill_value", &Augment::fill_value, "What warps bring in from outside.")
      .any_number()
      .param("interp_type", &Augment::interp_type, "Of warps: INTERP_NN or INTERP_LINEAR.")
      .outputs(
          "The image; of UINT8 each operation gives UINT8. Equal on all targets but for the last bit of "
          "the C library's power, sine and cosine.")
      .close()
      .matches("torchvision.transforms.v2.functional on tensors")
      .build();
}

}  // namespace forebay::operators
