// Vertical pass first, then the horizontal one: the way of all images that do not grow.
#pragma once

#include "forebay/kernels/image/image_view.h"
#include "forebay/kernels/resampling/resample_axis.h"

namespace forebay::kernels {

/// resample_image() for axes of which is_horizontal_first() is false.
template <class In, class Out>
void resample_shrinking(const ImageView<In>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                        const MutableImageView<Out>& out);

}  // namespace forebay::kernels
