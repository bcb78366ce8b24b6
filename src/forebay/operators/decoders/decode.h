// Shared by the image decoders: their arguments, and a decode as a value that is planned first and run later,
// so that fused operators can run it row by row.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/codec/image_decoder.h"
#include "forebay/operators/arg.h"
#include "forebay/operators/types.h"

namespace forebay::operators {

/// A planned decode of one sample: everything is known and checked, nothing is decoded. Borrows the sample's
/// bytes.
struct DecodeJob {
  Bytes bytes;
  codec::ImageHeader header;
  codec::ImageDecodeOptions options;
};

struct DecodeArguments {
  ImageType output_type = ImageType::kRGB;
  DType dtype = DType::kUint8;
  std::string palette = "color";
  Arg<int64_t> page = int64_t{0};
  int64_t reduce = 1;
  bool adjust_orientation = true;
  int64_t max_pixels = static_cast<int64_t>(codec::ImageLimits{}.max_pixels);
  int64_t max_bytes = static_cast<int64_t>(codec::ImageLimits{}.max_bytes);
  int64_t max_expansion = static_cast<int64_t>(codec::ImageLimits{}.max_expansion);
  int64_t max_scans = codec::ImageLimits{}.max_scans;
  int64_t max_blocks_scanned = static_cast<int64_t>(codec::ImageLimits{}.max_blocks_scanned);

  Status check() const;
  bool gives_indices() const { return palette == "index"; }

  /// A job for the whole image in input 0 of `sample`: encoded bytes, rank 1, uint8.
  Result<DecodeJob> whole_image(const Sample& sample) const;
};

/// invalid_argument for a constant that is no page of any file.
Status check_page(const Arg<int64_t>& page);

Status check_reduction(int64_t reduce);

/// The size of what `job` would deliver without its window.
codec::ImageSize full_size(const DecodeJob& job);

/// Makes the image output 0 of `sample`, HWC.
Status run_decode(Sample& sample, const DecodeJob& job);

inline constexpr const char* kPageDoc =
    "The picture of a file with several, from 0 on: of a TIFF, whose pages are its directories in their "
    "order. "
    "A page that a file does not have is an error, and so is any but 0 of other formats.";

inline constexpr const char* kReduceDoc =
    "2, 4 or 8: decodes at a half, a quarter or an eighth of the size, each side rounded up, at that part of "
    "the work: JPEG by a smaller inverse transform, JPEG 2000 without its finest resolutions. Windows are in "
    "pixels of the reduced image. Other formats are an error.";

inline constexpr const char* kPaletteDoc =
    "What a picture with a palette gives: its colours, or with 'index' the number of each pixel's colour, as "
    "masks have it: one channel of UINT8, whatever the colour space asked for. PNG, BMP, TIFF and JPEG 2000; "
    "a picture without a palette is an error then.";

template <class Description>
void add_decode_arguments(Description& description) {
  using A = DecodeArguments;
  description
      .param("output_type", &A::output_type, "Colour space of the output; ANY_DATA keeps that of the file.")
      .param("dtype", &A::dtype,
             "An integer of at most 32 bits, or FLOAT; values are rescaled from 0 to the type's largest "
             "(FLOAT: 1).")
      .param("palette", &A::palette, kPaletteDoc)
      .choices({"color", "index"})
      .param("page", &A::page, kPageDoc)
      .param("reduce", &A::reduce, kReduceDoc)
      .param("adjust_orientation", &A::adjust_orientation, "Turns the image as its EXIF entry says.")
      .ignored("jpeg_fancy_upsampling", false,
               "Accepted for compatibility; on the CPU subsampled chroma of JPEG is always smoothed.")
      .param("max_pixels", &A::max_pixels, "Larger images are refused before anything is allocated.")
      .param(
          "max_bytes", &A::max_bytes,
          "Images are refused that take more than this: their pixels, and what a decoder holds beside them.")
      .param("max_expansion", &A::max_expansion,
             "Images that take more than 256 MiB, and so many bytes for each byte of the file, are refused.")
      .param("max_scans", &A::max_scans, "Progressive JPEGs of more scans are refused.")
      .param("max_blocks_scanned", &A::max_blocks_scanned,
             "JPEGs of several scans are refused whose scans pass over more blocks of 8 x 8 together.")
      .ignored("affine", true)
      .ignored("use_fast_idct", false, "Accepted for compatibility; the accurate transform is always used.")
      .ignored("hw_decoder_load", 0.65F)
      .ignored("hybrid_huffman_threshold", int64_t{1000000})
      .ignored("device_memory_padding", int64_t{16 << 20})
      .ignored("device_memory_padding_jpeg2k", int64_t{0})
      .ignored("host_memory_padding", int64_t{8 << 20})
      .ignored("host_memory_padding_jpeg2k", int64_t{0})
      .ignored("preallocate_width_hint", int64_t{0})
      .ignored("preallocate_height_hint", int64_t{0})
      .ignored("memory_stats", false)
      .ignored("split_stages", false)
      .ignored("use_chunk_allocator", false);
}

}  // namespace forebay::operators
