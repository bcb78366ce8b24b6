// The image decoders as fusion uses them: each says what it would decode, and which part of it.
#pragma once

#include <utility>

#include "forebay/operators/decoders/decode.h"
#include "forebay/operators/windows/crop_arguments.h"
#include "forebay/operators/windows/random_crop.h"
#include "forebay/operators/windows/slice_arguments.h"

namespace forebay::operators {

struct DecodersImage : DecodeArguments {
  Status prepare(const Arguments&) const { return check(); }
  Result<DecodeJob> job(const Sample& sample) const { return whole_image(sample); }
  Status run(Sample& sample) const;
};

/// The same decode of only a window, which must be inside the image and not empty (out_of_range).
Result<DecodeJob> with_window(DecodeJob job, const TensorWindow& window);

/// A decode of the window that `WindowArguments` choose for the image.
template <class WindowArguments>
struct WindowDecoder : DecodeArguments, WindowArguments {
  Result<DecodeJob> job(const Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(DecodeJob whole, whole_image(sample));
    const codec::ImageSize size = full_size(whole);
    const int channels = codec::decoded_channels(whole.header, whole.options);
    FOREBAY_ASSIGN_OR_RETURN(const TensorWindow part,
                             this->window(sample, {size.height, size.width, channels}, "HWC"));
    return with_window(std::move(whole), part);
  }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const DecodeJob part, job(sample));
    return run_decode(sample, part);
  }
};

struct DecodersImageCrop : WindowDecoder<CropArguments> {
  Status prepare(const Arguments&) const;
};

struct DecodersImageSlice : WindowDecoder<SliceArguments> {
  Status prepare(const Arguments& arguments);
};

struct DecodersImageRandomCrop : DecodeArguments, RandomCropArguments {
  Status prepare(const Arguments&) const;
  Result<DecodeJob> job(const Sample& sample) const;
  Status run(Sample& sample) const;
};

}  // namespace forebay::operators
