// Decodes JPEG with libjpeg-turbo. For a window it skips the rows above, decodes only the blocks of its
// columns (jpeg_crop_scanline, widened if chroma upsampling needs neighbours), and stops below.
#include <algorithm>
#include <span>

#include "forebay/codec/format_decoder.h"
#include "forebay/codec/jpeg/jpeg_reader.h"
#include "forebay/memory/copy.h"

namespace forebay::codec {
namespace {

constexpr int kMaxRowsPerCall = 4;

/// Converts four channels to the requested form; `inverted` as Adobe stores them. Truncates like DALI.
void convert_cmyk_row(const uint8_t* in, uint8_t* out, int64_t count, BaseForm form, bool inverted) {
  const auto ink = [inverted](int value) { return inverted ? value : 255 - value; };
  for (int64_t i = 0; i < count; ++i, in += 4) {
    const int black = ink(in[3]);
    const int red = black * ink(in[0]) / 255;
    const int green = black * ink(in[1]) / 255;
    const int blue = black * ink(in[2]) / 255;
    if (form == BaseForm::kGray) {
      const float luma = (0.299F * static_cast<float>(red) + 0.587F * static_cast<float>(green)) +
                         0.114F * static_cast<float>(blue);
      *out++ = static_cast<uint8_t>(luma);
      continue;
    }
    out[0] = static_cast<uint8_t>(form == BaseForm::kRgb ? red : blue);
    out[1] = static_cast<uint8_t>(green);
    out[2] = static_cast<uint8_t>(form == BaseForm::kRgb ? blue : red);
    out += 3;
  }
}

class JpegDecoding {
 public:
  JpegDecoding(JpegReader& reader, const ImageHeader& header, const BaseRequest& request)
      : reader_(reader),
        state_(reader.state()),
        header_(header),
        request_(request),
        window_(request.window) {}

  Status run(Bytes bytes) {
    FOREBAY_RETURN_IF_ERROR(reader_.open(bytes, request_.options.limits));
    if (state_.image_height != header_.height || state_.image_width != header_.width ||
        state_.num_components != header_.channels) {
      return data_loss("JPEG frame is {}x{}x{}, not {}x{}x{} as its first header says", state_.image_height,
                       state_.image_width, state_.num_components, header_.height, header_.width,
                       header_.channels);
    }
    FOREBAY_RETURN_IF_ERROR(start());
    FOREBAY_RETURN_IF_ERROR(enter_window());
    FOREBAY_RETURN_IF_ERROR(read_rows());
    return finish();
  }

 private:
  J_COLOR_SPACE wanted_colours() const {
    if (has_inks_) {
      return JCS_CMYK;
    }
    switch (request_.form) {
      case BaseForm::kGray:
        return JCS_GRAYSCALE;
      case BaseForm::kBgr:
        return JCS_EXT_BGR;
      case BaseForm::kAny:
        return header_.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
      case BaseForm::kRgb:
      case BaseForm::kIndex:  // not asked of JPEG
        break;
    }
    return JCS_RGB;
  }

  Status start() {
    has_inks_ = state_.jpeg_color_space == JCS_CMYK || state_.jpeg_color_space == JCS_YCCK;
    converts_inks_ = has_inks_ && request_.form != BaseForm::kAny;
    state_.out_color_space = wanted_colours();
    state_.dct_method = JDCT_ISLOW;
    state_.do_fancy_upsampling = request_.options.fancy_upsampling ? TRUE : FALSE;
    state_.scale_num = static_cast<unsigned>(request_.options.scale_eighths);
    state_.scale_denom = 8;
    FOREBAY_RETURN_IF_ERROR(reader_.guarded([this] { jpeg_start_decompress(&state_); }));
    if (window_.y + window_.height > state_.output_height ||
        window_.x + window_.width > state_.output_width) {
      return internal_error("window outside of the {}x{} image", state_.output_height, state_.output_width);
    }
    return ok_status();
  }

