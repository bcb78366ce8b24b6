#include "forebay/dataset/fits/fits_rice.h"

#include <algorithm>
#include <bit>

namespace forebay::dataset {
namespace {

/// Reads bits, the highest first.
class HighBits {
 public:
  explicit HighBits(Bytes bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }

  /// `count`: at most 32.
  uint32_t take(int count) {
    fill(count);
    held_ -= count;
    return static_cast<uint32_t>(word_ >> held_ & ((uint64_t{1} << count) - 1));
  }

  /// The number of zeros before the next one, both taken.
  uint32_t zeros() {
    uint32_t count = 0;
    while (!failed_) {
      fill(1);
      const uint64_t held = word_ & ((uint64_t{1} << held_) - 1);
      const int leading = held_ - static_cast<int>(std::bit_width(held));
      count += static_cast<uint32_t>(leading);
      held_ -= leading;
      if (held != 0) {
        --held_;
        return count;
      }
    }
    return 0;
  }

 private:
  void fill(int count) {
    while (held_ < count) {
      if (next_ == bytes_.size()) {
        failed_ = true;
        held_ = 64 - 8;  // zeros from here on
        word_ = 0;
        return;
      }
      word_ = word_ << 8 | static_cast<uint64_t>(bytes_[next_++]);
      held_ += 8;
    }
  }

  Bytes bytes_;
  size_t next_ = 0;
  uint64_t word_ = 0;
  int held_ = 0;  // the low bits of word_ that are still to be taken
  bool failed_ = false;
};

struct RiceCode {
  int bits;        // of a value
  int width_bits;  // of a block's width
  int most;        // the width from which on differences are stored as they are
};

RiceCode code_of(int value_bytes) {
  return value_bytes == 1 ? RiceCode{8, 3, 6} : value_bytes == 2 ? RiceCode{16, 4, 14} : RiceCode{32, 5, 25};
}

int32_t value_of_bits(uint32_t bits, int value_bytes) {
  return value_bytes == 1   ? static_cast<int32_t>(bits & 0xFF)
         : value_bytes == 2 ? static_cast<int16_t>(bits)
                            : static_cast<int32_t>(bits);
}

}  // namespace

Status unpack_rice(Bytes packed, int value_bytes, int64_t block, std::span<int32_t> out) {
  const RiceCode code = code_of(value_bytes);
  HighBits bits(packed);
  uint32_t last = bits.take(code.bits);
  for (size_t begin = 0; begin < out.size() && !bits.failed();) {
    const size_t end = begin + std::min<size_t>(static_cast<size_t>(block), out.size() - begin);
    const int width = static_cast<int>(bits.take(code.width_bits)) - 1;
    for (size_t i = begin; i < end; ++i) {
      uint32_t coded = 0;
      if (width == code.most) {
        coded = bits.take(code.bits);
      } else if (width >= 0) {
        const uint32_t high = bits.zeros();
        coded = (width == 0 ? high : high << width) | bits.take(width);
      }
      last += (coded & 1) != 0 ? ~(coded >> 1) : coded >> 1;
      out[i] = value_of_bits(last, value_bytes);
    }
    begin = end;
    if (width > code.most) {
      return data_loss("a tile of a FITS image has differences of {} bits", width);
    }
  }
  return bits.failed() ? data_loss("a tile of a FITS image ends early") : ok_status();
}

}  // namespace forebay::dataset
