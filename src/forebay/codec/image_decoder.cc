#include "forebay/codec/image_decoder.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "forebay/codec/exif_orientation.h"
#include "forebay/codec/format_decoder.h"
#include "forebay/codec/row_conversion.h"

namespace forebay::codec {
namespace {

using tensor::DType;
using tensor::MutableTensorView;
using tensor::Tensor;
using tensor::TensorSpec;

constexpr uint64_t kDecoderStateBytes = 256 << 10;
constexpr uint64_t kDecoderRows = 64;  // a generous estimate of the rows that a decoder works on at once

ImageSize scaled_size(const ImageHeader& header, int scale_eighths) {
  const auto scaled = [&](int64_t extent) { return (extent * scale_eighths + 7) / 8; };
  return {scaled(header.height), scaled(header.width)};
}

int applied_orientation(const ImageHeader& header, const ImageDecodeOptions& options) {
  return options.adjust_orientation ? header.orientation : 1;
}

BaseForm base_form(const ImageDecodeOptions& options) {
  if (options.gives_indices) {
    return BaseForm::kIndex;
  }
  switch (options.output_type) {
    case OutputType::kBgr:
      return BaseForm::kBgr;
    case OutputType::kGray:
      return BaseForm::kGray;
    case OutputType::kAnyData:
      return BaseForm::kAny;
    case OutputType::kRgb:
    case OutputType::kYCbCr:
      break;
  }
  return BaseForm::kRgb;
}

Status check_indices(const ImageHeader& header, const ImageDecodeOptions& options,
                     const FormatDecoder& decoder) {
  if (!options.gives_indices) {
    return ok_status();
  }
  if (options.dtype != DType::kUint8) {
    return invalid_argument("indices of a palette are uint8, not {}", tensor::name_of(options.dtype));
  }
  if (!decoder.gives_indices) {
    return invalid_argument(
        "indices of a palette are asked for (palette='index'), which {} does not give, only {}",
        name_of(header.format), names_of_indexed_decoders());
  }
  if (header.index_bits == 0) {
    return invalid_argument(
        "indices of a palette are asked for (palette='index'), and this {} of {} channel{} has no palette",
        name_of(header.format), header.channels, header.channels == 1 ? "" : "s");
  }
  if (header.index_bits > 8) {
    return invalid_argument("{} has indices of {} bits, which uint8 cannot hold", name_of(header.format),
                            header.index_bits);
  }
  return ok_status();
}

Status check_options(const ImageHeader& header, const ImageDecodeOptions& options) {
  if (!can_decode_to(options.dtype)) {
    return invalid_argument("images decode to integers of at most 32 bits or to float, not to {}",
                            tensor::name_of(options.dtype));
  }
  if (options.scale_eighths < 1 || options.scale_eighths > 8) {
    return invalid_argument("scale_eighths is {}, not 1 to 8", options.scale_eighths);
  }
  const FormatDecoder* decoder = decoder_of(header.format);
  if (decoder == nullptr) {
    return invalid_argument("the header is not that of an image that can be decoded");
  }
  if (options.scale_eighths != 8 && (decoder->scales >> options.scale_eighths & 1) == 0) {
    return invalid_argument("{} does not decode at {}/8 of its size, as {} do", name_of(header.format),
                            options.scale_eighths, names_of_scaled_decoders());
  }
  FOREBAY_RETURN_IF_ERROR(check_indices(header, options, *decoder));
  if (!options.window.has_value()) {
    return ok_status();
  }
  const Window& window = *options.window;
  const ImageSize size = oriented_size(header, options);
  const bool fits_y = window.y >= 0 && window.height > 0 && window.y <= size.height - window.height;
  const bool fits_x = window.x >= 0 && window.width > 0 && window.x <= size.width - window.width;
  if (!fits_y || !fits_x) {
    return invalid_argument("window of {}x{} at ({}, {}) does not lie within the image of {}x{}",
                            window.height, window.width, window.y, window.x, size.height, size.width);
  }
  return ok_status();
}

Status check_limits(const ImageHeader& header, const ImageDecodeOptions& options, const TensorSpec& spec) {
  const uint64_t pixels = static_cast<uint64_t>(header.height) * static_cast<uint64_t>(header.width);
  if (pixels > options.limits.max_pixels) {
    return resource_exhausted("image of {}x{} has {} pixels, more than the allowed {} (max_pixels)",
                              header.height, header.width, pixels, options.limits.max_pixels);
  }
  const uint64_t needed = decode_scratch_bytes(header, options) + spec.size_bytes();
  if (needed > options.limits.max_bytes) {
    return resource_exhausted("image of {}x{} needs {} bytes to decode, more than the allowed {} (max_bytes)",
                              header.height, header.width, needed, options.limits.max_bytes);
  }
  const bool is_cheap = needed <= ImageLimits::kCheapBytes || header.file_bytes == 0;
  if (!is_cheap && (needed - 1) / header.file_bytes >= options.limits.max_expansion) {
    return resource_exhausted(
        "image of {}x{} needs {} bytes to decode and its file has {}: more than the allowed {} for each "
        "(max_expansion)",
        header.height, header.width, needed, header.file_bytes, options.limits.max_expansion);
  }
  return ok_status();
}

/// Writes `count` pixels of N bytes, `step` pixels apart.
template <size_t N>
void scatter_pixels(const std::byte* row, int64_t count, std::byte* target, int64_t step, size_t /*bytes*/) {
  using Pixel = std::array<std::byte, N>;
  const auto* source = reinterpret_cast<const Pixel*>(row);
  auto* out = reinterpret_cast<Pixel*>(target);
  for (int64_t i = 0; i < count; ++i) {
    out[i * step] = source[i];
  }
}

/// The same for pixels of any size.
void scatter_wide_pixels(const std::byte* row, int64_t count, std::byte* target, int64_t step, size_t bytes) {
  const auto stride = static_cast<int64_t>(bytes);
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(row + i * stride, bytes, target + i * step * stride);
  }
}

using Scatter = void (*)(const std::byte*, int64_t, std::byte*, int64_t, size_t);

Scatter scatter_of(size_t pixel_bytes) {
  switch (pixel_bytes) {
    case 1:
      return scatter_pixels<1>;
    case 2:
      return scatter_pixels<2>;
    case 3:
      return scatter_pixels<3>;
    case 4:
      return scatter_pixels<4>;
    case 6:
      return scatter_pixels<6>;
    case 8:
      return scatter_pixels<8>;
    case 12:
      return scatter_pixels<12>;
    case 16:
      return scatter_pixels<16>;
    default:
      return scatter_wide_pixels;
  }
}

/// One decoding: converts base rows to the requested kind and rotates them if necessary.
class Decoding {
 public:
  Decoding(Bytes bytes, const ImageHeader& header, const ImageDecodeOptions& options, const TensorSpec& spec)
      : bytes_(bytes),
        header_(header),
        options_(options),
        spec_(spec),
        orientation_(applied_orientation(header, options)),
        form_(base_form(options)),
        conversion_(row_conversion(base_dtype(header, form_), options.dtype,
                                   options.output_type == OutputType::kYCbCr && !options.gives_indices)) {
    const ImageSize stored = scaled_size(header, options.scale_eighths);
    const ImageSize whole = oriented_size(header, options);
    const Window window = options.window.value_or(Window{0, 0, whole.height, whole.width});
    window_ = stored_window(window, orientation_, stored);
  }

