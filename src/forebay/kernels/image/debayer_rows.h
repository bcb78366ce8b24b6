// Rows of debayer.h over bytes, in SIMD: whole vectors of pixels; what is left at a row's end is the
// caller's.
#pragma once

#include <cstdint>

namespace forebay::kernels {

/// A row of a mosaic and what it becomes.
struct MosaicRow {
  const uint8_t* in;  // its first pixel
  int64_t pitch;      // to the row below
  int64_t begin;      // pixels from here
  int64_t end;        // to here
  bool is_blue;       // blue and green, not red and green
  int green_phase;    // pixels x with (x & 1) == this are green
  uint8_t* out;       // the first pixel's
};

/// The first pixel that was not written; three channels a pixel. Reads one pixel around each.
int64_t debayer_bilinear_row(const MosaicRow& row);
int64_t debayer_edge_aware_row(const MosaicRow& row);
/// One channel a pixel.
int64_t debayer_gray_row(const MosaicRow& row);

/// Gradients of three rows, for each pixel from one before a row to one behind it. They lie in memory of the
/// caller's.
class MosaicGradients {
 public:
  static constexpr int64_t kRows = 3;
  static constexpr int64_t kFields = 7;
  /// Numbers that may be read or written behind the last.
  static constexpr int64_t kSpare = 64;

  /// How many numbers of memory are needed.
  static int64_t size(int64_t width) { return kRows * kFields * pitch(width); }

  MosaicGradients(int64_t width, int16_t* memory) : pitch_(pitch(width)), memory_(memory) {}

  /// The field of the row that is `y` modulo three, at pixel 0.
  int16_t* field(int64_t y, int64_t number) const {
    return memory_ + ((y + kRows) % kRows * kFields + number) * pitch_ + 1;
  }

 private:
  static int64_t pitch(int64_t width) { return width + 2 + kSpare; }

  int64_t pitch_;
  int16_t* memory_;
};

/// Fills in the gradients of row `y`, whose first pixel is at `in`; reads two pixels around the row and
/// kSpare behind it.
void find_mosaic_gradients(const uint8_t* in, int64_t pitch, int64_t y, int64_t width,
                           const MosaicGradients& to);

/// Row `y` by the gradients of its own and both rows beside it, all of its pixels; `out` has room for kSpare
/// pixels more.
void debayer_gradient_row(const MosaicRow& row, int64_t y, const MosaicGradients& gradients);

}  // namespace forebay::kernels
