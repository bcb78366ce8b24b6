// Stores the coefficients of images that libjpeg cannot decode row by row in blocks of the process's pool. By
// default libjpeg uses the C library, which keeps the end of each thread's heap, up to 64 MiB, for that
// thread (malloc_trim() does not reach it): with many threads, far more than any memory limit knows of.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>

#include <jpeglib.h>

namespace forebay::codec {

/// The "virtual arrays" of one decompressor, one per component. Nothing here throws or jumps. Not thread
/// safe.
class JpegArrays {
 public:
  JpegArrays() = default;
  ~JpegArrays() { clear(); }
  JpegArrays(const JpegArrays&) = delete;
  JpegArrays& operator=(const JpegArrays&) = delete;

  /// Registers an array to be allocated later; null if there are too many.
  jvirt_barray_ptr request(JDIMENSION blocks_per_row, JDIMENSION rows);
  /// Allocates what was requested, zeroed. Returns false if that takes more than `most_bytes`, or if there is
  /// no memory.
  bool realize(uint64_t most_bytes);
  /// Rows from `first` on; null if there are fewer than `count`.
  static JBLOCKARRAY rows(jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count);
  /// Frees all arrays.
  void clear();

 private:
  struct Array {
    JDIMENSION blocks_per_row = 0;
    JDIMENSION row_count = 0;
    JBLOCKARRAY rows = nullptr;  // in the same allocation as the blocks it points to, after them
    void* memory = nullptr;      // from the pool

    size_t block_bytes() const { return sizeof(JBLOCK) * blocks_per_row * row_count; }
    size_t bytes() const { return block_bytes() + sizeof(JBLOCKROW) * row_count; }
  };

  static bool make(Array& array);

  std::array<Array, MAX_COMPONENTS> arrays_;
  size_t count_ = 0;
};

}  // namespace forebay::codec
