#include "forebay/operators/describe.h"
#include "forebay/operators/resampling/resize.h"

namespace forebay::operators {

Status RandomResizedCrop::prepare(const Arguments&) const {
  FOREBAY_RETURN_IF_ERROR(check_resample(*this));
  if (size.size() != 1 && size.size() != 2) {
    return invalid_argument("`size` has {} entries; (height, width), or one number for both is needed",
                            size.size());
  }
  for (const int64_t extent : size) {
    if (extent < 1 || extent > (1 << 28)) {
      return invalid_argument("`size` has the entry {}, which is not the size of an image", extent);
    }
  }
  return RandomCropArguments::check();
}

Result<ResizePlan> RandomResizedCrop::plan(const Sample& sample, const TensorSpec& in) const {
  ResizePlan plan;
  FOREBAY_ASSIGN_OR_RETURN(plan.space, find_spatial_axes(in));
  if (plan.space.count != 2) {
    return invalid_argument("an image or a sequence of images is needed, not a volume: {} of layout '{}'",
                            in.to_string(), in.layout.view());
  }
  const int64_t height = in.shape[plan.space.first];
  const int64_t width = in.shape[plan.space.first + 1];
  if (height == 0 || width == 0) {
    return invalid_argument("an empty image cannot be cropped: {}", in.to_string());
  }
  const CropWindow window = draw(sample.random(), height, width);
  plan.axes[0] = {height, size.front(), static_cast<float>(window.y),
                  static_cast<float>(window.y + window.height)};
  plan.axes[1] = {width, size.back(), static_cast<float>(window.x),
                  static_cast<float>(window.x + window.width)};
  FOREBAY_RETURN_IF_ERROR(complete_plan(sample, *this, in, plan));
  return plan;
}

Status RandomResizedCrop::run(Sample& sample) const {
  FOREBAY_ASSIGN_OR_RETURN(const ResizePlan resize, plan(sample, sample.input(0).spec()));
  return run_resize(sample, resize);
}

OperatorSpec random_resized_crop() {
  return describe<RandomResizedCrop>("random_resized_crop",
                                     "Resizes a window of random area and aspect ratio to a fixed size.")
      .input("data", "HWC, CHW, or a sequence of these (F); uint8, uint16, int16 or float.")
      .param("size", &RandomResizedCrop::size, "Size of the output: (height, width), or one for both.")
      .required()
      .group([](auto& description) { add_random_crop_arguments(description); })
      .group([](auto& description) { add_resample_arguments(description); })
      .outputs("The resized window, of the input's layout.")
      .matches("DALI fn.random_resized_crop")
      .random()
      .build();
}

}  // namespace forebay::operators
