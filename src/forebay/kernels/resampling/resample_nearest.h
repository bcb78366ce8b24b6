// Nearest neighbour between images of one type: pixels are moved, not computed.
#pragma once

#include "forebay/kernels/image/image_view.h"
#include "forebay/kernels/resampling/resample_axis.h"

namespace forebay::kernels {

/// The images in bytes: `channels` is the size of a pixel, pitches are in bytes. Both axes are nearest and
/// fit the images. Reads and writes nothing outside the images' rows.
void move_pixels(const ImageView<uint8_t>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                 const MutableImageView<uint8_t>& out);

}  // namespace forebay::kernels
