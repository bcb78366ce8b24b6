// Separable resampling of images and volumes, with DALI's numerics (resample_axis.h).
//
// `exact`: float throughout, taps added in order, each by a fused multiply-add; integers get the sum rounded
// half away from zero and saturated. The vertical pass comes first unless the axes say otherwise
// (is_horizontal_first() in resample_growing.h). So the bits do not depend on the SIMD target, nor on whether
// rows come one by one (fused_resample.h) or all at once.
#pragma once

#include <span>

#include "forebay/base/status.h"
#include "forebay/kernels/image/image_view.h"
#include "forebay/kernels/resampling/resample_axis.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// `in` is HWC with axes {vertical, horizontal}, or DHWC with axes {depth, vertical, horizontal}; `out` has
/// the axes' out_size and the channels of `in`. uint8, uint16, int16 or float in; the same type or float out.
/// Sequences: call it once a frame. invalid_argument when shapes or types do not fit. Thread safe; uses a
/// scratch of a few rows (images) or of the volume's intermediates.
Status resample(const tensor::TensorView& in, std::span<const ResampleAxis> axes,
                const tensor::MutableTensorView& out);

/// The same on images with a pitch. <In, Out> is <T, T> or <T, float> of the types above.
template <class In, class Out>
void resample_image(const ImageView<In>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                    const MutableImageView<Out>& out);

}  // namespace forebay::kernels
