#include "forebay/codec/jpeg/jpeg_scan.h"

#include <algorithm>

namespace forebay::codec {
namespace {

constexpr int kFirstRestartMarker = 0xD0;
/// The maximum for 8-bit pixels is eight times 128; the rest is tolerance for encoders with a coarse
/// transform.
constexpr int kMostDc = 1024 + 32;

constexpr auto kPrefix = std::byte{0xFF};
constexpr int kNoMarker = -1;
constexpr int kStartOfImage = 0xD8;
constexpr int kEndOfImage = 0xD9;

/// The first marker that is not one of restart, which left-over image data may have.
int first_marker(Bytes bytes) {
  for (size_t i = 0; i + 1 < bytes.size(); ++i) {
    const int code = static_cast<int>(bytes[i + 1]);
    const bool is_restart = code >= kFirstRestartMarker && code < kFirstRestartMarker + 8;
    if (bytes[i] == kPrefix && code != 0 && code != 0xFF && !is_restart) {
      return code;
    }
  }
  return kNoMarker;
}

/// How many of the last bytes are zero, without one that is stuffed.
size_t zeros_at_end(Bytes bytes) {
  size_t first = bytes.size();
  while (first > 0 && bytes[first - 1] == std::byte{0}) {
    --first;
  }
  const bool is_stuffed = first > 0 && bytes[first - 1] == kPrefix;
  const size_t zeros = bytes.size() - first;
  return is_stuffed && zeros > 0 ? zeros - 1 : zeros;
}

/// Markers that no image has behind its image data: those of another image, and reserved ones.
bool is_foreign(int marker) {
  return marker == kStartOfImage || (marker > 0x01 && marker < 0xC0);
}

}  // namespace

int JpegScan::most_dc(const jpeg_component_info& component) {
  const int quantiser = component.quant_table == nullptr ? 1 : component.quant_table->quantval[0];
  return kMostDc / std::max(quantiser, 1) + 1;
}

ScanDamage JpegScan::damage_or_end(const JpegBits& bits, ScanDamage damage) {
  const bool is_at_end = bits.left() < (damage == ScanDamage::kBadCode ? 16 : 0);
  return is_at_end ? ScanDamage::kEndsEarly : damage;
}

void JpegScan::start(const jpeg_decompress_struct& state, Bytes bytes) {
  bytes_ = bytes;
  bits_ = JpegBits(bytes);
  has_open_end_ = false;
  mcus_left_ = uint64_t{state.MCUs_per_row} * state.MCU_rows_in_scan;
  restart_interval_ = state.restart_interval;
  mcus_to_restart_ = restart_interval_;
  next_restart_ = 0;
  prepare(state);
}

ScanDamage JpegScan::decode_mcu(JBLOCKROW* blocks) {
  if (restart_interval_ != 0 && mcus_to_restart_-- == 0) {
    if (const ScanDamage damage = restart(); damage != ScanDamage::kNone) {
      return damage;
    }
  }
  --mcus_left_;
  const ScanDamage damage = decode_blocks(blocks);
  return damage == ScanDamage::kNone && is_done() ? end_scan() : damage;
}

ScanDamage JpegScan::end_scan() {
  const JpegBits at_end = bits_;
  const ScanDamage damage = end_segment();
  if (damage == ScanDamage::kNone) {
    has_open_end_ = is_foreign(static_cast<int>(rest()[1]));
  } else if (damage == ScanDamage::kEndsEarly || damage == ScanDamage::kExtraneousBytes) {
    return end_without_marker(at_end, damage);
  }
  return damage;
}

/// Data that is left over because of damage goes up to an end marker: anything else may be a trailer. Of a
/// file that was cut off, what follows may have been taken for image data: zeros were if they go on behind
/// it, and other bytes seldom leave a filling of ones.
ScanDamage JpegScan::end_without_marker(const JpegBits& at_end, ScanDamage damage) {
  const Bytes behind = at_end.behind();
  const bool zeros_follow = !behind.empty() && behind.front() == std::byte{0};
  if (!at_end.is_at_filling(behind.empty() || zeros_follow) || first_marker(behind) == kEndOfImage) {
    return damage;
  }
  const Bytes taken = bytes_.first(bytes_.size() - std::min(behind.size(), bytes_.size()));
  const size_t zeros = zeros_at_end(taken);
  if (zeros > 0 && zeros_follow) {
    bits_ = JpegBits(bytes_.subspan(taken.size() - zeros));
    return ScanDamage::kZerosAtEnd;
  }
  has_open_end_ = true;
  return damage;
}

ScanDamage JpegScan::end_segment() {
  const ScanDamage damage = end_interval();
  return damage == ScanDamage::kNone ? bits_.end_segment() : damage;
}

ScanDamage JpegScan::restart() {
  if (const ScanDamage damage = end_segment(); damage != ScanDamage::kNone) {
    return damage;
  }
  if (!bits_.take_marker(kFirstRestartMarker + next_restart_)) {
    return ScanDamage::kWrongRestart;
  }
  next_restart_ = (next_restart_ + 1) % 8;
  mcus_to_restart_ = restart_interval_ - 1;
  return ScanDamage::kNone;
}

}  // namespace forebay::codec
