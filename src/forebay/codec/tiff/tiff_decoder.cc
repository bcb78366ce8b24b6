// Decodes TIFF with libtiff, from memory. The strips, tiles and planes that the window touches are read, a
// row of them at a time; strips that are too large for that row by row, down to the window's last. libtiff's
// own memory beyond a strip or tile is some hundred KiB of a codec's state, which the estimate for every
// decoder covers.
#include <algorithm>
#include <vector>

#include "forebay/codec/base_rows.h"
#include "forebay/codec/format_decoder.h"
#include "forebay/codec/tiff/tiff_file.h"
#include "forebay/codec/tiff/tiff_layout.h"
#include "forebay/codec/tiff/tiff_samples.h"
#include "forebay/memory/buffer.h"

namespace forebay::codec {
namespace {

/// Makes RGB of inks, in place of the first three of four, rounded down.
template <class T>
void inks_to_colours(std::byte* pixels, int64_t count) {
  const T* in = reinterpret_cast<const T*>(pixels);
  T* out = reinterpret_cast<T*>(pixels);
  constexpr uint64_t kWhite = static_cast<T>(~T{0});
  for (int64_t i = 0; i < count; ++i, in += 4, out += 3) {
    const uint64_t black = kWhite - in[3];
    const uint64_t inks[] = {in[0], in[1], in[2]};
    for (int c = 0; c < 3; ++c) {
      out[c] = static_cast<T>(black * (kWhite - inks[c]) / kWhite);
    }
  }
}

template <class T>
void invert(std::byte* values, int64_t count, T white) {
  T* value = reinterpret_cast<T*>(values);
  for (int64_t i = 0; i < count; ++i) {
    value[i] = static_cast<T>(white - value[i]);
  }
}

/// DALI has another library decode what is to be turned, whose weights are rounded otherwise.
Luma luma_of(const ImageHeader& header, const BaseRequest& request) {
  return request.options.adjust_orientation && header.orientation != 1 ? Luma::k14Bits : Luma::kFloat;
}

/// What lies in the file as it is to be needs no libtiff.
Status put_stored_rows(Bytes bytes, const ImageHeader& header, const BaseRequest& request) {
  const auto row = static_cast<uint64_t>(header.width) * static_cast<uint64_t>(header.channels);
  const uint64_t rest = bytes.size() - std::min<uint64_t>(header.rows_at, bytes.size());
  const Window& window = request.window;
  const int64_t end = window.y + window.height;
  if (static_cast<uint64_t>(end) > rest / row) {
    return data_loss("TIFF is broken: row {}, of {} bytes, does not lie in its {} bytes", end - 1, row,
                     bytes.size());
  }
  BaseRows rows(header, request, header.channels, luma_of(header, request));
  const std::byte* pixels =
      bytes.data() + header.rows_at + static_cast<uint64_t>(window.y) * row + window.x * header.channels;
  for (int64_t y = 0; y < window.height; ++y, pixels += row) {
    FOREBAY_RETURN_IF_ERROR(rows.put(y, pixels));
  }
  return ok_status();
}

class TiffDecoding {
 public:
  TiffDecoding(TiffFile& file, const TiffLayout& layout, const ImageHeader& header,
               const BaseRequest& request)
      : file_(file),
        layout_(layout),
        window_(request.window),
        dtype_(base_dtype(header, request.form)),
        channels_(request.form == BaseForm::kIndex ? 1 : header.channels),
        gives_indices_(request.form == BaseForm::kIndex),
        makes_colours_(layout.colours == TiffColours::kInks && request.form != BaseForm::kAny),
        rows_(header, request, makes_colours_ ? 3 : channels_, luma_of(header, request)) {}

  Status run() {
    FOREBAY_RETURN_IF_ERROR(check_row_size());
    if (!layout_.has_bands) {
      return read_lines();
    }
    return is_stored_as_base() && !layout_.is_tiled && !layout_.is_planar ? read_strips() : read_bands();
  }

 private:
  int64_t pixel_bytes() const { return channels_ * static_cast<int64_t>(tensor::size_of(dtype_)); }
  int64_t row_bytes() const { return window_.width * pixel_bytes(); }

  /// Of a stored row of a strip or tile, or of a plane's.
  uint64_t stored_row_bytes() const {
    return layout_.is_tiled ? TIFFTileRowSize64(file_.get()) : TIFFScanlineSize64(file_.get());
  }

