// Decodes compressed images to HWC tensors: the interface of all formats.
//
// The caller reads the header (cheap; decodes nothing), learns the exact shape and the scratch memory that
// decoding will need, allocates, and decodes into its own memory. Pixels are those of DALI's CPU decoder, bit
// for bit: for JPEG that is libjpeg-turbo's accurate integer DCT (`islow`) with chroma upsampling by
// replication unless `fancy_upsampling` is set. A window has the same bits as that window of the whole image.
//
// Thread safety: all functions may run concurrently; decoder state is kept per thread and reused. Errors:
// data_loss for malformed or truncated bytes (with byte offset and cause), also if there are too few bytes
// for the size that the header claims. Decoding the whole image, or down to its last row, detects all damage
// that can be told from image data; decoding a window detects damage in the rows above and inside it.
// unimplemented for known but unsupported formats and variants, resource_exhausted beyond `ImageLimits`,
// invalid_argument for options that do not fit the image. After an error the content of the output is
// unspecified.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "absl/functional/function_ref.h"
#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/codec/image_format.h"
#include "forebay/tensor/tensor.h"

namespace forebay::codec {

/// The meaning of the output's channels; the numbers are those of DALI's DALIImageType.
enum class OutputType : int8_t {
  kRgb = 0,
  kBgr = 1,
  kGray = 2,
  kYCbCr = 3,    // from RGB by ITU-R BT.601, with values 16..235
  kAnyData = 4,  // the file's channels; palettes and YCbCr become RGB, CMYK is left as stored
};

/// A rectangle in pixels.
struct Window {
  int64_t y = 0;
  int64_t x = 0;
  int64_t height = 0;
  int64_t width = 0;
  friend bool operator==(const Window&, const Window&) = default;
};

struct ImageSize {
  int64_t height = 0;
  int64_t width = 0;
  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

/// The contents of an image's header.
struct ImageHeader {
  ImageFormat format = ImageFormat::kUnknown;
  int64_t height = 0;  // as stored, before orientation
  int64_t width = 0;
  int channels = 0;             // as delivered for kAnyData
  int bit_depth = 0;            // of a channel as stored; for palette images, of the palette's colours
  int index_bits = 0;           // of a pixel that names a colour of a palette; 0 if there is no palette
  bool is_float = false;        // floating numbers, from 0 to 1 where they become integers
  int orientation = 1;          // EXIF orientation 1..8 (TIFF tag 0x0112); 1 if absent
  bool is_progressive = false;  // JPEG with several scans or interlaced PNG: decoding holds the whole image
  uint64_t whole_image_bytes = 0;  // memory for the whole image; 0 if it is decoded row by row
  int64_t page = 0;                // the picture of the file that all of this is about
  uint64_t file_bytes = 0;         // of the whole file; 0 if unknown
  uint64_t rows_at =
      0;  // TIFF: where the first row is, if all are stored one after the other as plain bytes; else 0
};

/// Limits on the cost of an image; no training data set comes near them, but for large masks of one colour
/// and `max_expansion`. The first three are applied before anything is allocated, the others while a
/// progressive JPEG is read, in which a scan of a few bytes may touch all blocks.
struct ImageLimits {
  static constexpr uint64_t kCheapBytes = uint64_t{256} << 20;

  uint64_t max_pixels = uint64_t{1} << 29;  // height x width as stored
  uint64_t max_bytes = uint64_t{2} << 30;   // the decoder's own memory plus the output
  // The same for each byte of the file, where more than kCheapBytes are needed.
  uint64_t max_expansion = 1000;
  int max_scans = 256;                              // in a progressive JPEG
  uint64_t max_blocks_scanned = uint64_t{1} << 29;  // blocks of 8 x 8 coefficients, summed over all scans
};

/// Whether images of this format can be decoded.
bool can_decode(ImageFormat format);

/// True for integers of at most 32 bits, and for float.
bool can_decode_to(tensor::DType dtype);

struct ImageDecodeOptions {
  OutputType output_type = OutputType::kRgb;
  /// can_decode_to() must accept it. Values are rescaled from the stored range to 0 up to the type's maximum
  /// (float: 1).
  tensor::DType dtype = tensor::DType::kUint8;
  /// PNG, BMP, TIFF, JPEG 2000: gives the index of each pixel's colour in the palette, one channel of kUint8,
  /// whatever the output type. Images without a palette are refused.
  bool gives_indices = false;
  bool adjust_orientation = true;  // according to EXIF
  bool fancy_upsampling = true;    // JPEG: triangle filter for subsampled chroma; false: replication
  /// Decodes at scale_eighths/8 of the size (1..8), each side rounded up: JPEG with a smaller inverse DCT;
  /// JPEG 2000 without its finest resolutions, at 4, 2 and 1.
  int scale_eighths = 8;
  /// The part of the image to deliver, in output coordinates (after scaling and orientation); must be inside
  /// the image and not empty.
  std::optional<Window> window;
  ImageLimits limits;
};

/// Parses the header only. The cost does not depend on the size of the image. `page` is the number of a
/// picture of the file, from 0 on: of a TIFF any (out_of_range if it has fewer; one that is reduced or a mask
/// counts like others), of other formats 0 (else invalid_argument). decode_image() decodes the header's.
Result<ImageHeader> read_image_header(Bytes bytes, int64_t page = 0);

/// The size of the whole image in output coordinates (scaled, oriented), which windows refer to.
ImageSize oriented_size(const ImageHeader& header, const ImageDecodeOptions& options);

/// The number of channels of the output.
int decoded_channels(const ImageHeader& header, const ImageDecodeOptions& options);

/// invalid_argument for options that do not fit the image: its type, its palette, its size. Limits are left
/// out.
Status check_decode_options(const ImageHeader& header, const ImageDecodeOptions& options);

/// The exact shape (HWC), dtype and layout of what decode_image() will write. Checks options and limits.
Result<tensor::TensorSpec> decoded_spec(const ImageHeader& header, const ImageDecodeOptions& options);

/// An upper bound on the memory that decoding takes besides the compressed bytes and the output: the
/// decoder's own rows or coefficients, and a whole window if orientation has to rotate it.
uint64_t decode_scratch_bytes(const ImageHeader& header, const ImageDecodeOptions& options);

/// Decodes into `out`, whose spec must be decoded_spec(header, options). `header` must be of the same bytes.
Status decode_image(Bytes bytes, const ImageHeader& header, const ImageDecodeOptions& options,
                    tensor::MutableTensorView out);

/// Receives row `y` (0-based within the window) of `width * channels` values. An error stops decoding and is
/// returned.
using RowSink = absl::FunctionRef<Status(int64_t y, std::span<const uint8_t> row)>;

/// Like decode_image(), but passes the rows on one at a time, top to bottom, while they are hot in cache;
/// only for dtype kUint8. The rows' memory belongs to the decoder and is only valid during the call. The sink
/// must not decode another image on the same thread. Needs no memory for the whole image unless it is
/// interlaced, progressive or has to be rotated.
Status decode_image_rows(Bytes bytes, const ImageHeader& header, const ImageDecodeOptions& options,
                         RowSink sink);

/// Reads the header, allocates and decodes: for callers without memory of their own.
Result<tensor::Tensor> decode_image(Bytes bytes, const ImageDecodeOptions& options = {});

}  // namespace forebay::codec
