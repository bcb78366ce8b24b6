// resize: images, volumes and sequences, to a size or by a factor.
#include "forebay/operators/resampling/resize.h"

#include "forebay/operators/describe.h"

namespace forebay::operators {

Status Resize::prepare(const Arguments& arguments) const {
  FOREBAY_RETURN_IF_ERROR(check_resample(*this));
  return check_size(arguments);
}

Result<ResizePlan> Resize::plan(const Sample& sample, const TensorSpec& in) const {
  ResizePlan plan;
  FOREBAY_ASSIGN_OR_RETURN(plan.space, find_spatial_axes(in));
  FOREBAY_RETURN_IF_ERROR(set_axes(sample, *this, in, plan));
  FOREBAY_RETURN_IF_ERROR(complete_plan(sample, *this, in, plan));
  return plan;
}

Status Resize::run(Sample& sample) const {
  const TensorSpec& in = sample.input(0).spec();
  FOREBAY_ASSIGN_OR_RETURN(const ResizePlan resize, plan(sample, in));
  if (save_attrs) {
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView sizes,
                             sample.output(1, {Shape{resize.space.count}, DType::kInt32, {}}));
    for (int i = 0; i < resize.space.count; ++i) {
      sizes.as<int32_t>()[i] = static_cast<int32_t>(resize.axes[i].in_size);
    }
  }
  return run_resize(sample, resize);
}

OperatorSpec resize() {
  return describe<Resize>("resize", "Resizes images, volumes and sequences.")
      .group([](auto& description) { add_resize(description); })
      .matches(
          "DALI fn.resize; numerics=\"pillow\": PIL.Image.resize; \"torchvision\": its resize of tensors")
      .build();
}

}  // namespace forebay::operators
