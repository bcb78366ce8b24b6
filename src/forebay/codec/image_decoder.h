// Images from compressed bytes to HWC tensors: the contract that all formats share.
//
// The caller reads the header (cheap, decodes nothing), learns the exact shape and the scratch memory that
// decoding will need, makes room, and decodes into memory of its own. Pixels are those of DALI's CPU decoder,
// bit for bit: for JPEG that is libjpeg-turbo's accurate integer DCT (`islow`) with chroma upsampling by
// replication unless `fancy_upsampling` is set. A window has the bits of the same window of the whole image.
//
// Thread safety: all functions may run at the same time; decoder state is kept per thread and reused.
// Errors: data_loss for broken or truncated bytes (with the byte offset and cause), also where the bytes
// cannot be enough for the size they claim; decoding the whole, or down to the last row, finds all damage
// that can be told from image data, a window what lies in the rows above and within it. unimplemented for
// formats and variants that are known but not offered, resource_exhausted past `ImageLimits`,
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

/// What the channels of the output mean; numbers as DALI's DALIImageType.
enum class OutputType : int8_t {
  kRgb = 0,
  kBgr = 1,
  kGray = 2,
  kYCbCr = 3,    // from RGB by ITU-R BT.601 with values 16..235
  kAnyData = 4,  // the file's channels, 1 to 4; palettes and JPEG's YCbCr become RGB, CMYK stays as stored
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

/// What a header says.
struct ImageHeader {
  ImageFormat format = ImageFormat::kUnknown;
  int64_t height = 0;  // as stored, before orientation
  int64_t width = 0;
  int channels = 0;                // as kAnyData delivers them
  int bit_depth = 0;               // of one channel as stored; of a palette's colours for palette images
  int orientation = 1;             // EXIF orientation 1..8 (TIFF tag 0x0112); 1 when absent
  bool is_progressive = false;     // JPEG of several scans or interlaced PNG: decoding holds the whole image
  uint64_t whole_image_bytes = 0;  // what that takes; 0 for images that are decoded row by row
};

/// What an image may cost; none of a data set for training comes near. The first two are applied before
/// anything is allocated, the others while a progressive JPEG is read, where a scan of a few bytes may pass
/// over all blocks.
struct ImageLimits {
  uint64_t max_pixels = uint64_t{1} << 29;          // height x width as stored
  uint64_t max_bytes = uint64_t{2} << 30;           // decoder's own memory and output together
  int max_scans = 256;                              // of a progressive JPEG
  uint64_t max_blocks_scanned = uint64_t{1} << 29;  // of 8 x 8 coefficients, by all its scans together
};

/// Integers of at most 32 bits, and float.
bool can_decode_to(tensor::DType dtype);

struct ImageDecodeOptions {
  OutputType output_type = OutputType::kRgb;
  /// can_decode_to() it; values are rescaled from the stored range to 0 to the type's largest (float: 1).
  tensor::DType dtype = tensor::DType::kUint8;
  bool adjust_orientation = true;  // by EXIF
  bool fancy_upsampling = true;    // JPEG: triangle filter for subsampled chroma; replication otherwise
  /// JPEG: decode at scale_eighths/8 of the size (1..8) by a smaller inverse DCT, each side rounded up.
  int scale_eighths = 8;
  /// Part of the image to deliver, in output coordinates (after scale and orientation); must lie within the
  /// image and not be empty.
  std::optional<Window> window;
  ImageLimits limits;
};

/// Parses the header only. The cost does not depend on the image's size.
Result<ImageHeader> read_image_header(Bytes bytes);

/// Size of the whole image in output coordinates: scaled, oriented. The space in which a window is given.
ImageSize oriented_size(const ImageHeader& header, const ImageDecodeOptions& options);

/// Channels of the output.
int decoded_channels(const ImageHeader& header, OutputType output_type);

/// Exact shape (HWC), dtype and layout of what decode_image() will write. Checks options and limits.
Result<tensor::TensorSpec> decoded_spec(const ImageHeader& header, const ImageDecodeOptions& options);

/// An upper estimate of the memory that decoding takes beside the compressed bytes and the output: the
/// decoder's own rows or coefficients, and a whole window where orientation has to turn it.
uint64_t decode_scratch_bytes(const ImageHeader& header, const ImageDecodeOptions& options);

/// Decodes into `out`, whose spec must be decoded_spec(header, options). `header` must come from the same
/// bytes.
Status decode_image(Bytes bytes, const ImageHeader& header, const ImageDecodeOptions& options,
                    tensor::MutableTensorView out);

/// Takes row `y` (0-based within the window) of `width * channels` values. An error stops decoding and is
/// returned.
using RowSink = absl::FunctionRef<Status(int64_t y, std::span<const uint8_t> row)>;

/// As decode_image(), but hands the rows out one by one, top to bottom, while they are hot in cache; only for
/// dtype kUint8. The rows' memory is the decoder's and valid during the call only. The sink must not decode
/// another image on the same thread. Needs no memory for the image unless it is interlaced, progressive or
/// has to be turned.
Status decode_image_rows(Bytes bytes, const ImageHeader& header, const ImageDecodeOptions& options,
                         RowSink sink);

/// Header, allocation and decoding in one: for callers without a slot of their own.
Result<tensor::Tensor> decode_image(Bytes bytes, const ImageDecodeOptions& options = {});

}  // namespace forebay::codec
