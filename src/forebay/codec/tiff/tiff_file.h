// A TIFF in memory as libtiff sees it: no copy of its bytes, nothing printed, a limit on each allocation.
#pragma once

#include <tiffio.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::codec {

/// Stays where it is: libtiff keeps pointers to it.
class TiffFile {
 public:
  explicit TiffFile(Bytes bytes) : bytes_(bytes) {}
  ~TiffFile();
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  /// Reads the directory of a page. `most_bytes` limits each allocation of libtiff.
  Status open(int64_t page, uint64_t most_bytes);

  TIFF* get() { return file_; }

  /// A row will be read that is, or is not, the last of its strip. libtiff cuts a run of PackBits off, with a
  /// warning, where it goes on in the next row, which then lacks pixels: an error.
  void expect_row(bool is_last_of_strip) { goes_on_ = !is_last_of_strip; }

  /// ok if nothing has been reported since; else data_loss with the first thing that libtiff said.
  Status status() const;
  /// The same for a call that has failed, also where libtiff gave no reason.
  Status failure(const char* what) const;

  /// A tag's value, or what the specification says for its absence.
  uint16_t u16(uint32_t tag, uint16_t otherwise);
  uint32_t u32(uint32_t tag, uint32_t otherwise);

 private:
  static tmsize_t read(thandle_t self, void* to, tmsize_t size);
  static tmsize_t write(thandle_t, void*, tmsize_t) { return 0; }
  static toff_t seek(thandle_t self, toff_t offset, int whence);
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t self);
  static int map(thandle_t self, void** base, toff_t* size);
  static void unmap(thandle_t, void*, toff_t) {}
  static int on_error(TIFF*, void* self, const char* module, const char* format, va_list arguments);
  static int on_warning(TIFF*, void* self, const char* module, const char* format, va_list arguments);
  /// Keeps the first.
  void note(const std::string& complaint);

  const Bytes bytes_;
  uint64_t position_ = 0;
  TIFF* file_ = nullptr;
  std::string complaint_;
  bool goes_on_ = false;
};

}  // namespace forebay::codec
