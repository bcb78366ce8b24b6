// Decodes JPEG 2000 with OpenJPEG: a window by its tiles and code blocks, and halves, quarters and eighths of
// the size by leaving out the finest resolutions. OpenJPEG's memory is its own; the header's estimate counts
// its coefficients, pixels and tables.
#include <openjpeg.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "forebay/codec/base_rows.h"
#include "forebay/codec/format_decoder.h"
#include "forebay/codec/jpeg2000/jpeg2000_layout.h"
#include "forebay/memory/copy.h"

namespace forebay::codec {
namespace {

template <auto kFree>
struct FreeBy {
  template <class T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};

/// The compressed bytes, as OpenJPEG reads them.
struct Reading {
  Bytes bytes;
  size_t position = 0;

  static OPJ_SIZE_T read(void* to, OPJ_SIZE_T count, void* self) {
    Reading& reading = *static_cast<Reading*>(self);
    const size_t taken = std::min<size_t>(count, reading.bytes.size() - reading.position);
    if (taken == 0) {
      return static_cast<OPJ_SIZE_T>(-1);
    }
    memory::copy(to, reading.bytes.data() + reading.position, taken);
    reading.position += taken;
    return taken;
  }

  static OPJ_OFF_T skip(OPJ_OFF_T count, void* self) {
    Reading& reading = *static_cast<Reading*>(self);
    const auto rest = static_cast<OPJ_OFF_T>(reading.bytes.size() - reading.position);
    if (count < 0 || rest == 0) {
      return -1;
    }
    reading.position += static_cast<size_t>(std::min(count, rest));
    return std::min(count, rest);
  }

  static OPJ_BOOL seek(OPJ_OFF_T position, void* self) {
    Reading& reading = *static_cast<Reading*>(self);
    if (position < 0 || static_cast<size_t>(position) > reading.bytes.size()) {
      return OPJ_FALSE;
    }
    reading.position = static_cast<size_t>(position);
    return OPJ_TRUE;
  }
};

class Jpeg2000Decoding {
 public:
  Jpeg2000Decoding(Bytes bytes, const Jpeg2000Layout& layout, const ImageHeader& header,
                   const BaseRequest& request)
      : reading_{bytes},
        layout_(layout),
        header_(header),
        request_(request),
        window_(request.window),
        reduction_(3 - std::countr_zero(static_cast<unsigned>(request.options.scale_eighths))),
        gives_indices_(request.form == BaseForm::kIndex),
        is_ycc_(layout.colours == Jpeg2000Colours::kYcc && !gives_indices_),
        channels_(gives_indices_ || (is_ycc_ && request.form == BaseForm::kGray) ? 1 : header.channels),
        rows_(header, request, channels_, Luma::k15Bits) {}

  Status run() {
    if (reduction_ > 0 && (reduction_ > layout_.levels || layout_.left != 0 || layout_.top != 0)) {
      return unimplemented(
          "JPEG 2000 of {} smaller resolutions, beginning at ({}, {}), does not decode at {}/8",
          layout_.levels, layout_.top, layout_.left, request_.options.scale_eighths);
    }
    if (reduction_ > 0 && layout_.palette_channels > 0) {
      return unimplemented(
          "JPEG 2000 with a palette does not decode at {}/8: means of indices are no indices",
          request_.options.scale_eighths);
    }
    FOREBAY_RETURN_IF_ERROR(open());
    FOREBAY_RETURN_IF_ERROR(decode());
    FOREBAY_RETURN_IF_ERROR(check_image());
    if (gives_indices_) {
      return deliver<uint8_t>();
    }
    return header_.bit_depth > 8 ? deliver<uint16_t>() : deliver<uint8_t>();
  }

 private:
  static void on_error(const char* text, void* self) {
    std::string& complaint = static_cast<Jpeg2000Decoding*>(self)->complaint_;
    if (complaint.empty()) {
      complaint = text;
      complaint.erase(complaint.find_last_not_of(" \n") + 1);
    }
  }

  Status failure() const {
    return data_loss("JPEG 2000 is broken: {}", complaint_.empty() ? "OpenJPEG gives no cause" : complaint_);
  }

