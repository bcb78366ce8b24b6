// crop_mirror_normalize as a plan that is made first and run later, so that fused operators can share it.
#pragma once

#include <string>
#include <vector>

#include "forebay/kernels/image/crop_mirror_normalize.h"
#include "forebay/operators/parameter.h"
#include "forebay/operators/windows/crop_arguments.h"

namespace forebay::operators {

/// What to do with one sample, known and checked. `options.fill` points into the operator.
struct NormalizePlan {
  kernels::CropMirrorNormalizeOptions options;
  TensorWindow window;  // over the input's axes
  bool is_inside = true;
  TensorSpec in;   // as passed to the kernel: sequences without depth become volumes
  TensorSpec out;  // as passed to the kernel
  Layout out_layout;
};

struct CropMirrorNormalize : CropArguments {
  DType dtype = DType::kFloat;
  LayoutName output_layout = {"CHW"};
  bool pad_output = false;
  Arg<int64_t> mirror = int64_t{0};
  Arg<std::vector<float>> mean = std::vector<float>{0.0F};
  Arg<std::vector<float>> std = std::vector<float>{1.0F};
  float scale = 1.0F;
  float shift = 0.0F;
  std::string out_of_bounds_policy = "error";
  std::vector<float> fill_values = {0.0F};

  Status prepare(const Arguments& arguments) const;
  Result<NormalizePlan> plan(const Sample& sample, const TensorSpec& in) const;
  Status run(Sample& sample) const;
};

/// Makes `out` (of plan.out's shape) from `in`.
Status normalize_tensor(const TensorView& in, const NormalizePlan& plan, const MutableTensorView& out);

}  // namespace forebay::operators