  /// Holds libtiff's arithmetic against ours, before it writes into our memory.
  Status check_row_size() const {
    const auto samples = static_cast<uint64_t>(layout_.is_planar ? 1 : layout_.samples);
    const uint64_t bits =
        static_cast<uint64_t>(layout_.part_width) * samples * static_cast<uint64_t>(layout_.bits);
    const uint64_t row = stored_row_bytes();
    const bool fits =
        row == (bits + 7) / 8 && row * static_cast<uint64_t>(layout_.part_height) <= layout_.part_bytes;
    if (layout_.colours == TiffColours::kOther || fits) {
      return ok_status();
    }
    return data_loss("TIFF has rows of {} bytes in parts of {}, for {} bits", row, layout_.part_bytes, bits);
  }

  /// Whether stored rows are base rows.
  bool is_stored_as_base() const {
    return layout_.colours == TiffColours::kPlain &&
           layout_.bits == 8 * static_cast<int>(tensor::size_of(dtype_));
  }

  Status read_lines() {
    std::vector<std::byte> line(stored_row_bytes());
    std::vector<std::byte> values(is_stored_as_base() ? 0 : row_bytes());
    const int64_t first =
        window_.y - window_.y % layout_.part_height;  // a strip can only be read from its top
    for (int64_t y = first; y < window_.y + window_.height; ++y) {
      const int64_t output_y = y - window_.y;
      std::byte* place = output_y < 0 ? nullptr : place_of_line(output_y);
      std::byte* target = place == nullptr ? line.data() : place;
      file_.expect_row((y + 1) % layout_.part_height == 0 || y + 1 == layout_.height);
      const bool is_read = TIFFReadScanline(file_.get(), target, static_cast<uint32_t>(y), 0) == 1;
      FOREBAY_RETURN_IF_ERROR(is_read ? file_.status() : file_.failure("a row cannot be read"));
      if (output_y < 0 || place != nullptr) {
        continue;
      }
      if (is_stored_as_base()) {
        FOREBAY_RETURN_IF_ERROR(rows_.put(output_y, line.data() + window_.x * pixel_bytes()));
        continue;
      }
      store(line.data(), window_.x, window_.width, 0, values.data());
      FOREBAY_RETURN_IF_ERROR(finish(output_y, values.data()));
    }
    return ok_status();
  }

  std::byte* place_of_line(int64_t y) const {
    return is_stored_as_base() && window_.width == layout_.width ? rows_.place(y) : nullptr;
  }

  /// Converts pixels of a stored row, or of a plane's, but for what finish() does.
  void store(const std::byte* row, int64_t first, int64_t count, int plane, std::byte* out) const {
    if (gives_indices_) {
      for (int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<std::byte>(tiff_sample_at(layout_, row, first + i));
      }
    } else if (layout_.colours == TiffColours::kPalette) {
      auto* colours = reinterpret_cast<uint16_t*>(out);
      for (int64_t i = 0; i < count; ++i, colours += 3) {
        const uint32_t index = tiff_sample_at(layout_, row, first + i);
        for (size_t c = 0; c < 3; ++c) {
          colours[c] = layout_.palette[c][index];
        }
      }
    } else if (layout_.is_planar) {
      std::byte* target = out + plane * static_cast<int64_t>(tensor::size_of(dtype_));
      unpack_tiff_samples(layout_, row, first, count, target, channels_);
    } else {
      unpack_tiff_samples(layout_, row, first * channels_, count * channels_, out, 1);
    }
  }

  Status finish(int64_t y, std::byte* values) {
    if (layout_.colours == TiffColours::kInverted) {
      invert_row(values);
    } else if (makes_colours_) {
      dtype_ == tensor::DType::kUint16 ? inks_to_colours<uint16_t>(values, window_.width)
                                       : inks_to_colours<uint8_t>(values, window_.width);
    }
    return rows_.put(y, values);
  }

  /// Only grey is stored like that; what lies behind it is inverted too, as nobody says what it means.
  void invert_row(std::byte* values) const {
    const int64_t count = window_.width * channels_;
    switch (dtype_) {
      case tensor::DType::kFloat:
        return invert<float>(values, count, 1.0F);
      case tensor::DType::kUint32:
        return invert<uint32_t>(values, count, UINT32_MAX);
      case tensor::DType::kUint16:
        return invert<uint16_t>(values, count, UINT16_MAX);
      default:
        return invert<uint8_t>(values, count, UINT8_MAX);
    }
  }

