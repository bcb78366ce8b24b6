// The tables behind RealFft: twiddle factors and the order of its passes; see fft.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace forebay::kernels {

struct FftTwiddle {
  float re;
  float im;
};

/// A transform of `size` complex elements.
struct ComplexFftPlan {
  int64_t size = 1;
  std::vector<int64_t> radices;    // of the passes, in order; empty for Bluestein's method or size 1
  std::vector<FftTwiddle> roots;   // exp(-2 pi i k / size); those of the convolution for Bluestein's method
  std::vector<FftTwiddle> chirp;   // Bluestein: exp(-pi i k^2 / size)
  std::vector<FftTwiddle> filter;  // Bluestein: the spectrum of the conjugate chirp, over the inner size
  std::unique_ptr<const ComplexFftPlan> inner;  // Bluestein: the transform of a power of two that convolves

  bool is_bluestein() const { return inner != nullptr; }
  /// Complex rows of scratch memory.
  int64_t scratch_size() const { return is_bluestein() ? 2 * inner->size : size; }
};

/// The plan for a size from 1 on.
ComplexFftPlan complex_fft_plan(int64_t size);

/// What making the plan for a size takes at most, without some KiB.
int64_t complex_fft_bytes(int64_t size);

/// exp(-2 pi i k / size) for 0 <= k < size, rounded from double.
FftTwiddle root_of_unity(int64_t k, int64_t size);

/// Transforms `lanes` lines in place: row 2k is the real part of element k, row 2k + 1 its imaginary part.
/// `scratch` has plan.scratch_size() complex rows.
void complex_fft(const ComplexFftPlan& plan, int64_t lanes, float* data, float* scratch);

}  // namespace forebay::kernels
