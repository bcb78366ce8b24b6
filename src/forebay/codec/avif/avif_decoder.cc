// Decodes AVIF with libavif. AV1 knows no windows, so that the whole image is decoded, and of a sequence the
// first. The container's rotation and mirroring is the orientation. What libavif and its AV1 decoder allocate
// is their own; the header's estimate counts their planes and the image that becomes of them.
#include <avif/avif.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "forebay/codec/base_rows.h"
#include "forebay/codec/format_decoder.h"
#include "forebay/memory/buffer.h"

namespace forebay::codec {
namespace {

struct DestroyAvif {
  void operator()(avifDecoder* decoder) const { avifDecoderDestroy(decoder); }
};

Status check_avif(const avifDecoder& decoder, avifResult result) {
  if (result == AVIF_RESULT_OK) {
    return ok_status();
  }
  const char* detail = decoder.diag.error[0] == '\0' ? avifResultToString(result) : decoder.diag.error;
  switch (result) {
    case AVIF_RESULT_OUT_OF_MEMORY:
      return resource_exhausted("no memory for an AVIF decoder");
    case AVIF_RESULT_NOT_IMPLEMENTED:
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
    case AVIF_RESULT_UNSUPPORTED_DEPTH:
      return unimplemented("AVIF uses a feature that is not supported: {}", detail);
    default:
      return data_loss("AVIF is broken: {}", detail);
  }
}

/// What EXIF calls the container's rotation (anti-clockwise) and the mirroring after it.
int orientation_of_avif(const avifImage& image) {
  const bool is_turned = (image.transformFlags & AVIF_TRANSFORM_IROT) != 0;
  const bool is_mirrored = (image.transformFlags & AVIF_TRANSFORM_IMIR) != 0;
  const int turns = is_turned ? image.irot.angle & 3 : 0;
  const int mirror = !is_mirrored ? 0 : image.imir.mode == 0 ? 1 : 2;  // none, top to bottom, left to right
  constexpr int kOrientations[4][3] = {{1, 4, 2}, {8, 5, 7}, {3, 2, 4}, {6, 7, 5}};
  return kOrientations[turns][mirror];
}

class AvifFile {
 public:
  Status open(Bytes bytes, const ImageLimits& limits) {
    decoder_.reset(avifDecoderCreate());
    if (decoder_ == nullptr) {
      return resource_exhausted("no memory for an AVIF decoder");
    }
    decoder_->codecChoice = AVIF_CODEC_CHOICE_AOM;  // dav1d prints what it thinks of broken files
    decoder_->maxThreads = 1;
    decoder_->imageSizeLimit =
        static_cast<uint32_t>(std::clamp<uint64_t>(limits.max_pixels, 1, AVIF_DEFAULT_IMAGE_SIZE_LIMIT));
    decoder_->ignoreExif = AVIF_TRUE;
    decoder_->ignoreXMP = AVIF_TRUE;
    decoder_->strictFlags = AVIF_STRICT_DISABLED;  // of writers that leave out what pixels do not need
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    FOREBAY_RETURN_IF_ERROR(
        check_avif(*decoder_, avifDecoderSetIOMemory(decoder_.get(), data, bytes.size())));
    return check_avif(*decoder_, avifDecoderParse(decoder_.get()));
  }

  Status decode() { return check_avif(*decoder_, avifDecoderNextImage(decoder_.get())); }

  const avifImage& image() const { return *decoder_->image; }

  ImageHeader header() const {
    const bool is_grey = image().yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
    ImageHeader header;
    header.format = ImageFormat::kAvif;
    header.height = image().height;
    header.width = image().width;
    header.channels = (is_grey ? 1 : 3) + (decoder_->alphaPresent != AVIF_FALSE ? 1 : 0);
    header.bit_depth = image().depth > 8 ? 16 : 8;
    header.orientation = orientation_of_avif(image());
    // The frame and its reference, alpha, and what becomes of them.
    constexpr uint64_t kPixelValues = 14;
    header.whole_image_bytes = static_cast<uint64_t>(header.height) * static_cast<uint64_t>(header.width) *
                               kPixelValues * static_cast<uint64_t>(header.bit_depth / 8);
    return header;
  }