  Status open() {
    stream_.reset(opj_stream_default_create(OPJ_TRUE));
    codec_.reset(opj_create_decompress(layout_.is_boxed ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K));
    if (stream_ == nullptr || codec_ == nullptr) {
      return resource_exhausted("no memory for a JPEG 2000 decoder");
    }
    opj_stream_set_user_data(stream_.get(), &reading_, nullptr);
    opj_stream_set_user_data_length(stream_.get(), reading_.bytes.size());
    opj_stream_set_read_function(stream_.get(), &Reading::read);
    opj_stream_set_skip_function(stream_.get(), &Reading::skip);
    opj_stream_set_seek_function(stream_.get(), &Reading::seek);
    opj_set_error_handler(codec_.get(), &Jpeg2000Decoding::on_error, this);
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    parameters.cp_reduce = static_cast<OPJ_UINT32>(reduction_);
    if (gives_indices_) {
      parameters.flags |= OPJ_DPARAMETERS_IGNORE_PCLR_CMAP_CDEF_FLAG;
    }
    if (opj_setup_decoder(codec_.get(), &parameters) != OPJ_TRUE) {
      return internal_error("OpenJPEG refuses its parameters");
    }
    opj_image_t* image = nullptr;
    const bool is_read = opj_read_header(stream_.get(), codec_.get(), &image) == OPJ_TRUE;
    image_.reset(image);
    return is_read && image != nullptr ? ok_status() : failure();
  }

  /// On the reference grid, and where subsampled channels have a sample.
  Status decode() {
    int64_t step_x = 1;
    int64_t step_y = 1;
    for (const Jpeg2000Component& component : layout_.components) {
      step_x = std::max(step_x, component.step_x);
      step_y = std::max(step_y, component.step_y);
    }
    const int64_t right = layout_.left + layout_.width;
    const int64_t bottom = layout_.top + layout_.height;
    int64_t x = layout_.left + (window_.x << reduction_);
    int64_t y = layout_.top + (window_.y << reduction_);
    const int64_t end_x = std::min(x + (window_.width << reduction_) + step_x - 1, right);
    const int64_t end_y = std::min(y + (window_.height << reduction_) + step_y - 1, bottom);
    x = std::max(layout_.left, x - x % (step_x << reduction_));
    y = std::max(layout_.top, y - y % (step_y << reduction_));
    const bool is_whole = x == layout_.left && y == layout_.top && end_x == right && end_y == bottom;
    const auto at = [](int64_t value) { return static_cast<OPJ_INT32>(value); };
    if (!is_whole &&
        opj_set_decode_area(codec_.get(), image_.get(), at(x), at(y), at(end_x), at(end_y)) != OPJ_TRUE) {
      return failure();
    }
    const bool is_decoded = opj_decode(codec_.get(), stream_.get(), image_.get()) == OPJ_TRUE;
    return is_decoded && complaint_.empty() ? ok_status() : failure();
  }

  /// The component that gives the first channel.
  int first_component() const { return gives_indices_ ? layout_.index_component : 0; }

  Status check_image() const {
    const int first = first_component();
    const int end = first + (gives_indices_ ? 1 : header_.channels);
    if (image_->numcomps < static_cast<OPJ_UINT32>(end)) {
      return data_loss("JPEG 2000 has {} channels, not {} as its header says", image_->numcomps, end);
    }
    for (int c = first; c < end; ++c) {
      const opj_image_comp_t& plane = image_->comps[c];
      if (plane.data == nullptr || plane.w < 1 || plane.h < 1 || plane.prec < 1 || plane.prec > 16) {
        return data_loss("JPEG 2000 has no pixels of {} bits in channel {}", plane.prec, c);
      }
    }
    return ok_status();
  }

