#include "forebay/kernels/signal/spectrogram.h"

#include <algorithm>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/check.h"
#include "forebay/kernels/generic/border.h"
#include "forebay/kernels/signal/lanes.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

/// The signal with what lies beyond its ends: `before` samples and `after`.
void extend(const float* signal, int64_t length, int64_t before, int64_t after, bool reflects, float* out) {
  std::copy_n(signal, length,
              out + before);  // copy: windows at the ends need their borders beside the signal
  for (int64_t i = 1; i <= before; ++i) {
    out[before - i] = reflects ? signal[border_place(Border::kReflect101, -i, length)] : 0.0f;
  }
  for (int64_t i = 0; i < after; ++i) {
    out[before + length + i] =
        reflects ? signal[border_place(Border::kReflect101, length + i, length)] : 0.0f;
  }
}

}  // namespace

int64_t num_windows(int64_t length, const WindowOptions& options) {
  if (options.is_centered) {
    return length <= 0 ? 0 : length / options.step + 1;
  }
  return length < options.length ? 0 : (length - options.length) / options.step + 1;
}

Spectrogram::Spectrogram(const WindowOptions& options, std::vector<float> window, int64_t nfft)
    : options_(options), window_(std::move(window)), fft_(nfft) {
  FOREBAY_CHECK(static_cast<int64_t>(window_.size()) == options.length && nfft >= options.length);
}

Status Spectrogram::run(SpectrumKind kind, const float* signal, int64_t length, bool is_time_major,
                        float* out) const {
  return caught([&]() -> Status {
    const int64_t windows = num_windows(length, options_);
    const int64_t before = options_.is_centered ? options_.length / 2 : 0;
    const int64_t end = (windows - 1) * options_.step - before + options_.length;  // of the last window
    const int64_t after = std::max<int64_t>(0, end - length);
    const bool is_extended = before > 0 || after > 0;
    memory::ScratchArray<float> extended(static_cast<size_t>(is_extended ? before + length + after : 0));
    if (is_extended) {
      extend(signal, length, before, after, options_.reflects, extended.data());
    }
    const float* const first = is_extended ? extended.data() : signal;
    memory::ScratchArray<float> rows(static_cast<size_t>(fft_.size() * kFftLanes));
    memory::ScratchArray<float> spectrum(static_cast<size_t>(fft_.bins() * kFftLanes));
    memory::ScratchArray<float> scratch(static_cast<size_t>(fft_.scratch_rows() * kFftLanes));
    for (int64_t window = 0; window < windows; window += kFftLanes) {
      const int64_t count = std::min(kFftLanes, windows - window);
      LinePointers lines;
      for (int64_t lane = 0; lane < kFftLanes; ++lane) {
        lines[static_cast<size_t>(lane)] = first + (window + std::min(lane, count - 1)) * options_.step;
      }
      lines_to_rows(lines, window_.data(), options_.length, rows.data());
      std::fill(rows.data() + options_.length * kFftLanes, rows.data() + rows.size(), 0.0f);
      fft_.forward(kind, kFftLanes, rows.data(), spectrum.data(), scratch.data());
      if (is_time_major) {
        rows_to_lines(spectrum.data(), fft_.bins(), count, out + window * fft_.bins(), fft_.bins());
        continue;
      }
      for (int64_t bin = 0; bin < fft_.bins(); ++bin) {
        std::copy_n(spectrum.data() + bin * kFftLanes, count,
                    out + bin * windows + window);  // copy: to its place
      }
    }
    return ok_status();
  });
}

}  // namespace forebay::kernels