  Status into(std::byte* out) {
    const int64_t pitch = window_.width * pixel_bytes();
    if (orientation_ != 1) {
      return turned_into(out);
    }
    if (conversion_ == nullptr) {
      return run(out, pitch, [](int64_t, const void*) { return ok_status(); });
    }
    return run(nullptr, 0, [&](int64_t y, const void* row) {
      convert(row, out + y * pitch);
      return ok_status();
    });
  }

  Status rows_to(RowSink sink) {
    if (orientation_ != 1) {
      return turned_rows_to(sink);
    }
    const auto values = static_cast<size_t>(window_.width * spec_.shape.back());
    if (conversion_ == nullptr) {
      return run(nullptr, 0, [&](int64_t y, const void* row) {
        return sink(y, {static_cast<const uint8_t*>(row), values});
      });
    }
    std::vector<uint8_t> converted(values);
    return run(nullptr, 0, [&](int64_t y, const void* row) {
      convert(row, converted.data());
      return sink(y, converted);
    });
  }

 private:
  int64_t pixel_bytes() const {
    return spec_.shape.back() * static_cast<int64_t>(tensor::size_of(spec_.dtype));
  }

  void convert(const void* row, void* out) const {
    conversion_(row, out, window_.width, static_cast<int>(spec_.shape.back()));
  }

