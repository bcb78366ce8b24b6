// Separable resampling of images and volumes, with DALI's numerics (resample_axis.h).
//
// `exact`: computed in float, with taps added in order by fused multiply-adds. Integers get the sum rounded
// half to even, as DALI does, and saturated. The vertical pass comes first unless is_horizontal_first() in
// resample_growing.h decides otherwise. So the bits depend neither on the SIMD target nor on whether rows
// arrive one at a time (fused_resample.h) or all at once.
#pragma once

#include <span>

#include "forebay/base/status.h"
#include "forebay/kernels/pixels/image_view.h"
#include "forebay/kernels/resampling/resample_axis.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// `in` is HWC with axes {vertical, horizontal}, or DHWC with axes {depth, vertical, horizontal}; `out` has
/// the axes' out_size and the channels of `in`. Input types: uint8, uint16, int16 or float; output: the same
/// type or float. For sequences, call it once per frame. invalid_argument if shapes or types do not fit.
/// Thread safe. Uses scratch memory for a few rows (images) or for the intermediate volumes.
Status resample(const tensor::TensorView& in, std::span<const ResampleAxis> axes,
                const tensor::MutableTensorView& out);

/// The same for images with a pitch. <In, Out> is <T, T> or <T, float> for the types above.
template <class In, class Out>
void resample_image(const ImageView<In>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                    const MutableImageView<Out>& out);

}  // namespace forebay::kernels
