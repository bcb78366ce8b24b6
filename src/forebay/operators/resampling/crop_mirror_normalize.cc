#include "forebay/operators/resampling/crop_mirror_normalize.h"

#include <algorithm>
#include <bit>

#include "forebay/operators/border_names.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/image_axes.h"

namespace forebay::operators {
namespace {

/// For the kernel a sequence of images is a volume of frames, so it can be cropped and transposed like one.
Layout frames_as_depth(const Layout& layout) {
  std::string names = layout.to_string();
  if (layout.find('D') < 0) {
    std::ranges::replace(names, 'F', 'D');
  }
  return Layout(names);
}

bool is_permutation_of(const Layout& a, const Layout& b) {
  return a.size() == b.size() && std::is_permutation(a.view().begin(), a.view().end(), b.view().begin());
}

}  // namespace

Status CropMirrorNormalize::prepare(const Arguments&) const {
  FOREBAY_RETURN_IF_ERROR(check());
  if (dtype != DType::kFloat && dtype != DType::kFloat16 && dtype != DType::kUint8 && dtype != DType::kInt8) {
    return invalid_argument("dtype must be FLOAT, FLOAT16, UINT8 or INT8, not {}", tensor::name_of(dtype));
  }
  return ok_status();
}

Result<NormalizePlan> CropMirrorNormalize::plan(const Sample& sample, const TensorSpec& in) const {
  NormalizePlan plan;
  const Layout layout = layout_or_guess(in);
  plan.out_layout = output_layout.names.empty() ? layout : Layout(output_layout.names);
  const int channel_axis = layout.find('C');
  if (layout.size() != in.shape.rank() || channel_axis < 0) {
    return invalid_argument("an image, volume or sequence with channels is needed, not {} of layout '{}'",
                            in.to_string(), in.layout.view());
  }
  if (!is_permutation_of(plan.out_layout, layout)) {
    return invalid_argument("output_layout='{}' is not an order of the input's axes, '{}'",
                            plan.out_layout.view(), layout.view());
  }
  FOREBAY_ASSIGN_OR_RETURN(plan.window, window(sample, in.shape, layout));
  FOREBAY_ASSIGN_OR_RETURN(plan.window, apply_policy(plan.window, in.shape, out_of_bounds_policy));
  plan.is_inside = lies_inside(plan.window, in.shape);

  const int64_t channels = in.shape[channel_axis];
  if (channels > kernels::kMaxNormalizedChannels) {
    return invalid_argument("{} channels are given, at most {} are normalised", channels,
                            kernels::kMaxNormalizedChannels);
  }
  FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats means, mean.values(sample));
  FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats deviations, std.values(sample));
  FOREBAY_ASSIGN_OR_RETURN(const int64_t is_mirrored, mirror.get(sample));
  kernels::CropMirrorNormalizeOptions& options = plan.options;
  FOREBAY_ASSIGN_OR_RETURN(
      options.constants,
      kernels::make_normalize_constants(means, deviations, scale, shift, static_cast<int>(channels)));
  options.mirror = is_mirrored != 0;
  if (border_named(out_of_bounds_policy) == kernels::Border::kConstant) {
    options.fill = fill_values;  // otherwise added channels are 0, as in DALI
  }
  const auto padded =
      pad_output ? std::bit_ceil(static_cast<uint64_t>(channels)) : static_cast<uint64_t>(channels);
  options.out_channels = static_cast<int>(padded);
  if (fill_values.size() > 1 && std::ssize(fill_values) != channels &&
      std::ssize(fill_values) != options.out_channels) {
    return invalid_argument("fill_values has {} values for {} channels; give one, or one per channel",
                            fill_values.size(), channels);
  }

  plan.in = {in.shape, in.dtype, frames_as_depth(layout)};
  plan.out.dtype = dtype;
  plan.out.layout = frames_as_depth(plan.out_layout);
  for (const char name : plan.out_layout.view()) {
    plan.out.shape.push_back(name == 'C' ? options.out_channels : plan.window.shape[layout.find(name)]);
  }
  if (!plan.out.shape.checked_volume()) {
    return invalid_argument("the output of shape {} would be too large", plan.out.shape.to_string());
  }
  options.shape[0] = 1;
  for (int i = 0; i < 3; ++i) {
    if (const int axis = plan.in.layout.find("DHW"[i]); axis >= 0) {
      options.anchor[i] = plan.window.anchor[axis];
      options.shape[i] = plan.window.shape[axis];
    }
  }
  return plan;
}

Status normalize_tensor(const TensorView& in, const NormalizePlan& plan, const MutableTensorView& out) {
  if (out.volume() == 0) {
    return ok_status();
  }
  return kernels::crop_mirror_normalize({in.data, plan.in}, plan.options, {out.data, plan.out});
}

Status CropMirrorNormalize::run(Sample& sample) const {
  const Tensor& in = sample.input(0);
  FOREBAY_ASSIGN_OR_RETURN(const NormalizePlan normalize, plan(sample, in.spec()));
  const TensorSpec spec{normalize.out.shape, normalize.out.dtype, normalize.out_layout};
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
  return normalize_tensor(in.view(), normalize, out);
}

OperatorSpec crop_mirror_normalize() {
  using Op = CropMirrorNormalize;
  return describe<Op>("crop_mirror_normalize",
                      "Crops, mirrors, normalises, converts and transposes in one pass.")
      .input("data", "HWC, CHW, DHWC, CDHW, or a sequence of these (F).")
      .group([](auto& description) { add_crop_arguments(description); })
      .param("dtype", &Op::dtype, "Element type of the output: FLOAT, FLOAT16, UINT8 or INT8.")
      .old_name("output_dtype", &Op::dtype)
      .ignored("image_type", std::optional<ImageType>())
      .param("output_layout", &Op::output_layout,
             "Order of the output's axes; a permutation of the input's. Empty: that of the input.")
      .param("pad_output", &Op::pad_output, "Adds channels up to the next power of two.")
      .param("mirror", &Op::mirror, "Not 0: mirrors left to right.")
      .param("mean", &Op::mean, "Subtracted: one value, or one a channel.")
      .any_number()
      .param("std", &Op::std, "Divided by: one value, or one a channel.")
      .any_number()
      .param("scale", &Op::scale, "Multiplies the normalised value.")
      .any_number()
      .param("shift", &Op::shift, "Added to the normalised and scaled value.")
      .any_number()
      .param(
          "out_of_bounds_policy", &Op::out_of_bounds_policy,
          "What a window that leaves the input does: an error, `pad` with fill_values, or `trim_to_shape`.")
      .choices(crop_policies())
      .param("fill_values", &Op::fill_values,
             "What is put outside the input and into added channels, as it is: one value, or one a channel.")
      .any_number()
      .outputs("scale * (data - mean) / std + shift.")
      .matches("DALI fn.crop_mirror_normalize")
      .build();
}

}  // namespace forebay::operators