  Status run(std::byte* direct, int64_t pitch_bytes, BaseRowSink sink) {
    const BaseRequest request{form_, window_, options_, direct, pitch_bytes, sink};
    return decoder_of(header_.format)->decode(bytes_, header_, request);
  }

  Status turned_into(std::byte* out) {
    const PixelWalk walk = pixel_walk(orientation_, {window_.height, window_.width});
    const Scatter scatter = scatter_of(static_cast<size_t>(pixel_bytes()));
    std::vector<std::byte> converted(conversion_ == nullptr ? 0 : window_.width * pixel_bytes());
    return run(nullptr, 0, [&](int64_t y, const void* row) {
      if (conversion_ != nullptr) {
        convert(row, converted.data());
        row = converted.data();
      }
      std::byte* target = out + (walk.origin + y * walk.step_y) * pixel_bytes();
      scatter(static_cast<const std::byte*>(row), window_.width, target, walk.step_x,
              static_cast<size_t>(pixel_bytes()));
      return ok_status();
    });
  }

  Status turned_rows_to(RowSink sink) {
    FOREBAY_ASSIGN_OR_RETURN(const memory::BufferRef image, memory::Buffer::allocate(spec_.size_bytes()));
    FOREBAY_RETURN_IF_ERROR(turned_into(static_cast<std::byte*>(image->data())));
    const auto values = static_cast<size_t>(spec_.shape[1] * spec_.shape[2]);
    const auto* pixels = static_cast<const uint8_t*>(image->data());
    for (int64_t y = 0; y < spec_.shape[0]; ++y) {
      FOREBAY_RETURN_IF_ERROR(sink(y, {pixels + static_cast<size_t>(y) * values, values}));
    }
    return ok_status();
  }

  const Bytes bytes_;
  const ImageHeader& header_;
  const ImageDecodeOptions& options_;
  const TensorSpec& spec_;
  const int orientation_;
  const BaseForm form_;
  const RowConversion conversion_;
  Window window_;
};

Result<ImageHeader> read_page_header(const FormatDecoder& decoder, Bytes bytes, int64_t page) {
  if (decoder.read_page_header == nullptr) {
    return invalid_argument("page {} is asked for (page), and {} has no pages, only {} has", page,
                            name_of(decoder.format), names_of_paged_decoders());
  }
  return decoder.read_page_header(bytes, page);
}

}  // namespace

bool can_decode_to(DType dtype) {
  const auto integers = {DType::kUint8, DType::kInt8,   DType::kUint16,
                         DType::kInt16, DType::kUint32, DType::kInt32};
  return dtype == DType::kFloat || std::ranges::find(integers, dtype) != integers.end();
}

bool can_decode(ImageFormat format) {
  return decoder_of(format) != nullptr;
}

