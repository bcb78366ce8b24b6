#include "forebay/kernels/signal/line_spectra.h"

#include <algorithm>

#include "forebay/base/caught.h"
#include "forebay/kernels/signal/lanes.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

constexpr int64_t kFewLines = 3;                 // are faster one by one
constexpr int64_t kLongLine = int64_t{1} << 15;  // beyond it sixteen at once leave the cache

Status spectra_one_by_one(const RealFft& fft, SpectrumKind kind, const float* in, const Lines& lines,
                          float* out) {
  const int64_t count = std::min(lines.length, fft.size());
  const Lines out_lines{lines.outer, fft.bins(), lines.inner};
  memory::ScratchArray<float> row(static_cast<size_t>(fft.size()));
  memory::ScratchArray<float> bins(static_cast<size_t>(fft.bins()));
  memory::ScratchArray<float> scratch(static_cast<size_t>(fft.scratch_rows()));
  for (int64_t line = 0; line < lines.count(); ++line) {
    const float* const from = in + lines.start(line);
    for (int64_t i = 0; i < count; ++i) {
      row[static_cast<size_t>(i)] = from[i * lines.inner];
    }
    std::fill(row.data() + count, row.data() + row.size(), 0.0f);
    fft.forward(kind, 1, row.data(), bins.data(), scratch.data());
    float* const to = out + out_lines.start(line);
    for (int64_t k = 0; k < fft.bins(); ++k) {
      to[k * lines.inner] = bins[static_cast<size_t>(k)];
    }
  }
  return ok_status();
}

Status spectra_side_by_side(const RealFft& fft, SpectrumKind kind, const float* in, const Lines& lines,
                            float* out) {
  const int64_t count = std::min(lines.length, fft.size());
  const LineBlocks from(lines);
  const LineBlocks to({lines.outer, fft.bins(), lines.inner});
  memory::ScratchArray<float> rows(static_cast<size_t>(fft.size() * kFftLanes));
  memory::ScratchArray<float> bins(static_cast<size_t>(fft.bins() * kFftLanes));
  memory::ScratchArray<float> scratch(static_cast<size_t>(fft.scratch_rows() * kFftLanes));
  for (int64_t block = 0; block < from.count(); ++block) {
    from.read(in, block, count, rows.data());
    std::fill(rows.data() + count * kFftLanes, rows.data() + rows.size(), 0.0f);
    fft.forward(kind, kFftLanes, rows.data(), bins.data(), scratch.data());
    to.write(bins.data(), block, out);
  }
  return ok_status();
}

}  // namespace

Status line_spectra(const RealFft& fft, SpectrumKind kind, const float* in, const Lines& lines, float* out) {
  return caught([&]() -> Status {
    const bool is_one_by_one = lines.count() <= kFewLines || fft.size() > kLongLine;
    return is_one_by_one ? spectra_one_by_one(fft, kind, in, lines, out)
                         : spectra_side_by_side(fft, kind, in, lines, out);
  });
}

}  // namespace forebay::kernels
