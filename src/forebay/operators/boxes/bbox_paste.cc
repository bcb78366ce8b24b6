// bbox_paste: boxes on the larger canvas that paste puts their image on.
#include "forebay/operators/boxes/boxes.h"

namespace forebay::operators {
namespace {

struct PastedBoxes {
  bool ltrb = false;
  Arg<float> ratio;
  Arg<float> paste_x = 0.5f;
  Arg<float> paste_y = 0.5f;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const float scale, ratio.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const float x, paste_x.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const float y, paste_y.get(sample));
    if (!(scale >= 1)) {
      return invalid_argument("ratio is {}; a canvas is at least as large as its image", scale);
    }
    const BoxLayout layout = BoxLayout::of_plane(ltrb);
    const std::array shift{x * (scale - 1) / scale, y * (scale - 1) / scale};
    return for_each_box(sample, [&](const float* from, float* to) {
      for (int axis = 0; axis < 2; ++axis) {
        const int start = layout.start(axis);
        const int stop = layout.stop(axis);
        to[start] = from[start] / scale + shift[axis];
        to[stop] = from[stop] / scale + (layout.has_extents() ? 0 : shift[axis]);
      }
    });
  }
};

}  // namespace

OperatorSpec bbox_paste() {
  return describe<PastedBoxes>("bbox_paste", "Places bounding boxes on the canvas their image is pasted on.")
      .group(add_boxes<PastedBoxes>)
      .param("ratio", &PastedBoxes::ratio, "How many times as long as the image the canvas is; at least 1.")
      .required()
      .param("paste_x", &PastedBoxes::paste_x, "Where the image is: 0 at the left edge, 1 at the right.")
      .param("paste_y", &PastedBoxes::paste_y, "Where the image is: 0 at the top, 1 at the bottom.")
      .matches("DALI bbox_paste")
      .build();
}

}  // namespace forebay::operators
