// Transforms of all small sizes and some large ones against sums in double; the same bits on every SIMD
// target.
#include "forebay/kernels/signal/fft.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/base/testing/heap_bytes.h"

namespace forebay::kernels {
namespace {

using Floats = std::vector<float>;

Floats random_line(int64_t size, uint64_t seed) {
  RandomStream random(seed, 0);
  Floats line(static_cast<size_t>(size));
  for (float& value : line) {
    value = random.uniform(-1, 1);
  }
  return line;
}

std::vector<std::complex<double>> sums(const Floats& line) {
  const auto size = static_cast<int64_t>(line.size());
  std::vector<std::complex<double>> roots;
  for (int64_t k = 0; k < size; ++k) {
    roots.push_back(
        std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size)));
  }
  std::vector<std::complex<double>> bins(static_cast<size_t>(size / 2 + 1));
  for (int64_t k = 0; k <= size / 2; ++k) {
    for (int64_t n = 0; n < size; ++n) {
      bins[static_cast<size_t>(k)] +=
          double{line[static_cast<size_t>(n)]} * roots[static_cast<size_t>(k * n % size)];
    }
  }
  return bins;
}

/// Rows of `lanes` lines, all of them `line` times (lane + 1).
Floats rows_of(const Floats& line, int64_t lanes) {
  Floats rows;
  for (const float value : line) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      rows.push_back(value * static_cast<float>(lane + 1));
    }
  }
  return rows;
}

Floats transformed(const RealFft& fft, SpectrumKind kind, int64_t lanes, Floats rows) {
  Floats out(static_cast<size_t>(fft.bins() * lanes * (kind == SpectrumKind::kComplex ? 2 : 1)));
  Floats scratch(static_cast<size_t>(fft.scratch_rows() * lanes));
  fft.forward(kind, lanes, rows.data(), out.data(), scratch.data());
  return out;
}

Floats inverted(const RealFft& fft, int64_t lanes, const Floats& bins) {
  Floats out(static_cast<size_t>(fft.size() * lanes));
  Floats scratch(static_cast<size_t>(fft.scratch_rows() * lanes));
  fft.inverse(lanes, bins.data(), out.data(), scratch.data());
  return out;
}

void expect_is_transform(int64_t size, double tolerance) {
  SCOPED_TRACE(size);
  const RealFft fft(size);
  const Floats line = random_line(size, static_cast<uint64_t>(size));
  const auto want = sums(line);
  const double scale = std::sqrt(static_cast<double>(size));
  const Floats bins = transformed(fft, SpectrumKind::kComplex, 1, line);
  const Floats power = transformed(fft, SpectrumKind::kPower, kFftLanes, rows_of(line, kFftLanes));
  for (size_t k = 0; k < want.size(); ++k) {
    EXPECT_NEAR(bins[2 * k], want[k].real(), tolerance * scale) << k;
    EXPECT_NEAR(bins[2 * k + 1], want[k].imag(), tolerance * scale) << k;
    for (size_t lane = 0; lane < kFftLanes; lane += 5) {
      const double factor = static_cast<double>(lane + 1) * static_cast<double>(lane + 1);
      EXPECT_NEAR(power[k * kFftLanes + lane] / factor, std::norm(want[k]), 4 * tolerance * scale * scale)
          << k;
    }
  }
  const Floats back = inverted(fft, 1, bins);
  for (size_t n = 0; n < line.size(); ++n) {
    EXPECT_NEAR(back[n] / static_cast<double>(size), line[n], 4 * tolerance);
  }
}

TEST(RealFft, IsTheSumOfAllSmallSizes) {
  for (int64_t size = 1; size <= 130; ++size) {
    expect_is_transform(size, 1e-6);
  }
}

TEST(RealFft, IsTheSumOfSomeLargerSizes) {
  for (const int64_t size : {256, 320, 400, 441, 512, 551, 1000, 1024, 1102, 2048, 2053}) {
    expect_is_transform(size, 2e-6);
  }
}

TEST(RealFft, ALineHasTheSameBitsAloneAsBesideOthersOnEveryTarget) {
  for (const int64_t size : {512, 400, 67, 134, 77}) {
    const RealFft fft(size);
    const Floats line = random_line(size, 3);
    const Floats alone = transformed(fft, SpectrumKind::kMagnitude, 1, line);
    const int64_t targets = hwy::SupportedTargets();
    for (int64_t left = targets; left != 0; left &= left - 1) {
      hwy::SetSupportedTargetsForTest(left & -left);
      EXPECT_EQ(transformed(fft, SpectrumKind::kMagnitude, 1, line), alone) << size;
      const Floats rows = transformed(fft, SpectrumKind::kMagnitude, kFftLanes, rows_of(line, kFftLanes));
      for (size_t k = 0; k < alone.size(); ++k) {
        EXPECT_EQ(rows[k * kFftLanes], alone[k]) << size << ", bin " << k;
        EXPECT_EQ(rows[k * kFftLanes + 3], 4 * alone[k]) << size << ", bin " << k;
      }
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(RealFft, BinsOfAnImpulseAreOne) {
  for (const int64_t size : {1, 2, 3, 4, 96, 97}) {
    Floats line(static_cast<size_t>(size));
    line[0] = 1;
    for (const float power : transformed(RealFft(size), SpectrumKind::kPower, 1, line)) {
      EXPECT_NEAR(power, 1.0f, 1e-6f);
    }
  }
}

TEST(RealFft, SaysWhatItsTablesTake) {
  if (!kCountsHeap) {
    GTEST_SKIP() << "the heap is not counted under sanitizers";
  }
  for (const int64_t size : {4095, 4096, 10007, 20014}) {
    const int64_t before = heap_bytes();
    const RealFft fft(size);
    const int64_t taken = heap_bytes() - before;
    EXPECT_LE(taken, RealFft::table_bytes(size) + 4096) << size;
    EXPECT_GE(taken, RealFft::table_bytes(size) / 4) << size;
  }
}

}  // namespace
}  // namespace forebay::kernels