Result<ImageHeader> read_image_header(Bytes bytes, int64_t page) {
  const ImageFormat format = image_format_of(bytes);
  if (page < 0) {
    return invalid_argument("page {} is asked for (page), the first is 0", page);
  }
  if (const FormatDecoder* decoder = decoder_of(format)) {
    FOREBAY_ASSIGN_OR_RETURN(ImageHeader header, page == 0 ? decoder->read_header(bytes)
                                                           : read_page_header(*decoder, bytes, page));
    header.file_bytes = bytes.size();
    return header;
  }
  if (format == ImageFormat::kUnknown) {
    return data_loss("not an image of a known format: the sample of {} bytes {}", bytes.size(),
                     describe_unknown(bytes));
  }
  return unimplemented("image format {} is not supported: convert the file to one of {}", name_of(format),
                       names_of_decoders());
}

ImageSize oriented_size(const ImageHeader& header, const ImageDecodeOptions& options) {
  ImageSize size = scaled_size(header, options.scale_eighths);
  if (swaps_axes(applied_orientation(header, options))) {
    std::swap(size.height, size.width);
  }
  return size;
}

int decoded_channels(const ImageHeader& header, const ImageDecodeOptions& options) {
  return base_channels(header, base_form(options));
}

Status check_decode_options(const ImageHeader& header, const ImageDecodeOptions& options) {
  return check_options(header, options);
}

Result<TensorSpec> decoded_spec(const ImageHeader& header, const ImageDecodeOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check_options(header, options));
  const ImageSize whole = oriented_size(header, options);
  const Window window = options.window.value_or(Window{0, 0, whole.height, whole.width});
  const int64_t channels = decoded_channels(header, options);
  const TensorSpec spec{{window.height, window.width, channels}, options.dtype, "HWC"};
  FOREBAY_RETURN_IF_ERROR(check_limits(header, options, spec));
  return spec;
}

uint64_t decode_scratch_bytes(const ImageHeader& header, const ImageDecodeOptions& options) {
  const auto width = static_cast<uint64_t>(header.width);
  const auto channels = static_cast<uint64_t>(header.channels) * tensor::size_of(base_dtype(header));
  uint64_t bytes = kDecoderStateBytes + header.whole_image_bytes + width * channels * kDecoderRows;
  if (applied_orientation(header, options) != 1) {
    const ImageSize whole = oriented_size(header, options);
    const Window window = options.window.value_or(Window{0, 0, whole.height, whole.width});
    bytes += static_cast<uint64_t>(window.height) * static_cast<uint64_t>(window.width) *
             static_cast<uint64_t>(decoded_channels(header, options));
  }
  return bytes;
}

Status decode_image(Bytes bytes, const ImageHeader& header, const ImageDecodeOptions& options,
                    MutableTensorView out) {
  FOREBAY_ASSIGN_OR_RETURN(const TensorSpec spec, decoded_spec(header, options));
  if (out.spec.shape != spec.shape || out.spec.dtype != spec.dtype) {
    return invalid_argument("the image decodes to {}, not to {}", spec.to_string(), out.spec.to_string());
  }
  return Decoding(bytes, header, options, spec).into(static_cast<std::byte*>(out.data));
}

Status decode_image_rows(Bytes bytes, const ImageHeader& header, const ImageDecodeOptions& options,
                         RowSink sink) {
  if (options.dtype != DType::kUint8) {
    return invalid_argument("image rows are uint8, not {}", tensor::name_of(options.dtype));
  }
  FOREBAY_ASSIGN_OR_RETURN(const TensorSpec spec, decoded_spec(header, options));
  return Decoding(bytes, header, options, spec).rows_to(sink);
}

Result<Tensor> decode_image(Bytes bytes, const ImageDecodeOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const ImageHeader header, read_image_header(bytes));
  FOREBAY_ASSIGN_OR_RETURN(const TensorSpec spec, decoded_spec(header, options));
  FOREBAY_ASSIGN_OR_RETURN(Tensor image, Tensor::allocate(spec));
  FOREBAY_RETURN_IF_ERROR(decode_image(bytes, header, options, image.mutable_view()));
  return image;
}

}  // namespace forebay::codec
