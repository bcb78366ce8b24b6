// Spectra of the lines of an array.
#pragma once

#include "forebay/base/status.h"
#include "forebay/kernels/generic/lines.h"
#include "forebay/kernels/signal/fft.h"

namespace forebay::kernels {

/// The bins, kPower or kMagnitude, of all lines of `in`: cut to fft.size() elements, or continued with zeros.
/// `out` has the same lines of fft.bins() elements. Takes scratch memory for up to 16 lines, which may be
/// refused.
Status line_spectra(const RealFft& fft, SpectrumKind kind, const float* in, const Lines& lines, float* out);

}  // namespace forebay::kernels
