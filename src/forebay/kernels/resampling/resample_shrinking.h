// The vertical pass first, then the horizontal one: used for all images that are not enlarged.
#pragma once

#include "forebay/kernels/pixels/image_view.h"
#include "forebay/kernels/resampling/resample_axis.h"

namespace forebay::kernels {

/// resample_image() for axes without is_horizontal_first().
template <class In, class Out>
void resample_shrinking(const ImageView<In>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                        const MutableImageView<Out>& out);

}  // namespace forebay::kernels
