// fast_resize_crop_mirror: resize_crop_mirror without antialiasing, unless it is asked for.
#include "forebay/operators/resampling/resized_crop.h"

namespace forebay::operators {
namespace {

struct FastResizeCropMirror : ResizeCropMirror {
  FastResizeCropMirror() { antialias = false; }
};

}  // namespace

OperatorSpec fast_resize_crop_mirror() {
  return describe<FastResizeCropMirror>("fast_resize_crop_mirror",
                                        "Resizes, crops and mirrors at once, without antialiasing.")
      .group(add_resized_crop<FastResizeCropMirror>)
      .matches("DALI fast_resize_crop_mirror; its name is an old one")
      .build();
}

}  // namespace forebay::operators