  /// Strips of base rows: to their place at once, or from a buffer.
  Status read_strips() {
    FOREBAY_ASSIGN_OR_RETURN(part_, memory::Buffer::allocate(layout_.part_bytes));
    const auto stride = static_cast<int64_t>(stored_row_bytes());
    const int64_t bottom = window_.y + window_.height;
    for (int64_t top = window_.y - window_.y % layout_.part_height; top < bottom;
         top += layout_.part_height) {
      const int64_t strip_end = std::min(top + layout_.part_height, layout_.height);
      const int64_t end = std::min(strip_end, bottom);
      std::byte* const place = place_of_strip(top, strip_end);
      if (place != nullptr) {
        FOREBAY_RETURN_IF_ERROR(read_part(top, 0, 0, place, (strip_end - top) * stride));
        continue;
      }
      FOREBAY_RETURN_IF_ERROR(read_part(top, 0, 0, part_->data(), static_cast<int64_t>(layout_.part_bytes)));
      FOREBAY_RETURN_IF_ERROR(put_rows(static_cast<const std::byte*>(part_->data()), top, end, stride));
    }
    return ok_status();
  }

  /// The rows of the window in a strip that begins at row `top`, up to row `end`.
  Status put_rows(const std::byte* strip, int64_t top, int64_t end, int64_t stride) {
    for (int64_t y = std::max(top, window_.y); y < end; ++y) {
      const std::byte* const row = strip + (y - top) * stride;
      FOREBAY_RETURN_IF_ERROR(rows_.put(y - window_.y, row + window_.x * pixel_bytes()));
    }
    return ok_status();
  }

  /// Null if the strip is not in the window as a whole, or not in one piece.
  std::byte* place_of_strip(int64_t top, int64_t end) const {
    const bool is_inside = top >= window_.y && end <= window_.y + window_.height;
    std::byte* const place = is_inside ? place_of_line(top - window_.y) : nullptr;
    const bool is_dense =
        end - top == 1 || (place != nullptr && place_of_line(top - window_.y + 1) == place + row_bytes());
    return is_dense ? place : nullptr;
  }

  Status read_bands() {
    const bool is_other = layout_.colours == TiffColours::kOther;
    const auto pixels =
        static_cast<uint64_t>(layout_.part_height) * static_cast<uint64_t>(layout_.part_width);
    FOREBAY_ASSIGN_OR_RETURN(
        part_, memory::Buffer::allocate(is_other ? pixels * sizeof(uint32_t) : layout_.part_bytes));
    const int64_t rows = std::min(layout_.part_height, window_.height);
    FOREBAY_ASSIGN_OR_RETURN(const memory::BufferRef band,
                             memory::Buffer::allocate(static_cast<size_t>(rows * row_bytes())));
    auto* values = static_cast<std::byte*>(band->data());
    const int64_t bottom = window_.y + window_.height;
    for (int64_t top = window_.y - window_.y % layout_.part_height; top < bottom;
         top += layout_.part_height) {
      const int64_t begin = std::max(top, window_.y);
      const int64_t end = std::min(top + layout_.part_height, bottom);
      FOREBAY_RETURN_IF_ERROR(read_band(top, begin, end, values));
      for (int64_t y = begin; y < end; ++y) {
        FOREBAY_RETURN_IF_ERROR(finish(y - window_.y, values + (y - begin) * row_bytes()));
      }
    }
    return ok_status();
  }

  Status read_band(int64_t top, int64_t begin, int64_t end, std::byte* values) {
    const int64_t right = window_.x + window_.width;
    const int planes = layout_.is_planar && layout_.colours != TiffColours::kOther ? layout_.samples : 1;
    for (int64_t left = window_.x - window_.x % layout_.part_width; left < right;
         left += layout_.part_width) {
      const int64_t first = std::max(left, window_.x);
      const int64_t count = std::min(left + layout_.part_width, right) - first;
      for (int plane = 0; plane < planes; ++plane) {
        std::ranges::fill(part_->mutable_bytes(), std::byte{});  // libtiff may leave rows of it out
        FOREBAY_RETURN_IF_ERROR(
            read_part(top, left, plane, part_->data(), static_cast<int64_t>(part_->size_bytes())));
        for (int64_t y = begin; y < end; ++y) {
          std::byte* out = values + (y - begin) * row_bytes() + (first - window_.x) * pixel_bytes();
          store_part(top, y, first - left, count, plane, out);
        }
      }
    }
    return ok_status();
  }

