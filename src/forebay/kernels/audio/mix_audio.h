// Sound from one type and number of channels to another.
#pragma once

#include "forebay/base/status.h"
#include "forebay/tensor/dtype.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// Whether samples of sound can be of this type: integers of at most 32 bits, and float.
bool is_audio_type(tensor::DType dtype);

/// Converts `in`, of shape (frames) or (frames, channels), to the type of `out`: of as many elements, in
/// their order, or of shape (frames), the mean of each frame's channels, summed from the first on with equal
/// weights. invalid_argument for other shapes and types.
Status mix_audio(const tensor::TensorView& in, const tensor::MutableTensorView& out);

/// One channel of `in`, as floating numbers full scale of which is 1; `out` has as many as there are frames.
Status channel_of_audio(const tensor::TensorView& in, int64_t channel, std::span<float> out);

/// The other way: floating numbers become frames [first, first + in.size()) of a channel.
Status put_channel_of_audio(std::span<const float> in, int64_t channel, int64_t first,
                            const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
