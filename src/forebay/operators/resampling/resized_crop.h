// Shared by resize_crop_mirror and fast_resize_crop_mirror.
#pragma once

#include "forebay/operators/describe.h"
#include "forebay/operators/resampling/resize.h"
#include "forebay/operators/windows/crop_arguments.h"

namespace forebay::operators {

struct ResizeCropMirror : ResizeSizeArguments, ResampleArguments, CropArguments {
  Arg<int64_t> mirror = 0;

  Status prepare(const Arguments& arguments) const;
  Status run(Sample& sample) const;

 private:
  /// Restricts the axes of the plan, which are those of the whole, to the window.
  Status crop_and_mirror(const Sample& sample, ResizePlan& plan) const;
};

template <class T>
void add_resized_crop(Description<T>& description) {
  description.input("data",
                    "HWC, CHW, DHWC, CDHW, or a sequence of these (F); uint8, uint16, int16 or float.");
  add_resize_size_arguments(description);
  add_resample_arguments(description);
  add_crop_arguments(description);
  description
      .param("mirror", &ResizeCropMirror::mirror,
             "Sum of 1: left becomes right, 2: top becomes bottom, 4: front becomes back.")
      .outputs("The window of the resized data; what lies outside of it repeats the border.");
}

}  // namespace forebay::operators
