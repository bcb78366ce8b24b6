// Nearest-neighbour resampling between images of one type: pixels are copied, not computed.
#pragma once

#include "forebay/kernels/pixels/image_view.h"
#include "forebay/kernels/resampling/resample_axis.h"

namespace forebay::kernels {

/// The images in bytes: `channels` is the size of a pixel, and pitches are in bytes. Both axes must be
/// nearest and fit the images. Nothing outside the images' rows is read or written.
void move_pixels(const ImageView<uint8_t>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                 const MutableImageView<uint8_t>& out);

}  // namespace forebay::kernels
