// A wrapper around libjpeg-turbo, with our own decoders for Huffman codes. libjpeg reports errors by longjmp,
// which only this file deals with. A call that may fail runs inside `guarded`, whose frame has no object with
// a destructor, so no jump ever skips one.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <jpeglib.h>

#include "forebay/base/byte_source.h"
#include "forebay/base/check.h"
#include "forebay/base/status.h"
#include "forebay/codec/image_decoder.h"
#include "forebay/codec/jpeg/jpeg_arrays.h"
#include "forebay/codec/jpeg/progressive_scan.h"
#include "forebay/codec/jpeg/sequential_scan.h"

namespace forebay::codec {

/// One decompressor, reused for many images. Not thread safe: use one per thread.
class JpegReader {
 public:
  static JpegReader& of_this_thread();

  JpegReader();
  ~JpegReader();
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  /// Reads the header; `bytes` must outlive close(). Tables defined by an earlier image are forgotten.
  /// `limits` bound the memory that libjpeg uses for a whole image, and the scans of a progressive one.
  Status open(Bytes bytes, const ImageLimits& limits);

  /// Frees the image's memory, in any state. Idempotent.
  void close();

  jpeg_decompress_struct& state() { return state_; }

  /// Whether there is an end marker behind the first scan's header. Where there is none, only the last MCU
  /// tells whether the file is whole.
  bool has_end_marker() const { return has_end_marker_; }

  /// Runs `call`, which may only use libjpeg and trivial locals. If it fails, its results are unspecified.
  template <class F>
  Status guarded(F&& call) {
    if (setjmp(jump_) == 0) {
      call();
      return ok_status();
    }
    return failure();
  }

  /// Memory for `count` rows, row_pitch(row_bytes) apart; valid until the next call. Reused from image to
  /// image.
  std::byte* row_memory(size_t count, size_t row_bytes);
  static size_t row_pitch(size_t row_bytes);

 private:
  enum class Failure { kTruncated, kEndsEarly, kBroken, kTooManyScans, kTooManyBlocks, kTooMuchMemory };

  static JpegReader& of(j_common_ptr state) { return *static_cast<JpegReader*>(state->client_data); }
  static void on_error(j_common_ptr state);
  static void on_message(j_common_ptr state, int level);
  static void on_progress(j_common_ptr state);
  static void ignore(j_decompress_ptr) {}
  static boolean on_end_of_input(j_decompress_ptr state);
  static void skip_input(j_decompress_ptr state, long bytes);
  static jvirt_barray_ptr request_array(j_common_ptr state, int pool, boolean is_zero,
                                        JDIMENSION blocks_per_row, JDIMENSION rows, JDIMENSION most_rows);
  static void realize_arrays(j_common_ptr state);
  static void start_scan(j_decompress_ptr state);
  static boolean decode_mcu(j_decompress_ptr state, JBLOCKROW* blocks);
  static JBLOCKARRAY access_array(j_common_ptr state, jvirt_barray_ptr array, JDIMENSION first,
                                  JDIMENSION count, boolean is_written);

  [[noreturn]] void fail(Failure kind);
  Status failure() const;
  void create();
  void set_source(Bytes bytes);
  void mark_tables_as_old();
  bool has_old_tables() const;
  Status look_for_end();
  bool has_all_coefficients() const;
  bool is_padding(uint64_t bytes) const;
  bool is_damage(int warning) const;
  JpegScan& scan();
  void take_over_scans();
  uint64_t offset_bytes() const { return bytes_.size() - source_.bytes_in_buffer; }

  jpeg_decompress_struct state_{};
  jpeg_error_mgr errors_{};
  jpeg_source_mgr source_{};
  jpeg_progress_mgr progress_{};
  JpegArrays arrays_;
  SequentialScan sequential_;
  ProgressiveScan progressive_;
  // libjpeg's original functions, which are replaced
  void (*realize_others_)(j_common_ptr) = nullptr;
  void (*start_entropy_)(j_decompress_ptr) = nullptr;
  std::jmp_buf jump_;
  Bytes bytes_;  // of a file without an end marker, up to what may follow the image data
  size_t file_bytes_ = 0;
  bool has_end_marker_ = true;
  uint32_t scanned_components_ = 0;  // a bit each
  ImageLimits limits_;
  uint64_t blocks_scanned_ = 0;
  Failure failure_ = Failure::kBroken;
  char message_[JMSG_LENGTH_MAX] = {};
  std::vector<std::byte> rows_;
};

}  // namespace forebay::codec
