// What the image decoders share: their arguments, and a decode as a value that is planned first and run
// later, so that the fused operators can run it row by row.
#pragma once

#include <cstdint>

#include "forebay/codec/image_decoder.h"
#include "forebay/operators/arg.h"
#include "forebay/operators/types.h"

namespace forebay::operators {

/// A decode of one sample: everything is known and checked, nothing decoded. Borrows the sample's bytes.
struct DecodeJob {
  Bytes bytes;
  codec::ImageHeader header;
  codec::ImageDecodeOptions options;
};

struct DecodeArguments {
  ImageType output_type = ImageType::kRGB;
  DType dtype = DType::kUint8;
  bool adjust_orientation = true;
  int64_t max_pixels = int64_t{1} << 30;
  // Taken for scripts' sake; without effect on results.
  bool jpeg_fancy_upsampling = false;
  bool affine = true;
  bool use_fast_idct = false;
  float hw_decoder_load = 0.65F;
  int64_t hybrid_huffman_threshold = 1000000;
  int64_t device_memory_padding = 16 << 20;
  int64_t device_memory_padding_jpeg2k = 0;
  int64_t host_memory_padding = 8 << 20;
  int64_t host_memory_padding_jpeg2k = 0;
  int64_t preallocate_width_hint = 0;
  int64_t preallocate_height_hint = 0;

  Status check() const;

  /// The whole image of input 0 of `sample`: encoded bytes, rank 1, uint8.
  Result<DecodeJob> whole_image(const Sample& sample) const;
};

/// Size of what `job` would deliver without its window.
codec::ImageSize full_size(const DecodeJob& job);

/// Output 0 of `sample` becomes the image, HWC.
Status run_decode(Sample& sample, const DecodeJob& job);

template <class Description>
void add_decode_arguments(Description& description) {
  using A = DecodeArguments;
  const char* hint = "Accepted for compatibility; has no effect on the CPU.";
  description
      .param("output_type", &A::output_type, "Colour space of the output; ANY_DATA keeps that of the file.")
      .param("dtype", &A::dtype,
             "UINT8, UINT16 or FLOAT; values are rescaled to the type's range (FLOAT: 0 to 1).")
      .param("adjust_orientation", &A::adjust_orientation, "Turns the image as its EXIF entry says.")
      .param("jpeg_fancy_upsampling", &A::jpeg_fancy_upsampling,
             "Accepted for compatibility; on the CPU subsampled chroma of JPEG is always smoothed.")
      .param("max_pixels", &A::max_pixels, "Larger images are refused before anything is allocated.")
      .param("affine", &A::affine, hint)
      .param("use_fast_idct", &A::use_fast_idct,
             "Accepted for compatibility; the accurate transform is always used.")
      .param("hw_decoder_load", &A::hw_decoder_load, hint)
      .param("hybrid_huffman_threshold", &A::hybrid_huffman_threshold, hint)
      .param("device_memory_padding", &A::device_memory_padding, hint)
      .param("device_memory_padding_jpeg2k", &A::device_memory_padding_jpeg2k, hint)
      .param("host_memory_padding", &A::host_memory_padding, hint)
      .param("host_memory_padding_jpeg2k", &A::host_memory_padding_jpeg2k, hint)
      .param("preallocate_width_hint", &A::preallocate_width_hint, hint)
      .param("preallocate_height_hint", &A::preallocate_height_hint, hint);
}

}  // namespace forebay::operators
