// resize and random_resized_crop as structs, which are planned first and run later: fused operators share
// them.
#pragma once

#include <vector>

#include "forebay/operators/resampling/resample_arguments.h"
#include "forebay/operators/resampling/resize_size.h"
#include "forebay/operators/resampling/run_plan.h"
#include "forebay/operators/windows/random_crop.h"

namespace forebay::operators {

struct Resize : ResizeSizeArguments, ResampleArguments {
  bool save_attrs = false;

  Status prepare(const Arguments& arguments) const;
  int num_outputs() const { return save_attrs ? 2 : 1; }
  Result<ResizePlan> plan(const Sample& sample, const TensorSpec& in) const;
  Status run(Sample& sample) const;
};

struct RandomResizedCrop : RandomCropArguments, ResampleArguments {
  std::vector<int64_t> size;

  Status prepare(const Arguments& arguments) const;
  Result<ResizePlan> plan(const Sample& sample, const TensorSpec& in) const;
  Status run(Sample& sample) const;
};

/// All that resize and experimental.resize take and give.
template <class Description>
void add_resize(Description& description) {
  description.input("data",
                    "HWC, CHW, DHWC, CDHW, or a sequence of these (F); uint8, uint16, int16 or float.");
  add_resize_size_arguments(description);
  add_resample_arguments(description);
  description
      .param("save_attrs", &Resize::save_attrs,
             "Adds an output: the size of the input, int32, in order of the shape.")
      .ignored("image_type", std::optional<ImageType>())
      .outputs("The resized data, of the input's layout.");
}

}  // namespace forebay::operators
