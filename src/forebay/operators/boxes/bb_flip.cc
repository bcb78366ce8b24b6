// bb_flip: mirrors boxes as flip mirrors their image.
#include "forebay/operators/boxes/boxes.h"

namespace forebay::operators {
namespace {

struct FlippedBoxes {
  bool ltrb = false;
  Arg<int64_t> horizontal = 1;
  Arg<int64_t> vertical = 0;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t flips_x, horizontal.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const int64_t flips_y, vertical.get(sample));
    const BoxLayout layout = BoxLayout::of_plane(ltrb);
    return for_each_box(sample, [&](const float* from, float* to) {
      flip_axis(layout, 0, from, to, flips_x != 0);
      flip_axis(layout, 1, from, to, flips_y != 0);
    });
  }

 private:
  static void flip_axis(const BoxLayout& layout, int axis, const float* from, float* to, bool is_flipped) {
    const float start = from[layout.start(axis)];
    const float stop = from[layout.stop(axis)];
    float& new_start = to[layout.start(axis)];
    float& new_stop = to[layout.stop(axis)];
    if (!is_flipped) {
      new_start = start;
      new_stop = stop;
    } else if (layout.has_extents()) {
      new_start = 1.0f - start - stop;
      new_stop = stop;
    } else {
      new_start = 1.0f - stop;
      new_stop = 1.0f - start;
    }
  }
};

}  // namespace

OperatorSpec bb_flip() {
  return describe<FlippedBoxes>("bb_flip", "Mirrors bounding boxes.")
      .group(add_boxes<FlippedBoxes>)
      .param("horizontal", &FlippedBoxes::horizontal, "1 mirrors left to right.")
      .param("vertical", &FlippedBoxes::vertical, "1 mirrors top to bottom.")
      .matches("DALI bb_flip")
      .build();
}

}  // namespace forebay::operators
