#include "forebay/codec/jpeg/jpeg_scan.h"

#include <algorithm>

#include "forebay/codec/jpeg/jpeg_trailer.h"

namespace forebay::codec {
namespace {

constexpr int kFirstRestartMarker = 0xD0;
/// The maximum for 8-bit pixels is eight times 128; the rest is tolerance for encoders with a coarse
/// transform.
constexpr int kMaxDc = 1024 + 32;

}  // namespace

int JpegScan::most_dc(const jpeg_component_info& component) {
  const int quantiser = component.quant_table == nullptr ? 1 : component.quant_table->quantval[0];
  return kMaxDc / std::max(quantiser, 1) + 1;
}

ScanDamage JpegScan::damage_or_end(const JpegBits& bits, ScanDamage damage) {
  const bool is_at_end = bits.left() < (damage == ScanDamage::kBadCode ? 16 : 0);
  return is_at_end ? ScanDamage::kEndsEarly : damage;
}

void JpegScan::start(const jpeg_decompress_struct& state, Bytes bytes) {
  bytes_ = bytes;
  bits_ = JpegBits(bytes);
  has_open_end_ = false;
  has_corrections_ = state.progressive_mode != 0 && state.Ah != 0;
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
  if (damage != ScanDamage::kNone || !is_done()) {
    return damage;
  }
  const bool is_open = is_at_open_end();
  const ScanDamage at_end = end_segment();
  has_open_end_ = is_open && at_end != ScanDamage::kTooManyEndedBlocks;
  return at_end;
}

/// Bytes of a trailer that is not known may have been read as image data behind a cut: what was read last
/// must not look like its end. Nor like filling where any bits may be the last: corrections, which are not
/// coded.
bool JpegScan::is_at_open_end() const {
  const Bytes behind = bits_.rest();
  if (!bits_.is_at_filling() || !is_nothing_of_the_image(behind)) {
    return false;
  }
  Bytes taken = bytes_.first(bytes_.size() - behind.size());
  while (!taken.empty() && taken.back() == std::byte{0xFF}) {  // fills in front of the marker
    taken = taken.first(taken.size() - 1);
  }
  return !ends_like_a_trailer(taken) && !(has_corrections_ && ends_in_stuffing(taken));
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
