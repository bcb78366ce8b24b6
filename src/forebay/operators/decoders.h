// The image decoders as fusion sees them: each says what it would decode, and of which part.
#pragma once

#include "forebay/operators/crop_arguments.h"
#include "forebay/operators/decode.h"
#include "forebay/operators/random_crop.h"
#include "forebay/operators/slice_arguments.h"

namespace forebay::operators {

struct DecodersImage : DecodeArguments {
  // Caching of decoded images, which only mattered on GPUs.
  int64_t cache_size = 0;
  int64_t cache_threshold = 0;
  std::string cache_type;
  bool cache_debug = false;
  bool cache_batch_copy = true;

  Status prepare(const Arguments&) const { return check(); }
  Result<DecodeJob> job(const Sample& sample) const { return whole_image(sample); }
  Status run(Sample& sample) const;
};

struct DecodersImageCrop : DecodeArguments, CropArguments {
  Status prepare(const Arguments&) const;
  Result<DecodeJob> job(const Sample& sample) const;
  Status run(Sample& sample) const;
};

struct DecodersImageSlice : DecodeArguments, SliceArguments {
  Status prepare(const Arguments& arguments);
  Result<DecodeJob> job(const Sample& sample) const;
  Status run(Sample& sample) const;
};

struct DecodersImageRandomCrop : DecodeArguments, RandomCropArguments {
  Status prepare(const Arguments&) const;
  Result<DecodeJob> job(const Sample& sample) const;
  Status run(Sample& sample) const;
};

/// The same decode of a window only, which must lie inside the image and not be empty (out_of_range).
Result<DecodeJob> with_window(DecodeJob job, const TensorWindow& window);

}  // namespace forebay::operators
