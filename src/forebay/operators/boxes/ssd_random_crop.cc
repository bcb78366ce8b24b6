// ssd_random_crop: the crop of SSD's training, with its fixed rules.
#include <cmath>

#include "forebay/operators/boxes/box_window.h"
#include "forebay/operators/windows/tensor_window.h"

namespace forebay::operators {
namespace {

struct SsdRandomCrop {
  int64_t num_attempts = 1;

  int num_outputs() const { return 3; }

  Status prepare(const Arguments&) {
    rules_.thresholds = {0.0f, 0.1f, 0.3f, 0.5f, 0.7f, 0.9f};
    rules_.attempts = num_attempts;
    return rules_.check();
  }

  Status run(Sample& sample) const {
    const Tensor& image = sample.input(0);
    if (image.shape().rank() != 3) {
      return invalid_argument("an image has three axes, HWC, not {}", image.spec().to_string());
    }
    FOREBAY_RETURN_IF_ERROR(check_rows_of_boxes(sample.input(1), 4));
    FOREBAY_RETURN_IF_ERROR(check_labels(sample.input(2), sample.input(1).shape()[0]));
    const BoxLayout layout = BoxLayout::of_plane(true);
    const memory::ScratchVector<Box> boxes = read_boxes(sample.input(1), layout);
    RandomStream stream = sample.random();
    FOREBAY_ASSIGN_OR_RETURN(const BoxWindow found, find_window(boxes, 2, rules_, draw_window, stream));
    if (found.is_all) {
      for (int i = 0; i < 3; ++i) {
        sample.forward(i, sample.input(i));
      }
      return ok_status();
    }
    FOREBAY_RETURN_IF_ERROR(write_window(sample, pixels_of(found.window, image.shape()), image.dtype(),
                                         image.layout(), {"error", {}, -1}));
    FOREBAY_RETURN_IF_ERROR(write_boxes_in_window(sample, 1, boxes, found, layout));
    return keep_rows(sample, 2, sample.input(2), found.kept);
  }

 private:
  static std::optional<Box> draw_window(RandomStream& random) {
    const std::array extents{random.uniform(0.3f, 1.0f), random.uniform(0.3f, 1.0f)};
    const float ratio = extents[0] / extents[1];
    if (ratio < 0.5f || ratio > 2.0f) {
      return std::nullopt;
    }
    Box window;
    for (size_t axis = 0; axis < 2; ++axis) {
      window.low[axis] = random.uniform(0.0f, 1 - extents[axis]);
      window.high[axis] = window.low[axis] + extents[axis];
    }
    return window;
  }

  static TensorWindow pixels_of(const Box& window, const Shape& image) {
    TensorWindow pixels{{}, image};
    for (int axis = 0; axis < 2; ++axis) {
      const auto along = static_cast<size_t>(1 - axis);  // y is the first axis of an image
      const auto extent = static_cast<float>(image[axis]);
      pixels.anchor[static_cast<size_t>(axis)] = std::llround(window.low[along] * extent);
      const int64_t stop = std::min<int64_t>(std::llround(window.high[along] * extent), image[axis]);
      pixels.shape[axis] = stop - pixels.anchor[static_cast<size_t>(axis)];
    }
    return pixels;
  }

  WindowRules rules_;
};

}  // namespace

OperatorSpec ssd_random_crop() {
  return describe<SsdRandomCrop>("ssd_random_crop",
                                 "Cuts a window out of an image that keeps enough of its boxes.")
      .input("image", "HWC.")
      .input("boxes", "FLOAT, n x 4: left, top, right, bottom, as parts of the image, 0 to 1.")
      .input("labels", "INT32, one for each box.")
      .param("num_attempts", &SsdRandomCrop::num_attempts, "How many windows are tried with one threshold.")
      .outputs(
          "The window, the boxes whose centre is in it, as parts of it and cut to it, and their labels; or "
          "all "
          "unchanged. Each box and the window share at least a part of what they cover together that is "
          "drawn "
          "of 0, 0.1, 0.3, 0.5, 0.7 and 0.9.")
      .matches("DALI ssd_random_crop; other numbers, the same distribution")
      .random()
      .build();
}

}  // namespace forebay::operators
