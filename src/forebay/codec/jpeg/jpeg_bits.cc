#include "forebay/codec/jpeg/jpeg_bits.h"

namespace forebay::codec {
namespace {

constexpr uint8_t kMarkerPrefix = 0xFF;

}  // namespace

std::string_view describe(ScanDamage damage) {
  switch (damage) {
    case ScanDamage::kBadCode:
      return "bits that are no Huffman code";
    case ScanDamage::kTooManyCoefficients:
      return "a run of zeros beyond the last coefficient";
    case ScanDamage::kTooManyEndedBlocks:
      return "a run of blocks beyond the last block";
    case ScanDamage::kDcOutOfRange:
      return "a block whose mean is out of range";
    case ScanDamage::kEndsEarly:
      return "image data ends before the last block";
    case ScanDamage::kExtraneousBytes:
      return "data behind the last block";
    case ScanDamage::kWrongRestart:
      return "not the restart marker that is due";
    case ScanDamage::kNone:
      break;
  }
  return "no damage";
}

JpegBits::JpegBits(Bytes bytes)
    : next_(reinterpret_cast<const uint8_t*>(bytes.data())), end_(next_ + bytes.size()) {
  find_plain_end();
}

void JpegBits::find_plain_end() {
  const void* prefix = next_ == end_ ? nullptr : std::memchr(next_, kMarkerPrefix, end_ - next_);
  plain_end_ = prefix == nullptr ? end_ : static_cast<const uint8_t*>(prefix);
}

void JpegBits::add_byte(uint8_t byte) {
  bits_ |= uint64_t{byte} << (56 - count_);
  count_ += 8;
}

const uint8_t* JpegBits::behind_prefix() const {
  const uint8_t* at = next_;
  while (at < end_ && *at == kMarkerPrefix) {
    ++at;
  }
  return at;
}

JpegBits JpegBits::filled_by_bytes(JpegBits bits) {
  while (bits.count_ <= 56) {
    if (bits.next_ < bits.plain_end_) {
      bits.add_byte(*bits.next_++);
      continue;
    }
    const uint8_t* behind = bits.behind_prefix();
    if (bits.next_ < bits.end_ && behind < bits.end_ && *behind == 0) {
      bits.add_byte(kMarkerPrefix);
      bits.next_ = behind + 1;
      bits.find_plain_end();
      continue;
    }
    // At a marker. It may begin with many 0xFF bytes, which are skipped once.
    bits.next_ = behind > bits.next_ ? behind - 1 : bits.next_;
    bits.add_byte(0);
    bits.made_up_ += 8;
  }
  return bits;
}

ScanDamage JpegBits::end_segment() {
  int whole_bytes = left() / 8;
  drop(left() % 8);
  for (; whole_bytes > 0; --whole_bytes) {
    if (peek(8) != 0) {
      return ScanDamage::kExtraneousBytes;
    }
    drop(8);
  }
  while (next_ < end_ && *next_ == 0) {
    ++next_;
  }
  const uint8_t* behind = behind_prefix();
  if (behind == end_) {
    return ScanDamage::kEndsEarly;
  }
  if (behind == next_ || *behind == 0) {
    return ScanDamage::kExtraneousBytes;
  }
  next_ = behind - 1;
  return ScanDamage::kNone;
}

bool JpegBits::take_marker(int marker) {
  if (next_[1] != marker) {
    return false;
  }
  next_ += 2;
  bits_ = 0;
  count_ = 0;
  made_up_ = 0;
  find_plain_end();
  return true;
}

}  // namespace forebay::codec
