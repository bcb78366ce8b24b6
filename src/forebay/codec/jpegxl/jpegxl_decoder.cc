// Decodes JPEG XL with libjxl, on the calling thread. Its files know no windows that libjxl would decode, so
// that the whole image is decoded; of an animation the first frame. What libjxl allocates is its own (floats
// of all channels, for the most part); the header's estimate counts it and the image that becomes of it.
#include <jxl/decode.h>

#include <memory>

#include "forebay/codec/base_rows.h"
#include "forebay/codec/format_decoder.h"
#include "forebay/memory/buffer.h"

namespace forebay::codec {
namespace {

struct DestroyJxl {
  void operator()(JxlDecoder* decoder) const { JxlDecoderDestroy(decoder); }
};

class JpegXlFile {
 public:
  /// Reads up to the image's description, or to its pixels if they are wanted.
  Status open(Bytes bytes, bool wants_pixels) {
    size_ = bytes.size();
    decoder_.reset(JxlDecoderCreate(nullptr));
    if (decoder_ == nullptr) {
      return resource_exhausted("no memory for a JPEG XL decoder");
    }
    const int events = JXL_DEC_BASIC_INFO | (wants_pixels ? JXL_DEC_FULL_IMAGE : 0);
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    const bool is_ready = JxlDecoderSubscribeEvents(decoder_.get(), events) == JXL_DEC_SUCCESS &&
                          JxlDecoderSetKeepOrientation(decoder_.get(), JXL_TRUE) == JXL_DEC_SUCCESS &&
                          JxlDecoderSetInput(decoder_.get(), data, bytes.size()) == JXL_DEC_SUCCESS;
    if (!is_ready) {
      return internal_error("libjxl refuses its input");
    }
    // The input is not closed: libjxl would print that there is no more.
    FOREBAY_RETURN_IF_ERROR(advance_to(JXL_DEC_BASIC_INFO));
    return JxlDecoderGetBasicInfo(decoder_.get(), &info_) == JXL_DEC_SUCCESS
               ? ok_status()
               : data_loss("JPEG XL is broken: it does not say what it holds");
  }

  Status advance_to(JxlDecoderStatus wanted) {
    const JxlDecoderStatus reached = JxlDecoderProcessInput(decoder_.get());
    if (reached == wanted) {
      return ok_status();
    }
    if (reached == JXL_DEC_NEED_MORE_INPUT) {
      return data_loss("JPEG XL is truncated at byte {}", size_);
    }
    return data_loss("JPEG XL is broken: the coded data makes no sense");
  }

  JxlDecoder* get() { return decoder_.get(); }

  ImageHeader header() const {
    ImageHeader header;
    header.format = ImageFormat::kJpegXl;
    header.height = info_.ysize;
    header.width = info_.xsize;
    header.channels = static_cast<int>(info_.num_color_channels) + (info_.alpha_bits > 0 ? 1 : 0);
    header.is_float = info_.exponent_bits_per_sample > 0;
    header.bit_depth = header.is_float ? 32 : info_.bits_per_sample > 8 ? 16 : 8;
    header.orientation = static_cast<int>(info_.orientation);
    constexpr uint64_t kFloatsPerValue = 3;  // coefficients, filters, and the picture before it is rounded
    const uint64_t pixels = static_cast<uint64_t>(header.height) * static_cast<uint64_t>(header.width);
    const auto channels = static_cast<uint64_t>(header.channels);
    header.whole_image_bytes = pixels * (channels * static_cast<uint64_t>(header.bit_depth / 8) +
                                         (channels + 1) * kFloatsPerValue * 4);
    return header;
  }

 private:
  size_t size_ = 0;
  JxlBasicInfo info_{};
  std::unique_ptr<JxlDecoder, DestroyJxl> decoder_;
};

JxlPixelFormat pixel_format_of(const ImageHeader& header, int channels) {
  const tensor::DType dtype = base_dtype(header);
  const JxlDataType type = dtype == tensor::DType::kFloat    ? JXL_TYPE_FLOAT
                           : dtype == tensor::DType::kUint16 ? JXL_TYPE_UINT16
                                                             : JXL_TYPE_UINT8;
  return {static_cast<uint32_t>(channels), type, JXL_NATIVE_ENDIAN, 0};
}

}  // namespace

Result<ImageHeader> read_jpegxl_header(Bytes bytes) {
  JpegXlFile file;
  FOREBAY_RETURN_IF_ERROR(file.open(bytes, false));
  const ImageHeader header = file.header();
  if (header.channels < 1 || header.channels > 4 || header.orientation < 1 || header.orientation > 8) {
    return data_loss("JPEG XL claims {} channels and orientation {}", header.channels, header.orientation);
  }
  return header;
}

Status decode_jpegxl(Bytes bytes, const ImageHeader& header, const BaseRequest& request) {
  JpegXlFile file;
  FOREBAY_RETURN_IF_ERROR(file.open(bytes, true));
  const ImageHeader again = file.header();
  if (again.height != header.height || again.width != header.width || again.channels != header.channels) {
    return data_loss("JPEG XL header changed while it was read");
  }
  const bool drops_alpha = header.channels % 2 == 0 && request.form != BaseForm::kAny;
  const int channels = header.channels - (drops_alpha ? 1 : 0);
  const JxlPixelFormat format = pixel_format_of(header, channels);
  FOREBAY_RETURN_IF_ERROR(file.advance_to(JXL_DEC_NEED_IMAGE_OUT_BUFFER));
  size_t size = 0;
  if (JxlDecoderImageOutBufferSize(file.get(), &format, &size) != JXL_DEC_SUCCESS) {
    return internal_error("libjxl refuses the form of its output");
  }
  BaseRows rows(header, request, channels, Luma::k15Bits);
  const int64_t pitch = header.width * rows.pixel_bytes();
  if (size != static_cast<size_t>(header.height * pitch)) {
    return internal_error("libjxl wants {} bytes for {}x{} pixels", size, header.height, header.width);
  }
  const Window& window = request.window;
  std::byte* place = request.pitch_bytes == pitch && window.height == header.height ? rows.place(0) : nullptr;
  memory::BufferRef buffer;
  if (place == nullptr) {
    FOREBAY_ASSIGN_OR_RETURN(buffer, memory::Buffer::allocate(size));
  }
  std::byte* image = place == nullptr ? static_cast<std::byte*>(buffer->data()) : place;
  if (JxlDecoderSetImageOutBuffer(file.get(), &format, image, size) != JXL_DEC_SUCCESS) {
    return internal_error("libjxl refuses the memory for its output");
  }
  FOREBAY_RETURN_IF_ERROR(file.advance_to(JXL_DEC_FULL_IMAGE));
  for (int64_t y = 0; place == nullptr && y < window.height; ++y) {
    FOREBAY_RETURN_IF_ERROR(rows.put(y, image + (window.y + y) * pitch + window.x * rows.pixel_bytes()));
  }
  return ok_status();
}

}  // namespace forebay::codec
