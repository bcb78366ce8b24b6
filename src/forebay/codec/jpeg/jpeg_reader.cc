#include "forebay/codec/jpeg/jpeg_reader.h"

#include <jerror.h>
#include <jpegint.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

#include "forebay/base/round_up.h"
#include "forebay/codec/byte_text.h"
#include "forebay/codec/jpeg/jpeg_trailer.h"

namespace forebay::codec {
namespace {

/// Marks tables as unset with values that the standard does not use: `bits[0]` would count codes of no bits,
/// and a quantiser of 0 is invalid.
constexpr UINT8 kOldHuffman = 0xAA;
constexpr UINT16 kOldQuantiser = 0;

/// Read in place of one that is missing.
constexpr std::array kEndMarker = {std::byte{0xFF}, std::byte{0xD9}};

constexpr size_t kCacheLine = 64;

/// libjpeg-turbo writes colour rows that begin at a vector boundary past the cache. That suits an image that
/// is not read soon, but not rows that are resized at once (it costs a twelfth of a sample's time).
constexpr size_t kOffTheVector = 8;

/// Whether an end marker behind `first` ends the file, but for zeros: the usual case, which needs no search.
bool ends_in_marker(Bytes jpeg, size_t first) {
  const std::string_view text = text_in(jpeg.subspan(first));
  return text.substr(0, text.find_last_not_of('\0') + 1).ends_with(text_in(kEndMarker));
}

}  // namespace

JpegReader& JpegReader::of_this_thread() {
  thread_local JpegReader reader;
  return reader;
}

JpegReader::JpegReader() {
  state_.err = jpeg_std_error(&errors_);
  errors_.error_exit = on_error;
  errors_.emit_message = on_message;
  source_.init_source = ignore;
  source_.fill_input_buffer = on_end_of_input;
  source_.skip_input_data = skip_input;
  source_.resync_to_restart = jpeg_resync_to_restart;
  source_.term_source = ignore;
  progress_.progress_monitor = on_progress;
  create();
}

JpegReader::~JpegReader() {
  jpeg_destroy_decompress(&state_);
}

void JpegReader::create() {
  state_.client_data = this;  // jpeg_create_decompress preserves it and `err`
  // Can only fail for lack of memory, before the first image.
  const Status status = guarded([this] { jpeg_create_decompress(&state_); });
  FOREBAY_CHECK(status.ok());
  state_.src = &source_;
  state_.progress = &progress_;
  realize_others_ = state_.mem->realize_virt_arrays;
  state_.mem->request_virt_barray = request_array;
  state_.mem->realize_virt_arrays = realize_arrays;
  state_.mem->access_virt_barray = access_array;
}

Status JpegReader::open(Bytes bytes, const ImageLimits& limits) {
  bytes_ = bytes;
  file_bytes_ = bytes.size();
  has_end_marker_ = true;
  scanned_components_ = 0;
  limits_ = limits;
  blocks_scanned_ = 0;
  mark_tables_as_old();
  set_source(bytes);
  const Status status = guarded([this] { jpeg_read_header(&state_, TRUE); });
  if (has_old_tables()) {
    // This image omits a table that an earlier one defined; its result must not depend on that.
    jpeg_destroy_decompress(&state_);
    create();
    set_source(bytes);
    FOREBAY_RETURN_IF_ERROR(guarded([this] { jpeg_read_header(&state_, TRUE); }));
  } else if (!status.ok()) {
    return status;
  }
  const auto max_long = static_cast<uint64_t>(std::numeric_limits<long>::max());
  state_.mem->max_memory_to_use = static_cast<long>(std::clamp<uint64_t>(limits.max_bytes, 1, max_long));
  return look_for_end();
}

void JpegReader::close() {
  jpeg_abort_decompress(&state_);
  arrays_.clear();
}

size_t JpegReader::row_pitch(size_t row_bytes) {
  return round_up(row_bytes, kCacheLine);
}

std::byte* JpegReader::row_memory(size_t count, size_t row_bytes) {
  const size_t bytes = count * row_pitch(row_bytes) + 2 * kCacheLine;
  if (rows_.size() < bytes) {
    rows_.resize(bytes);
  }
  const auto address = reinterpret_cast<uintptr_t>(rows_.data());
  return rows_.data() + (kCacheLine - address % kCacheLine) + kOffTheVector;
}

void JpegReader::set_source(Bytes bytes) {
  source_.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
  source_.bytes_in_buffer = bytes.size();
}

void JpegReader::mark_tables_as_old() {
  for (int i = 0; i < NUM_QUANT_TBLS; ++i) {
    if (state_.quant_tbl_ptrs[i] != nullptr) {
      state_.quant_tbl_ptrs[i]->quantval[0] = kOldQuantiser;
    }
  }
  for (int i = 0; i < NUM_HUFF_TBLS; ++i) {
    for (JHUFF_TBL* table : {state_.dc_huff_tbl_ptrs[i], state_.ac_huff_tbl_ptrs[i]}) {
      if (table != nullptr) {
        table->bits[0] = kOldHuffman;
      }
    }
  }
}

bool JpegReader::has_old_tables() const {
  for (int i = 0; i < NUM_QUANT_TBLS; ++i) {
    if (state_.quant_tbl_ptrs[i] != nullptr && state_.quant_tbl_ptrs[i]->quantval[0] == kOldQuantiser) {
      return true;
    }
  }
  for (int i = 0; i < NUM_HUFF_TBLS; ++i) {
    for (const JHUFF_TBL* table : {state_.dc_huff_tbl_ptrs[i], state_.ac_huff_tbl_ptrs[i]}) {
      if (table != nullptr && table->bits[0] == kOldHuffman) {
        return true;
      }
    }
  }
  return false;
}

/// Searches the end marker from the end, and not before the image data, where a thumbnail may have one.
/// Otherwise a window that ends early would not notice a truncated file, and errors would depend on the
/// window. Nor in a known trailer, where its bytes occur by chance. Without a marker, what is known to follow
/// image data is left out.
Status JpegReader::look_for_end() {
  const size_t first = offset_bytes();
  if (ends_in_marker(bytes_, first)) {
    return ok_status();
  }
  const size_t trailer = begin_of_trailer(bytes_, first);
  if (text_in(bytes_.subspan(first, trailer - first)).rfind(text_in(kEndMarker)) != std::string_view::npos) {
    return ok_status();
  }
  if (state_.arith_code != 0) {  // libjpeg does not tell where the data of these ends
    return data_loss("JPEG is truncated at byte {}: its end marker is missing", file_bytes_);
  }
  has_end_marker_ = false;
  bytes_ = bytes_.first(end_before_filling(bytes_.first(trailer), first));
  set_source(bytes_.subspan(first));
  return ok_status();
}

/// Whether the scans so far, with the one that is being read, tell all of every component.
bool JpegReader::has_all_coefficients() const {
  if (scanned_components_ != (uint32_t{1} << state_.num_components) - 1) {
    return false;
  }
  for (int i = 0; i < state_.num_components && state_.progressive_mode != 0; ++i) {
    if (!std::ranges::all_of(state_.coef_bits[i], [](int unknown_bits) { return unknown_bits == 0; })) {
      return false;
    }
  }
  return true;
}

/// Whether these are zero bytes in front of a marker; see JpegBits::end_segment().
bool JpegReader::is_padding(uint64_t bytes) const {
  const Bytes read = bytes_.first(offset_bytes());
  const Bytes before = read.last(std::min<uint64_t>(bytes, read.size()));
  return std::ranges::all_of(before, [](std::byte byte) { return byte == std::byte{0}; });
}

/// Whether a warning means damage to image data, which libjpeg would hide with grey or ignore.
bool JpegReader::is_damage(int warning) const {
  switch (warning) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
      return true;
    case JWRN_EXTRANEOUS_DATA:
      return state_.input_scan_number > 0 && !is_padding(static_cast<uint64_t>(errors_.msg_parm.i[0]));
    default:
      return false;
  }
}

