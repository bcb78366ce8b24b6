// Discrete Fourier transforms of real lines, several lines at once: lane l of a row belongs to line l, so
// that every line gets the same operations in the same order, whatever the SIMD target and whatever lines lie
// beside it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace forebay::kernels {

/// How many lines are transformed at once: a row of `kFftLanes` floats holds one element of each.
inline constexpr int64_t kFftLanes = 16;

/// What becomes of a bin.
enum class SpectrumKind : uint8_t {
  kComplex,    // two rows a bin: real and imaginary part
  kMagnitude,  // one row: sqrt(re^2 + im^2)
  kPower,      // one row: re^2 + im^2
};

/// The transform of real lines of `size` elements into size / 2 + 1 bins, X[k] = sum x[n] exp(-2 pi i k n /
/// size), and back. Any size from 1 on: Stockham passes of radix 2 to 5 and of other primes up to 31, in
/// floats without fused multiply-adds; sizes with larger primes by Bluestein's method ("A linear filtering
/// approach to the computation of discrete Fourier transform", 1970). The error is some 1e-7 of the largest
/// bin, with Bluestein's method 1e-6. The tables are the process's memory: of table_bytes(). Immutable: safe
/// from any thread.
class RealFft {
 public:
  /// `size` must be from 1 to kLargestSize.
  explicit RealFft(int64_t size);
  ~RealFft();
  RealFft(RealFft&&) noexcept;
  RealFft& operator=(RealFft&&) noexcept;

  static constexpr int64_t kLargestSize = int64_t{1} << 26;
  /// What making the tables for a size takes at most, without some KiB.
  static int64_t table_bytes(int64_t size);

  int64_t size() const { return size_; }
  int64_t bins() const { return size_ / 2 + 1; }
  /// Rows of scratch memory that forward() and inverse() need.
  int64_t scratch_rows() const;

  /// Transforms `lanes` lines, 1 or kFftLanes. `in` has size() rows of so many floats and is overwritten;
  /// `out` has bins() rows, twice as many for kComplex. `in`, `out` and `scratch` do not overlap.
  void forward(SpectrumKind kind, int64_t lanes, float* in, float* out, float* scratch) const;

  /// The lines whose complex bins are `in`, of which the imaginary parts of bin 0 and, for even sizes, of the
  /// last are taken for 0; without a factor 1 / size: forward() and inverse() together multiply by size().
  void inverse(int64_t lanes, const float* in, float* out, float* scratch) const;

 private:
  struct Tables;

  int64_t size_;
  std::unique_ptr<const Tables> tables_;
};

}  // namespace forebay::kernels
