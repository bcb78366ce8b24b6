// roi_random_crop: a window drawn so that it covers a region of interest, or lies in it.
#include <algorithm>

#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct RoiRandomCrop {
  Arg<std::vector<int64_t>> crop_shape;
  Arg<std::vector<int64_t>> roi_start;
  Arg<std::vector<int64_t>> roi_shape;
  Arg<std::vector<int64_t>> roi_end;
  Arg<std::vector<int64_t>> in_shape;

  Status prepare(const Arguments& arguments) const {
    if (roi_shape.is_given() == roi_end.is_given()) {
      return invalid_argument("give the region's extents either as `roi_shape` or as `roi_end`");
    }
    if (in_shape.is_given() && arguments.num_inputs > 0) {
      return invalid_argument("the image's extents are given twice, as `in_shape` and by an input; drop one");
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers crop, crop_shape.values(sample));
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers start, roi_start.values(sample));
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers end,
                             (roi_end.is_given() ? roi_end : roi_shape).values(sample));
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers given, in_shape.values(sample));
    const std::span<const int64_t> image =
        sample.num_inputs() > 0 ? sample.input(0).shape().extents() : given.span();
    const bool is_bounded = in_shape.is_given() || sample.num_inputs() > 0;
    if (start.size() != crop.size() || end.size() != crop.size() ||
        (is_bounded && image.size() < crop.size())) {
      return invalid_argument("the window has {} axes, the region {} and {}, the image {}", crop.size(),
                              start.size(), end.size(), image.size());
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out,
                             sample.output(0, {{static_cast<int64_t>(crop.size())}, DType::kInt64, {}}));
    RandomStream stream = sample.random();
    for (size_t i = 0; i < crop.size(); ++i) {
      const int64_t stop = end[i] + (roi_end.is_given() ? 0 : start[i]);
      if (crop[i] < 0 || stop < start[i] || (is_bounded && crop[i] > image[i])) {
        return invalid_argument("axis {}: a window of {} about a region from {} to {} does not fit", i,
                                crop[i], start[i], stop);
      }
      int64_t low = std::min(start[i], stop - crop[i]);
      int64_t high = std::max(start[i], stop - crop[i]);
      if (is_bounded) {
        low = std::clamp<int64_t>(low, 0, image[i] - crop[i]);
        high = std::clamp<int64_t>(high, 0, image[i] - crop[i]);
      }
      out.as<int64_t>()[i] = low + static_cast<int64_t>(stream.below(static_cast<uint64_t>(high - low) + 1));
    }
    return ok_status();
  }
};

}  // namespace

OperatorSpec roi_random_crop() {
  return describe<RoiRandomCrop>("roi_random_crop", "Draws where a window about a region of interest begins.")
      .optional_input("data", "The image; only its extents are read.")
      .param("crop_shape", &RoiRandomCrop::crop_shape, "The window's extents.")
      .required()
      .param("roi_start", &RoiRandomCrop::roi_start, "Where the region begins.")
      .required()
      .param("roi_shape", &RoiRandomCrop::roi_shape, "The region's extents.")
      .param("roi_end", &RoiRandomCrop::roi_end, "Where the region ends, instead of `roi_shape`.")
      .param("in_shape", &RoiRandomCrop::in_shape,
             "The image's extents, instead of an input. The window lies within.")
      .outputs(
          "Where the window begins, as INT64. On each axis it covers the region, or lies in it if it is "
          "smaller; every such place is equally likely.")
      .matches("DALI roi_random_crop; other numbers, the same distribution")
      .random()
      .build();
}

}  // namespace forebay::operators