void JpegReader::fail(Failure kind) {
  failure_ = kind;
  std::longjmp(jump_, 1);
}

Status JpegReader::failure() const {
  if (!has_end_marker_ && failure_ <= Failure::kBroken) {
    const std::string what = failure_ != Failure::kBroken
                                 ? std::string()
                                 : fmt::format(" (near byte {}: {})", offset_bytes(), message_);
    return data_loss(
        "JPEG is truncated at byte {}: its end marker is missing, and its image data is not whole{}",
        file_bytes_, what);
  }
  switch (failure_) {
    case Failure::kTruncated:
      return data_loss("JPEG is truncated at byte {}", file_bytes_);
    case Failure::kTooManyScans:
      return resource_exhausted("JPEG has more than the allowed {} scans (max_scans; at byte {})",
                                limits_.max_scans, offset_bytes());
    case Failure::kTooManyBlocks:
      return resource_exhausted(
          "JPEG has scans of more than the allowed {} blocks (max_blocks_scanned; at byte {})",
          limits_.max_blocks_scanned, offset_bytes());
    case Failure::kTooMuchMemory:
      return resource_exhausted("JPEG needs more than the {} bytes of memory allowed to its decoder",
                                state_.mem->max_memory_to_use);
    case Failure::kEndsEarly:
    case Failure::kBroken:
      break;
  }
  return data_loss("JPEG is broken near byte {}: {}", offset_bytes(), message_);
}

void JpegReader::on_error(j_common_ptr state) {
  JpegReader& reader = of(state);
  const int code = state->err->msg_code;
  (*state->err->format_message)(state, reader.message_);
  const bool is_memory =
      code == JERR_OUT_OF_MEMORY || code == JERR_NO_BACKING_STORE || code == JERR_TFILE_CREATE;
  reader.fail(is_memory ? Failure::kTooMuchMemory : Failure::kBroken);
}

