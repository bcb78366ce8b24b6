// The orientation tag of EXIF metadata (CIPA DC-008, TIFF 6.0), and what it means for pixels.
#pragma once

#include <cstdint>

#include "forebay/base/byte_source.h"
#include "forebay/codec/image_decoder.h"

namespace forebay::codec {

/// Tag 0x0112 of the first directory of a TIFF block ("II*\0..." or "MM\0*..."); 1 when absent or broken,
/// because broken metadata does not break an image.
int exif_orientation_of(Bytes tiff);

/// True for the orientations that exchange height and width (5 to 8).
inline bool swaps_axes(int orientation) {
  return orientation >= 5;
}

/// Where stored pixels go: stored pixel (y, x) of a window of `stored` pixels lies in the output at
/// `origin + y * step_y + x * step_x`, in pixels of the densely packed output.
struct PixelWalk {
  int64_t origin = 0;
  int64_t step_y = 0;
  int64_t step_x = 0;
};
PixelWalk pixel_walk(int orientation, ImageSize stored);

/// The stored window that becomes `window` of the oriented image; `stored` is the size of the whole image as
/// stored.
Window stored_window(const Window& window, int orientation, ImageSize stored);

}  // namespace forebay::codec
