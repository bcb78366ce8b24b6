#include "forebay/codec/bmp/bmp_run_length.h"

#include <algorithm>
#include <array>

namespace forebay::codec {
namespace {

class BmpRuns {
 public:
  BmpRuns(Bytes bytes, const BmpLayout& layout, std::span<uint8_t> pixels)
      : bytes_(bytes),
        position_(layout.data_at),
        width_(layout.width),
        height_(layout.height),
        coding_(layout.coding),
        pixels_(pixels) {}

  Status run() {
    std::ranges::fill(pixels_, uint8_t{0});
    while (!is_over_) {
      FOREBAY_RETURN_IF_ERROR(need(2));
      const int count = take();
      FOREBAY_RETURN_IF_ERROR(count > 0 ? repeat(count) : escape(take()));
    }
    return ok_status();
  }

 private:
  Status need(size_t count) const {
    return bytes_.size() - position_ >= count
               ? ok_status()
               : data_loss("BMP is truncated at byte {} in row {} of its runs", bytes_.size(), y_);
  }

  int take() { return static_cast<int>(bytes_[position_++]); }

  size_t value_bytes() const { return coding_ == BmpCoding::kRunLength24 ? 3 : 1; }

  Result<uint8_t*> room(int count) {
    if (y_ >= height_ || count > width_ - x_) {
      return data_loss("BMP has a run of {} pixels near byte {} that leaves the image at row {}", count,
                       position_, y_);
    }
    uint8_t* place = pixels_.data() + (y_ * width_ + x_) * static_cast<int64_t>(value_bytes());
    x_ += count;
    return place;
  }

  Status repeat(int count) {
    FOREBAY_RETURN_IF_ERROR(need(value_bytes()));
    FOREBAY_ASSIGN_OR_RETURN(uint8_t * out, room(count));
    if (coding_ == BmpCoding::kRunLength24) {
      const std::array<uint8_t, 3> colour = {static_cast<uint8_t>(take()), static_cast<uint8_t>(take()),
                                             static_cast<uint8_t>(take())};
      for (int i = 0; i < count; ++i) {
        out = std::ranges::copy(colour, out).out;
      }
      return ok_status();
    }
    const int value = take();
    const bool is_half = coding_ == BmpCoding::kRunLength4;
    const std::array<int, 2> values = {is_half ? value >> 4 : value, is_half ? value & 15 : value};
    for (int i = 0; i < count; ++i) {
      out[i] = static_cast<uint8_t>(values[i % 2]);
    }
    return ok_status();
  }

  Status escape(int code) {
    if (code == 0) {
      x_ = 0;
      ++y_;
      return ok_status();
    }
    if (code == 1) {
      is_over_ = true;
      return ok_status();
    }
    return code == 2 ? move() : literal(code);
  }

  Status move() {
    FOREBAY_RETURN_IF_ERROR(need(2));
    x_ += take();
    y_ += take();
    if (x_ > width_ || y_ > height_) {
      return data_loss("BMP moves out of the image near byte {}, to row {}, column {}", position_, y_, x_);
    }
    return ok_status();
  }

  Status literal(int count) {
    const bool is_half = coding_ == BmpCoding::kRunLength4;
    const size_t taken =
        is_half ? (static_cast<size_t>(count) + 1) / 2 : static_cast<size_t>(count) * value_bytes();
    FOREBAY_RETURN_IF_ERROR(need(taken + taken % 2));
    FOREBAY_ASSIGN_OR_RETURN(uint8_t * out, room(count));
    for (size_t i = 0; i < taken; ++i) {
      const int value = take();
      if (!is_half) {
        *out++ = static_cast<uint8_t>(value);
        continue;
      }
      *out++ = static_cast<uint8_t>(value >> 4);
      if (2 * i + 1 < static_cast<size_t>(count)) {
        *out++ = static_cast<uint8_t>(value & 15);
      }
    }
    position_ += taken % 2;
    return ok_status();
  }

  Bytes bytes_;
  size_t position_;
  const int64_t width_;
  const int64_t height_;
  const BmpCoding coding_;
  std::span<uint8_t> pixels_;
  int64_t x_ = 0;
  int64_t y_ = 0;
  bool is_over_ = false;
};

}  // namespace

Status unpack_bmp_runs(Bytes bytes, const BmpLayout& layout, std::span<uint8_t> pixels) {
  return BmpRuns(bytes, layout, pixels).run();
}

}  // namespace forebay::codec
