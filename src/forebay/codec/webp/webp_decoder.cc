// Decodes WebP, lossy and lossless, with libwebp. A window is cropped by libwebp, with a margin: at the edges
// of a crop it would take chroma from inside alone. libwebp's own memory (four bytes a pixel of a lossless
// image, some rows of a lossy one) is counted by estimate; what it decodes to is ours. Of an animation the
// first frame is the image, as in DALI.
#include <webp/decode.h>

#include <algorithm>
#include <string_view>

#include "forebay/codec/base_rows.h"
#include "forebay/codec/byte_order.h"
#include "forebay/codec/byte_text.h"
#include "forebay/codec/exif_orientation.h"
#include "forebay/codec/format_decoder.h"
#include "forebay/memory/buffer.h"

namespace forebay::codec {
namespace {

constexpr size_t kRiffHeaderBytes = 12;
constexpr size_t kChunkFrameBytes = 8;
constexpr int kLosslessCoding = 2;

std::string_view cause_of(VP8StatusCode code) {
  switch (code) {
    case VP8_STATUS_BITSTREAM_ERROR:
      return "the coded data makes no sense";
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return "the coded data ends early";
    case VP8_STATUS_INVALID_PARAM:
      return "its parts contradict each other";
    default:
      return "libwebp gives no cause";
  }
}

Status check(VP8StatusCode code) {
  switch (code) {
    case VP8_STATUS_OK:
      return ok_status();
    case VP8_STATUS_OUT_OF_MEMORY:
      return resource_exhausted("no memory for a WebP decoder");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return unimplemented("WebP uses a feature that libwebp does not support");
    default:
      return data_loss("WebP is broken: {}", cause_of(code));
  }
}

const uint8_t* data_of(Bytes bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

/// The file that the RIFF header speaks of; data_loss if it is not all there.
Result<Bytes> riff_of(Bytes bytes) {
  if (bytes.size() < kRiffHeaderBytes + kChunkFrameBytes) {
    return data_loss("WebP is truncated at byte {} in its header", bytes.size());
  }
  const uint64_t claimed = uint64_t{little_u32(bytes, 4)} + kChunkFrameBytes;
  if (claimed > bytes.size() || claimed < kRiffHeaderBytes + kChunkFrameBytes) {
    return data_loss("WebP is truncated at byte {}: it claims {} bytes", bytes.size(), claimed);
  }
  return bytes.first(claimed);
}

/// What the chunks of a file say.
struct WebpContents {
  int orientation = 1;
  Bytes still;  // for libwebp: the file, or the first frame of an animation
  int64_t frame_height = 0;
  int64_t frame_width = 0;
};

uint32_t little_u24(Bytes bytes, size_t at) {
  return little_u16(bytes, at) | static_cast<uint32_t>(bytes[at + 2]) << 16;
}

/// The first frame of an animation, which must fill its canvas.
Status read_frame(Bytes frame, WebpContents& contents) {
  constexpr size_t kFrameHeaderBytes = 16;
  if (frame.size() < kFrameHeaderBytes + kChunkFrameBytes) {
    return data_loss("WebP has a frame of {} bytes", frame.size());
  }
  if (little_u24(frame, 0) != 0 || little_u24(frame, 3) != 0) {
    return unimplemented("WebP is an animation whose first frame is smaller than its canvas");
  }
  contents.frame_width = little_u24(frame, 6) + 1;
  contents.frame_height = little_u24(frame, 9) + 1;
  contents.still = frame.subspan(kFrameHeaderBytes);
  return ok_status();
}

/// Some writers begin the data of an EXIF chunk as in JPEG.
int orientation_of(Bytes exif) {
  constexpr std::string_view kPrefix("Exif\0\0", 6);
  return exif_orientation_of(begins_with(exif, kPrefix) ? exif.subspan(kPrefix.size()) : exif);
}

Result<WebpContents> contents_of(Bytes riff) {
  WebpContents contents;
  contents.still = riff;
  for (size_t at = kRiffHeaderBytes; at < riff.size();) {
    if (riff.size() - at < kChunkFrameBytes) {
      return data_loss("WebP has {} bytes at byte {} that are no chunk", riff.size() - at, at);
    }
    const uint64_t size = little_u32(riff, at + 4);
    if (size > riff.size() - at - kChunkFrameBytes) {
      return data_loss("WebP is truncated at byte {}: the chunk at byte {} claims {} bytes", riff.size(), at,
                       size);
    }
    const Bytes data = riff.subspan(at + kChunkFrameBytes, size);
    if (has_text(riff, at, "EXIF")) {
      contents.orientation = orientation_of(data);
    } else if (has_text(riff, at, "ANMF") && contents.frame_width == 0) {
      FOREBAY_RETURN_IF_ERROR(read_frame(data, contents));
    }
    at += std::min<uint64_t>(kChunkFrameBytes + size + size % 2, riff.size() - at);
  }
  return contents;
}

class WebpDecoding {
 public:
  WebpDecoding(const ImageHeader& header, const BaseRequest& request)
      : header_(header),
        window_(request.window),
        channels_(request.form == BaseForm::kAny ? header.channels : 3),
        rows_(header, request, channels_, Luma::k15Bits),
        direct_(request.direct),
        pitch_bytes_(request.pitch_bytes) {}

  Status run(Bytes bytes) {
    FOREBAY_ASSIGN_OR_RETURN(const Bytes riff, riff_of(bytes));
    FOREBAY_ASSIGN_OR_RETURN(const WebpContents contents, contents_of(riff));
    const bool is_whole = window_ == Window{0, 0, header_.height, header_.width};
    if (is_whole && direct_ != nullptr && rows_.place(0) != nullptr) {
      return decode(contents.still, window_, direct_, pitch_bytes_);
    }
    const Window area = widened();
    const int64_t pitch = area.width * channels_;
    FOREBAY_ASSIGN_OR_RETURN(const memory::BufferRef image,
                             memory::Buffer::allocate(static_cast<size_t>(area.height * pitch)));
    auto* pixels = static_cast<std::byte*>(image->data());
    FOREBAY_RETURN_IF_ERROR(decode(contents.still, area, pixels, pitch));
    for (int64_t y = 0; y < window_.height; ++y) {
      const int64_t row = window_.y + y - area.y;
      FOREBAY_RETURN_IF_ERROR(rows_.put(y, pixels + row * pitch + (window_.x - area.x) * channels_));
    }
    return ok_status();
  }

 private:
  /// The window with a column and a row of chroma around it, which libwebp wants to begin at even places.
  Window widened() const {
    constexpr int64_t kMargin = 2;
    const int64_t top = std::max<int64_t>(0, (window_.y - kMargin) / 2 * 2);
    const int64_t left = std::max<int64_t>(0, (window_.x - kMargin) / 2 * 2);
    const int64_t bottom = std::min(header_.height, window_.y + window_.height + kMargin);
    const int64_t right = std::min(header_.width, window_.x + window_.width + kMargin);
    return {top, left, bottom - top, right - left};
  }

  Status decode(Bytes still, const Window& area, std::byte* out, int64_t pitch) const {
    WebPDecoderConfig config;
    if (WebPInitDecoderConfig(&config) == 0) {
      return internal_error("libwebp's version is not that of its headers");
    }
    config.options.use_cropping = area == Window{0, 0, header_.height, header_.width} ? 0 : 1;
    config.options.crop_top = static_cast<int>(area.y);
    config.options.crop_left = static_cast<int>(area.x);
    config.options.crop_height = static_cast<int>(area.height);
    config.options.crop_width = static_cast<int>(area.width);
    config.output.colorspace = channels_ == 4 ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = reinterpret_cast<uint8_t*>(out);
    config.output.u.RGBA.stride = static_cast<int>(pitch);
    config.output.u.RGBA.size = static_cast<size_t>(area.height * pitch);
    return check(WebPDecode(data_of(still), still.size(), &config));
  }

  const ImageHeader& header_;
  const Window window_;
  const int channels_;
  BaseRows rows_;
  std::byte* const direct_;
  const int64_t pitch_bytes_;
};

}  // namespace

Result<ImageHeader> read_webp_header(Bytes bytes) {
  FOREBAY_ASSIGN_OR_RETURN(const Bytes riff, riff_of(bytes));
  FOREBAY_ASSIGN_OR_RETURN(const WebpContents contents, contents_of(riff));
  WebPBitstreamFeatures features;
  FOREBAY_RETURN_IF_ERROR(check(WebPGetFeatures(data_of(riff), riff.size(), &features)));
  const ImageSize canvas{features.height, features.width};
  if (features.has_animation != 0) {
    if (contents.frame_width == 0) {
      return data_loss("WebP is an animation without a frame");
    }
    FOREBAY_RETURN_IF_ERROR(
        check(WebPGetFeatures(data_of(contents.still), contents.still.size(), &features)));
    if (canvas != ImageSize{contents.frame_height, contents.frame_width} ||
        canvas != ImageSize{features.height, features.width}) {
      return unimplemented("WebP is an animation whose first frame is smaller than its canvas");
    }
  }
  if (features.width < 1 || features.height < 1) {
    return data_loss("WebP claims a size of {}x{}", features.height, features.width);
  }
  ImageHeader header;
  header.format = ImageFormat::kWebp;
  header.height = features.height;
  header.width = features.width;
  header.channels = features.has_alpha != 0 ? 4 : 3;
  header.bit_depth = 8;
  header.orientation = contents.orientation;
  const uint64_t pixels = static_cast<uint64_t>(header.height) * static_cast<uint64_t>(header.width);
  const uint64_t inside = features.format == kLosslessCoding ? 4 : header.channels == 4 ? 1 : 0;
  header.whole_image_bytes = pixels * (static_cast<uint64_t>(header.channels) + inside);
  return header;
}

Status decode_webp(Bytes bytes, const ImageHeader& header, const BaseRequest& request) {
  return WebpDecoding(header, request).run(bytes);
}

}  // namespace forebay::codec