  /// Whether all channels have equal sampling, or chroma is sampled once for 1, 2 or 4 luma samples in each
  /// direction: what all cameras and encoders write. For anything else libjpeg's windows are not trusted.
  bool has_usual_sampling() const {
    const jpeg_component_info& luma = state_.comp_info[0];
    bool is_common = luma.h_samp_factor != 3 && luma.v_samp_factor != 3;
    bool is_alike = true;
    for (int i = 1; i < state_.num_components; ++i) {
      const jpeg_component_info& channel = state_.comp_info[i];
      const bool is_like_luma =
          channel.h_samp_factor == luma.h_samp_factor && channel.v_samp_factor == luma.v_samp_factor;
      const bool is_single = channel.h_samp_factor == 1 && channel.v_samp_factor == 1;
      is_alike = is_alike && is_like_luma;
      is_common = is_common && (i == 3 ? is_like_luma : is_single);
    }
    return is_common || is_alike;
  }

  /// Whether scans of a progressive image are missing; known once all that are there are read. libjpeg then
  /// smooths blocks by their neighbours, and at the edge of a window would take others than in the whole
  /// image.
  bool is_incomplete() const {
    if (state_.progressive_mode == 0) {
      return false;
    }
    const std::span all(state_.coef_bits[0], static_cast<size_t>(state_.num_components) * DCTSIZE2);
    return std::ranges::any_of(all, [](int unknown_bits) { return unknown_bits != 0; });
  }

  /// Whether libjpeg's windows have the bits of the whole image; else rows are decoded whole, and cut.
  bool trusts_windows() const { return has_usual_sampling() && !is_incomplete(); }

  /// Columns next to the window that upsampling may read: one chroma sample on each side.
  int64_t margin() const { return state_.max_h_samp_factor == 1 ? 0 : state_.max_h_samp_factor; }

  /// libjpeg-turbo 2.1's jpeg_crop_scanline miscounts chroma columns of scaled images with fourfold sampling.
  bool can_crop() const {
    return trusts_windows() && (request_.options.scale_eighths == 8 || state_.max_h_samp_factor <= 2);
  }

  Status enter_window() {
    const int64_t left = std::max<int64_t>(0, window_.x - margin());
    const int64_t right = std::min<int64_t>(state_.output_width, window_.x + window_.width + margin());
    const bool has_all_columns = left == 0 && right == state_.output_width;
    if (!has_all_columns && can_crop()) {
      crop_x_ = static_cast<JDIMENSION>(left);
      crop_width_ = static_cast<JDIMENSION>(right - left);
      FOREBAY_RETURN_IF_ERROR(
          reader_.guarded([this] { jpeg_crop_scanline(&state_, &crop_x_, &crop_width_); }));
    }
    return window_.y == 0 ? ok_status() : skip_rows();
  }

  /// Without fancy upsampling, libjpeg-turbo may upsample and convert colours in one step, and version 2.1
  /// then writes out of bounds when it skips rows: decode and discard them instead.
  Status skip_rows() {
    if (state_.do_fancy_upsampling && trusts_windows()) {
      return reader_.guarded([this] { jpeg_skip_scanlines(&state_, static_cast<JDIMENSION>(window_.y)); });
    }
    return discard_rows(static_cast<JDIMENSION>(window_.y));
  }

  /// Decodes rows up to `end` for nothing.
  Status discard_rows(JDIMENSION end) {
    const size_t row_bytes = static_cast<size_t>(state_.output_width) * state_.output_components;
    pointers_[0] = reinterpret_cast<JSAMPROW>(reader_.row_memory(1, row_bytes));
    rows_read_ = 1;
    FOREBAY_RETURN_IF_ERROR(reader_.guarded([this, end] {
      while (state_.output_scanline < end && rows_read_ > 0) {
        rows_read_ = jpeg_read_scanlines(&state_, pointers_, 1);
      }
    }));
    return rows_read_ > 0
               ? ok_status()
               : internal_error("libjpeg stopped at row {} without an error", state_.output_scanline);
  }

