#include "forebay/kernels/signal/phase_vocoder.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "forebay/base/caught.h"
#include "forebay/kernels/signal/hann.h"
#include "forebay/kernels/signal/lanes.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using Phasor = std::complex<double>;

/// The direction of a number; that of 0 is 1.
Phasor direction(Phasor number) {
  const double size = std::sqrt(number.real() * number.real() + number.imag() * number.imag());
  return size == 0 ? Phasor(1) : Phasor(number.real() / size, number.imag() / size);
}

double size_of(Phasor number) {
  return std::sqrt(number.real() * number.real() + number.imag() * number.imag());
}

/// a b, without the library's detour for infinities.
Phasor product(Phasor a, Phasor b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

/// Complex spectra in blocks of kFftLanes frames: rows of real and imaginary parts by bin.
struct PhaseVocoder::Spectra {
  Spectra(int64_t num_frames, int64_t num_bins)
      : frames(num_frames),
        block_size(2 * num_bins * kFftLanes),
        rows(static_cast<size_t>((num_frames + kFftLanes - 1) / kFftLanes * block_size)) {}

  float* block(int64_t frame) { return rows.data() + frame / kFftLanes * block_size; }
  Phasor at(int64_t bin, int64_t frame) const {
    if (frame >= frames) {
      return 0;
    }
    const float* const re =
        rows.data() + frame / kFftLanes * block_size + 2 * bin * kFftLanes + frame % kFftLanes;
    return {re[0], re[kFftLanes]};
  }
  void set(int64_t bin, int64_t frame, Phasor value) {
    float* const re = block(frame) + 2 * bin * kFftLanes + frame % kFftLanes;
    re[0] = static_cast<float>(value.real());
    re[kFftLanes] = static_cast<float>(value.imag());
  }

  int64_t frames;
  int64_t block_size;
  memory::ScratchArray<float> rows;
};

int64_t stretched_length(int64_t length, double rate) {
  return static_cast<int64_t>(std::nearbyint(static_cast<double>(length) / rate));
}

PhaseVocoder::PhaseVocoder(int64_t nfft, int64_t step)
    : step_(step), window_(hann_window(nfft, 0)), fft_(nfft) {
}

void PhaseVocoder::analyse(const float* in, int64_t length, Spectra* spectra) const {
  const int64_t nfft = fft_.size();
  const int64_t padded = std::max(length + 2 * (nfft / 2), (spectra->frames - 1) * step_ + nfft);
  memory::ScratchArray<float> signal(static_cast<size_t>(padded));
  std::fill(signal.data(), signal.data() + padded, 0.0f);
  std::copy_n(in, length,
              signal.data() + nfft / 2);  // copy: windows at the ends need zeros beside the signal
  memory::ScratchArray<float> rows(static_cast<size_t>(nfft * kFftLanes));
  memory::ScratchArray<float> scratch(static_cast<size_t>(fft_.scratch_rows() * kFftLanes));
  for (int64_t frame = 0; frame < spectra->frames; frame += kFftLanes) {
    LinePointers lines;
    for (int64_t lane = 0; lane < kFftLanes; ++lane) {
      lines[static_cast<size_t>(lane)] = signal.data() + std::min(frame + lane, spectra->frames - 1) * step_;
    }
    lines_to_rows(lines, window_.data(), nfft, rows.data());
    fft_.forward(SpectrumKind::kComplex, kFftLanes, rows.data(), spectra->block(frame), scratch.data());
  }
}

void PhaseVocoder::advance(const Spectra& from, double rate, Spectra* to) const {
  std::fill(to->rows.data(), to->rows.data() + to->rows.size(), 0.0f);
  for (int64_t bin = 0; bin < fft_.bins(); ++bin) {
    Phasor phase = direction(from.at(bin, 0));
    for (int64_t frame = 0; frame < to->frames; ++frame) {
      const double time = static_cast<double>(frame) * rate;
      const auto before = static_cast<int64_t>(time);
      const double part = time - static_cast<double>(before);
      const Phasor first = from.at(bin, before);
      const Phasor second = from.at(bin, before + 1);
      const double size = (1 - part) * size_of(first) + part * size_of(second);
      to->set(bin, frame, {size * phase.real(), size * phase.imag()});
      phase = direction(product(phase, product(direction(second), std::conj(direction(first)))));
    }
  }
}

void PhaseVocoder::synthesise(Spectra* spectra, int64_t length, float* out) const {
  const int64_t nfft = fft_.size();
  const int64_t total = std::max((spectra->frames - 1) * step_ + nfft, length + nfft / 2);
  memory::ScratchArray<float> sums(static_cast<size_t>(total));
  memory::ScratchArray<float> weights(static_cast<size_t>(total));
  std::fill(sums.data(), sums.data() + total, 0.0f);
  std::fill(weights.data(), weights.data() + total, 0.0f);
  memory::ScratchArray<float> rows(static_cast<size_t>(nfft * kFftLanes));
  memory::ScratchArray<float> scratch(static_cast<size_t>(fft_.scratch_rows() * kFftLanes));
  const float scale = 1.0f / static_cast<float>(nfft);
  for (int64_t frame = 0; frame < spectra->frames; ++frame) {
    if (frame % kFftLanes == 0) {
      fft_.inverse(kFftLanes, spectra->block(frame), rows.data(), scratch.data());
    }
    for (int64_t i = 0; i < nfft; ++i) {
      const float factor = window_[static_cast<size_t>(i)];
      sums[static_cast<size_t>(frame * step_ + i)] +=
          rows[static_cast<size_t>(i * kFftLanes + frame % kFftLanes)] * scale * factor;
      weights[static_cast<size_t>(frame * step_ + i)] += factor * factor;
    }
  }
  for (int64_t i = 0; i < length; ++i) {
    const auto at = static_cast<size_t>(i + nfft / 2);
    out[i] = weights[at] > std::numeric_limits<float>::min() ? sums[at] / weights[at] : sums[at];
  }
}

Status PhaseVocoder::stretch(const float* in, int64_t length, double rate, float* out) const {
  return caught([&]() -> Status {
    const int64_t frames = (length + 2 * (fft_.size() / 2) - fft_.size()) / step_ + 1;
    const auto played = static_cast<int64_t>(std::ceil(static_cast<double>(frames) / rate));
    Spectra stretched(std::max<int64_t>(played, 1), fft_.bins());
    {
      Spectra spectra(frames, fft_.bins());
      analyse(in, length, &spectra);
      advance(spectra, rate, &stretched);
    }
    synthesise(&stretched, stretched_length(length, rate), out);
    return ok_status();
  });
}

void resample_band_limited(const float* in, int64_t length, double ratio, float* out, int64_t out_length) {
  constexpr int64_t kZeros = 32;
  constexpr int64_t kSteps = 256;  // of the table, from one zero to the next
  const double cutoff = 0.95 * std::min(1.0, ratio);
  std::vector<float> table(static_cast<size_t>(kZeros * kSteps + 2), 0.0f);
  for (int64_t i = 0; i < kZeros * kSteps; ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(kSteps);
    table[static_cast<size_t>(i)] = static_cast<float>(cutoff * hann_sinc(x, kZeros));
  }
  const double reach = static_cast<double>(kZeros) / cutoff;
  for (int64_t i = 0; i < out_length; ++i) {
    const double centre = static_cast<double>(i) / ratio;
    const int64_t first = std::max<int64_t>(0, static_cast<int64_t>(std::ceil(centre - reach)));
    const int64_t last = std::min<int64_t>(length - 1, static_cast<int64_t>(std::floor(centre + reach)));
    double sum = 0;
    for (int64_t k = first; k <= last; ++k) {
      const double place = std::abs(static_cast<double>(k) - centre) * cutoff * kSteps;
      const auto entry = static_cast<size_t>(place);
      const double part = place - static_cast<double>(entry);
      sum += double{in[k]} * (table[entry] + part * (double{table[entry + 1]} - table[entry]));
    }
    out[i] = static_cast<float>(sum);
  }
}

}  // namespace forebay::kernels