  Status read_part(int64_t top, int64_t left, int plane, void* to, int64_t to_bytes) {
    const auto y = static_cast<uint32_t>(top);
    const auto x = static_cast<uint32_t>(left);
    bool is_read = false;
    if (layout_.colours == TiffColours::kOther) {
      auto* raster = static_cast<uint32_t*>(to);
      is_read = layout_.is_tiled ? TIFFReadRGBATileExt(file_.get(), x, y, raster, 1) == 1
                                 : TIFFReadRGBAStripExt(file_.get(), y, raster, 1) == 1;
    } else {
      const auto sample = static_cast<uint16_t>(plane);
      const auto size = static_cast<tmsize_t>(to_bytes);
      const tmsize_t taken =
          layout_.is_tiled
              ? TIFFReadEncodedTile(file_.get(), TIFFComputeTile(file_.get(), x, y, 0, sample), to, size)
              : TIFFReadEncodedStrip(file_.get(), TIFFComputeStrip(file_.get(), y, sample), to, size);
      is_read = taken >= 0;
    }
    return is_read ? file_.status() : file_.failure("a strip or tile cannot be read");
  }

  void store_part(int64_t top, int64_t y, int64_t first, int64_t count, int plane, std::byte* out) const {
    const int64_t row = y - top;
    if (layout_.colours != TiffColours::kOther) {
      const auto stride = static_cast<int64_t>(stored_row_bytes());
      return store(static_cast<const std::byte*>(part_->data()) + row * stride, first, count, plane, out);
    }
    // libtiff's raster begins at the bottom, of a strip that may be shorter than others.
    const int64_t rows =
        layout_.is_tiled ? layout_.part_height : std::min(layout_.part_height, layout_.height - top);
    const uint32_t* in =
        static_cast<const uint32_t*>(part_->data()) + (rows - 1 - row) * layout_.part_width + first;
    auto* colours = reinterpret_cast<uint8_t*>(out);
    for (int64_t i = 0; i < count; ++i, colours += 3) {
      colours[0] = TIFFGetR(in[i]);
      colours[1] = TIFFGetG(in[i]);
      colours[2] = TIFFGetB(in[i]);
    }
  }

  TiffFile& file_;
  const TiffLayout& layout_;
  const Window window_;
  const tensor::DType dtype_;
  const int channels_;
  const bool gives_indices_;
  const bool makes_colours_;
  BaseRows rows_;
  memory::BufferRef part_;  // a strip or tile
};

}  // namespace

Result<ImageHeader> read_tiff_header(Bytes bytes) {
  return read_tiff_page_header(bytes, 0);
}

Result<ImageHeader> read_tiff_page_header(Bytes bytes, int64_t page) {
  TiffFile file(bytes);
  FOREBAY_RETURN_IF_ERROR(file.open(page, ImageLimits().max_bytes));
  FOREBAY_ASSIGN_OR_RETURN(const TiffLayout layout, read_tiff_layout(file, bytes.size()));
  ImageHeader header = tiff_header_of(layout);
  header.page = page;
  header.rows_at = tiff_rows_in_one_piece(file, layout);
  if (header.rows_at != 0) {
    header.whole_image_bytes = 0;  // rows go from there to the output
  }
  return header;
}

Status decode_tiff(Bytes bytes, const ImageHeader& header, const BaseRequest& request) {
  if (header.rows_at != 0) {
    return put_stored_rows(bytes, header, request);
  }
  TiffFile file(bytes);
  FOREBAY_RETURN_IF_ERROR(file.open(header.page, request.options.limits.max_bytes));
  FOREBAY_ASSIGN_OR_RETURN(const TiffLayout layout, read_tiff_layout(file, bytes.size()));
  const ImageHeader again = tiff_header_of(layout);
  if (again.height != header.height || again.width != header.width || again.channels != header.channels ||
      base_dtype(again) != base_dtype(header)) {
    return data_loss("TIFF header changed while it was read");
  }
  if (layout.colours == TiffColours::kOther) {  // orientation is our work
    TIFFSetField(file.get(), TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  }
  return TiffDecoding(file, layout, header, request).run();
}

}  // namespace forebay::codec
