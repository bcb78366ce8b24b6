// Where libjpeg keeps the coefficients of an image that it cannot decode row by row: in blocks of the
// process's pool. By itself it asks the C library, which keeps the end of each thread's heap, up to 64 MiB,
// for that thread (malloc_trim() does not reach it): with many threads far more than any memory limit knows
// of.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>

#include <jpeglib.h>

namespace forebay::codec {

/// The "virtual arrays" of one decompressor, of which there is one a component. Nothing here throws or jumps.
/// Not thread safe.
class JpegArrays {
 public:
  JpegArrays() = default;
  ~JpegArrays() { clear(); }
  JpegArrays(const JpegArrays&) = delete;
  JpegArrays& operator=(const JpegArrays&) = delete;

  /// An array to be made; null when there are too many.
  jvirt_barray_ptr request(JDIMENSION blocks_per_row, JDIMENSION rows);
  /// Makes what was requested, all zero. False when that takes more than `most_bytes`, or than there is.
  bool realize(uint64_t most_bytes);
  /// From row `first` on; null when there are not so many.
  static JBLOCKARRAY rows(jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count);
  /// Gives all arrays back.
  void clear();

 private:
  struct Array {
    JDIMENSION blocks_per_row = 0;
    JDIMENSION row_count = 0;
    JBLOCKARRAY rows = nullptr;  // in the same block as what they point to, behind it
    void* memory = nullptr;      // of the pool

    size_t block_bytes() const { return sizeof(JBLOCK) * blocks_per_row * row_count; }
    size_t bytes() const { return block_bytes() + sizeof(JBLOCKROW) * row_count; }
  };

  static bool make(Array& array);

  std::array<Array, MAX_COMPONENTS> arrays_;
  size_t count_ = 0;
};

}  // namespace forebay::codec
