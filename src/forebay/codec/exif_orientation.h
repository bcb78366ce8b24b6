// The orientation tag of EXIF metadata (CIPA DC-008, TIFF 6.0), and its effect on pixels.
#pragma once

#include <cstdint>

#include "forebay/base/byte_source.h"
#include "forebay/codec/image_decoder.h"

namespace forebay::codec {

/// Returns tag 0x0112 of the first directory of a TIFF block ("II*\0..." or "MM\0*..."); 1 if it is absent or
/// malformed, because bad metadata must not make an image unusable.
int exif_orientation_of(Bytes tiff);

/// Whether the orientation swaps height and width (5 to 8).
inline bool swaps_axes(int orientation) {
  return orientation >= 5;
}

/// Where stored pixels go: pixel (y, x) of a stored window goes to `origin + y * step_y + x * step_x` in the
/// output, counted in pixels of the dense output.
struct PixelWalk {
  int64_t origin = 0;
  int64_t step_y = 0;
  int64_t step_x = 0;
};
PixelWalk pixel_walk(int orientation, ImageSize stored);

/// Returns the stored window that becomes `window` of the oriented image; `stored` is the size of the whole
/// image as stored.
Window stored_window(const Window& window, int orientation, ImageSize stored);

}  // namespace forebay::codec