void JpegReader::on_message(j_common_ptr state, int level) {
  if (level < 0 && of(state).is_damage(state->err->msg_code)) {
    on_error(state);
  }
}

void JpegReader::on_progress(j_common_ptr state) {
  JpegReader& reader = of(state);
  const jpeg_decompress_struct& image = reader.state_;
  if (image.input_scan_number > reader.limits_.max_scans) {
    reader.fail(Failure::kTooManyScans);
  }
  if (image.global_state != DSTATE_PRELOAD || image.comps_in_scan == 0) {
    return;
  }
  // Called once for each row of MCUs; a scan of one channel reads several such rows at once.
  const int rows = image.comps_in_scan == 1 ? image.cur_comp_info[0]->v_samp_factor : 1;
  reader.blocks_scanned_ += uint64_t{image.MCUs_per_row} * image.blocks_in_MCU * rows;
  if (reader.blocks_scanned_ > reader.limits_.max_blocks_scanned) {
    reader.fail(Failure::kTooManyBlocks);
  }
}

jvirt_barray_ptr JpegReader::request_array(j_common_ptr state, int, boolean, JDIMENSION blocks_per_row,
                                           JDIMENSION rows, JDIMENSION) {
  const jvirt_barray_ptr array = of(state).arrays_.request(blocks_per_row, rows);
  if (array == nullptr) {
    ERREXIT1(state, JERR_OUT_OF_MEMORY, 0);
  }
  return array;
}

void JpegReader::realize_arrays(j_common_ptr state) {
  JpegReader& reader = of(state);
  if (!reader.arrays_.realize(static_cast<uint64_t>(state->mem->max_memory_to_use))) {
    ERREXIT1(state, JERR_OUT_OF_MEMORY, 0);
  }
  reader.realize_others_(state);
  reader.take_over_scans();
}

/// Called after libjpeg has created its entropy decoder and before its first use.
void JpegReader::take_over_scans() {
  if (state_.arith_code != 0) {
    return;
  }
  start_entropy_ = state_.entropy->start_pass;
  state_.entropy->start_pass = start_scan;
}

JpegScan& JpegReader::scan() {
  return state_.progressive_mode != 0 ? static_cast<JpegScan&>(progressive_) : sequential_;
}

void JpegReader::start_scan(j_decompress_ptr state) {
  JpegReader& reader = of(reinterpret_cast<j_common_ptr>(state));
  reader.start_entropy_(state);  // checks the tables and, of progressive images, what the scan says
  state->entropy->decode_mcu = decode_mcu;
  for (int i = 0; i < state->comps_in_scan; ++i) {
    reader.scanned_components_ |= uint32_t{1} << state->cur_comp_info[i]->component_index;
  }
  reader.scan().start(*state, reader.bytes_.subspan(reader.offset_bytes()));
}

boolean JpegReader::decode_mcu(j_decompress_ptr state, JBLOCKROW* blocks) {
  JpegReader& reader = of(reinterpret_cast<j_common_ptr>(state));
  JpegScan& scan = reader.scan();
  const ScanDamage damage = scan.decode_mcu(blocks);
  if (damage == ScanDamage::kNone && !scan.is_done()) {
    return TRUE;
  }
  if (scan.is_done() && scan.has_open_end() && reader.has_all_coefficients()) {
    reader.set_source(kEndMarker);
    return TRUE;
  }
  reader.set_source(scan.rest());
  if (damage != ScanDamage::kNone) {
    reader.message_[describe(damage).copy(reader.message_, sizeof(reader.message_) - 1)] = '\0';
    reader.fail(damage == ScanDamage::kEndsEarly ? Failure::kEndsEarly : Failure::kBroken);
  }
  return TRUE;
}

JBLOCKARRAY JpegReader::access_array(j_common_ptr state, jvirt_barray_ptr array, JDIMENSION first,
                                     JDIMENSION count, boolean) {
  const JBLOCKARRAY rows = JpegArrays::rows(array, first, count);
  if (rows == nullptr) {
    ERREXIT(state, JERR_BAD_VIRTUAL_ACCESS);
  }
  return rows;
}

boolean JpegReader::on_end_of_input(j_decompress_ptr state) {
  of(reinterpret_cast<j_common_ptr>(state)).fail(Failure::kTruncated);
}

void JpegReader::skip_input(j_decompress_ptr state, long bytes) {
  if (bytes <= 0) {
    return;
  }
  if (static_cast<size_t>(bytes) > state->src->bytes_in_buffer) {
    of(reinterpret_cast<j_common_ptr>(state)).fail(Failure::kTruncated);
  }
  state->src->next_input_byte += bytes;
  state->src->bytes_in_buffer -= static_cast<size_t>(bytes);
}

}  // namespace forebay::codec