  /// A row of one channel, repeated where it is sampled less; colours are stretched to the base type.
  template <class T>
  void unpack(int64_t y, int channel, T* out) const {
    const opj_image_comp_t& plane = image_->comps[channel];
    const int64_t row = place_of(((layout_.top >> reduction_) + window_.y + y), plane.dy, plane.y0, plane.h);
    const OPJ_INT32* values = plane.data + row * plane.w;
    const int32_t most = static_cast<int32_t>((1U << plane.prec) - 1);
    const int32_t offset = plane.sgnd != 0 && !gives_indices_ ? 1 << (plane.prec - 1) : 0;
    const auto white = static_cast<int64_t>(static_cast<T>(~T{0}));
    const int64_t first = (layout_.left >> reduction_) + window_.x;
    const bool is_stretched = most != white && !gives_indices_;
    const bool is_plain = !is_stretched && plane.dx == 1;
    const int64_t begin = place_of(first, plane.dx, plane.x0, plane.w);
    if (is_plain && begin + window_.width <= plane.w) {
      for (int64_t x = 0; x < window_.width; ++x) {
        out[x * channels_] = static_cast<T>(std::clamp(values[begin + x] + offset, 0, most));
      }
      return;
    }
    for (int64_t x = 0; x < window_.width; ++x) {
      const int64_t column = place_of(first + x, plane.dx, plane.x0, plane.w);
      const int64_t value = std::clamp(values[column] + offset, 0, most);
      out[x * channels_] = static_cast<T>(is_stretched ? value * white / most : value);
    }
  }

  /// The sample of a plane for a pixel; `origin` is the plane's first at full resolution.
  int64_t place_of(int64_t pixel, int64_t step, int64_t origin, int64_t count) const {
    const int64_t first = (origin + (int64_t{1} << reduction_) - 1) >> reduction_;
    return std::clamp<int64_t>(pixel / step - first, 0, count - 1);
  }

  template <class T>
  Status deliver() {
    std::vector<std::byte> row(static_cast<size_t>(window_.width * rows_.pixel_bytes()));
    for (int64_t y = 0; y < window_.height; ++y) {
      std::byte* place = rows_.place(y);
      T* values = reinterpret_cast<T*>(place == nullptr ? row.data() : place);
      for (int c = 0; c < channels_; ++c) {
        unpack<T>(y, first_component() + c, values + c);
      }
      if (is_ycc_ && channels_ >= 3) {
        make_colours(values);
      }
      if (place == nullptr) {
        FOREBAY_RETURN_IF_ERROR(rows_.put(y, row.data()));
      }
    }
    return ok_status();
  }

  /// sYCC is YCbCr of the whole range (IEC 61966-2-1 annex G).
  template <class T>
  void make_colours(T* pixel) const {
    constexpr float kWhite = static_cast<float>(static_cast<T>(~T{0}));
    constexpr float kMiddle = static_cast<float>((static_cast<T>(~T{0}) >> 1) + 1);
    const auto rounded = [kWhite](float value) {
      return static_cast<T>(std::clamp(value, 0.0F, kWhite) + 0.5F);
    };
    for (int64_t x = 0; x < window_.width; ++x, pixel += channels_) {
      const auto luma = static_cast<float>(pixel[0]);
      const float blue = static_cast<float>(pixel[1]) - kMiddle;
      const float red = static_cast<float>(pixel[2]) - kMiddle;
      pixel[0] = rounded(luma + 1.402F * red);
      pixel[1] = rounded((luma - 0.344136F * blue) - 0.714136F * red);
      pixel[2] = rounded(luma + 1.772F * blue);
    }
  }

  Reading reading_;
  const Jpeg2000Layout& layout_;
  const ImageHeader& header_;
  const BaseRequest& request_;
  const Window window_;
  const int reduction_;
  const bool gives_indices_;
  const bool is_ycc_;
  const int channels_;
  BaseRows rows_;
  std::string complaint_;
  std::unique_ptr<opj_stream_t, FreeBy<opj_stream_destroy>> stream_;
  std::unique_ptr<opj_codec_t, FreeBy<opj_destroy_codec>> codec_;
  std::unique_ptr<opj_image_t, FreeBy<opj_image_destroy>> image_;
};

}  // namespace

Status decode_jpeg2000(Bytes bytes, const ImageHeader& header, const BaseRequest& request) {
  FOREBAY_ASSIGN_OR_RETURN(const Jpeg2000Layout layout, read_jpeg2000_layout(bytes));
  if (layout.height != header.height || layout.width != header.width ||
      layout.channels() != header.channels) {
    return data_loss("JPEG 2000 header changed while it was read");
  }
  return Jpeg2000Decoding(bytes, layout, header, request).run();
}

}  // namespace forebay::codec