 private:
  std::unique_ptr<avifDecoder, DestroyAvif> decoder_;
};

/// Grey and alpha of RGB and alpha.
template <class T>
void keep_grey(const std::byte* in, std::byte* out, int64_t count, int from, int to) {
  const T* source = reinterpret_cast<const T*>(in);
  T* target = reinterpret_cast<T*>(out);
  for (int64_t i = 0; i < count; ++i, source += from, target += to) {
    target[0] = source[0];
    if (to == 2) {
      target[1] = source[3];
    }
  }
}

Status deliver_avif(const avifImage& image, const ImageHeader& header, const BaseRequest& request) {
  const bool is_grey = header.channels <= 2;
  const bool has_alpha = header.channels % 2 == 0;  // asked for without it, libavif multiplies it in
  const bool is_wide = header.bit_depth > 8;
  avifRGBImage colours;
  avifRGBImageSetDefaults(&colours, &image);
  colours.format = has_alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
  colours.depth = is_wide ? 16 : 8;
  const int64_t pixel_bytes = (has_alpha ? 4 : 3) * (is_wide ? 2 : 1);
  const int64_t pitch = header.width * pixel_bytes;
  FOREBAY_ASSIGN_OR_RETURN(const memory::BufferRef buffer,
                           memory::Buffer::allocate(static_cast<size_t>(header.height * pitch)));
  colours.pixels = static_cast<uint8_t*>(buffer->data());
  colours.rowBytes = static_cast<uint32_t>(pitch);
  if (const avifResult result = avifImageYUVToRGB(&image, &colours); result != AVIF_RESULT_OK) {
    return data_loss("AVIF does not become RGB: {}", avifResultToString(result));
  }
  const Window& window = request.window;
  BaseRows rows(header, request, header.channels, Luma::k15Bits);
  std::vector<std::byte> greys(is_grey ? static_cast<size_t>(window.width * rows.pixel_bytes()) : 0);
  for (int64_t y = 0; y < window.height; ++y) {
    const std::byte* row = static_cast<const std::byte*>(buffer->data()) + (window.y + y) * pitch;
    const std::byte* pixels = row + window.x * pixel_bytes;
    if (is_grey) {
      const int from = has_alpha ? 4 : 3;
      is_wide ? keep_grey<uint16_t>(pixels, greys.data(), window.width, from, header.channels)
              : keep_grey<uint8_t>(pixels, greys.data(), window.width, from, header.channels);
      pixels = greys.data();
    }
    FOREBAY_RETURN_IF_ERROR(rows.put(y, pixels));
  }
  return ok_status();
}

}  // namespace

Result<ImageHeader> read_avif_header(Bytes bytes) {
  AvifFile file;
  FOREBAY_RETURN_IF_ERROR(file.open(bytes, {}));
  if (file.image().width == 0 || file.image().height == 0) {
    return data_loss("AVIF claims a size of {}x{}", file.image().height, file.image().width);
  }
  return file.header();
}

Status decode_avif(Bytes bytes, const ImageHeader& header, const BaseRequest& request) {
  AvifFile file;
  FOREBAY_RETURN_IF_ERROR(file.open(bytes, request.options.limits));
  FOREBAY_RETURN_IF_ERROR(file.decode());
  const ImageHeader decoded = file.header();
  if (decoded.height != header.height || decoded.width != header.width ||
      decoded.channels != header.channels || decoded.bit_depth != header.bit_depth) {
    return data_loss("AVIF image is {}x{}x{}, not {}x{}x{} as its container says", decoded.height,
                     decoded.width, decoded.channels, header.height, header.width, header.channels);
  }
  return deliver_avif(file.image(), header, request);
}

}  // namespace forebay::codec