  Status read_rows() {
    const int channels = state_.output_components;
    const size_t row_bytes = static_cast<size_t>(state_.output_width) * static_cast<size_t>(channels);
    const bool in_place =
        request_.direct != nullptr && !converts_inks_ && state_.output_width == window_.width;
    const int64_t skipped_bytes = (window_.x - crop_x_) * channels;
    // The last row holds results of converting the others.
    const size_t pitch = JpegReader::row_pitch(std::max(row_bytes, static_cast<size_t>(window_.width) * 3));
    std::byte* rows = in_place ? nullptr : reader_.row_memory(kMaxRowsPerCall + 1, pitch);
    converted_ = in_place ? nullptr : reinterpret_cast<uint8_t*>(rows + pitch * kMaxRowsPerCall);
    const int64_t rows_per_call = std::clamp(state_.rec_outbuf_height, 1, kMaxRowsPerCall);
    for (int64_t y = 0; y < window_.height;) {
      const int64_t wanted = std::min(rows_per_call, window_.height - y);
      for (int64_t i = 0; i < wanted; ++i) {
        std::byte* row = in_place ? request_.direct + (y + i) * request_.pitch_bytes : rows + i * pitch;
        pointers_[i] = reinterpret_cast<JSAMPROW>(row);
      }
      FOREBAY_RETURN_IF_ERROR(reader_.guarded([this, wanted] {
        rows_read_ = jpeg_read_scanlines(&state_, pointers_, static_cast<JDIMENSION>(wanted));
      }));
      if (rows_read_ == 0) {
        return internal_error("libjpeg stopped at row {} without an error", window_.y + y);
      }
      for (int64_t i = 0; i < rows_read_ && !in_place; ++i) {
        FOREBAY_RETURN_IF_ERROR(deliver(y + i, pointers_[i] + skipped_bytes));
      }
      y += rows_read_;
    }
    return ok_status();
  }

  /// Reads up to the end marker if there are no rows below the window. Without one, the rows below are read
  /// too: they tell whether the file is whole, and errors must not depend on the window. Of an image in
  /// several scans all has been read when it was started.
  Status finish() {
    if (state_.output_scanline < state_.output_height) {
      if (reader_.has_end_marker() || jpeg_has_multiple_scans(&state_) != FALSE) {
        return ok_status();
      }
      FOREBAY_RETURN_IF_ERROR(discard_rows(state_.output_height));
    }
    return reader_.guarded([this] { jpeg_finish_decompress(&state_); });
  }

  Status deliver(int64_t y, const uint8_t* row) {
    std::byte* target = request_.direct == nullptr ? nullptr : request_.direct + y * request_.pitch_bytes;
    if (converts_inks_) {
      uint8_t* converted = target == nullptr ? converted_ : reinterpret_cast<uint8_t*>(target);
      convert_cmyk_row(row, converted, window_.width, request_.form, state_.saw_Adobe_marker != 0);
      return target == nullptr ? request_.sink(y, converted) : ok_status();
    }
    if (target == nullptr) {
      return request_.sink(y, row);
    }
    memory::copy(target, row,
                 static_cast<size_t>(window_.width) * static_cast<size_t>(state_.output_components));
    return ok_status();
  }

  JpegReader& reader_;
  jpeg_decompress_struct& state_;
  const ImageHeader& header_;
  const BaseRequest& request_;
  const Window window_;
  bool has_inks_ = false;
  bool converts_inks_ = false;
  JDIMENSION crop_x_ = 0;
  JDIMENSION crop_width_ = 0;
  JDIMENSION rows_read_ = 0;
  JSAMPROW pointers_[kMaxRowsPerCall] = {};
  uint8_t* converted_ = nullptr;
};

}  // namespace

Status decode_jpeg(Bytes bytes, const ImageHeader& header, const BaseRequest& request) {
  JpegReader& reader = JpegReader::of_this_thread();
  Status status = JpegDecoding(reader, header, request).run(bytes);
  reader.close();
  return status;
}

}  // namespace forebay::codec
