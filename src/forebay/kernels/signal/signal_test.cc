// Filter banks, cosine transforms, decibels, silence, blocks of lines, vocoder: against their definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/kernels/signal/dct.h"
#include "forebay/kernels/signal/decibels.h"
#include "forebay/kernels/signal/hann.h"
#include "forebay/kernels/signal/lanes.h"
#include "forebay/kernels/signal/line_spectra.h"
#include "forebay/kernels/signal/mel.h"
#include "forebay/kernels/signal/phase_vocoder.h"
#include "forebay/kernels/signal/preemphasis.h"
#include "forebay/kernels/signal/silence.h"
#include "forebay/kernels/signal/spectrogram.h"

namespace forebay::kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using Floats = std::vector<float>;

Floats random_signal(int64_t count, uint64_t seed = 1) {
  RandomStream random(seed, 0);
  Floats values(static_cast<size_t>(count));
  for (float& value : values) {
    value = random.uniform(-1, 1);
  }
  return values;
}

Floats sine_of(int64_t count, double period) {
  Floats values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(std::sin(2 * std::numbers::pi * static_cast<double>(i) / period)));
  }
  return values;
}

/// What `make` gives on every target, which must be the same.
template <class Make>
auto on_every_target(Make make) {
  const auto expected = make();
  const int64_t targets = hwy::SupportedTargets();
  for (int64_t left = targets; left != 0; left &= left - 1) {
    hwy::SetSupportedTargetsForTest(left & -left);
    EXPECT_EQ(make(), expected) << hwy::TargetName(left & -left);
  }
  hwy::SetSupportedTargetsForTest(0);
  return expected;
}

Floats product_of(const BandMatrix& matrix, const Floats& in, const Lines& lines) {
  Floats out(static_cast<size_t>(lines.count() * matrix.num_rows()));
  EXPECT_TRUE(matrix.multiply(in.data(), lines, out.data()).ok());
  return out;
}

TEST(BandMatrix, IsTheSumOfItsRows) {
  BandMatrix matrix(9);
  matrix.add_row(2, {1, -2, 3});
  matrix.add_row(0, {});
  matrix.add_row(8, {5});
  for (const Lines lines : {Lines{1, 9, 1}, Lines{37, 9, 1}, Lines{2, 9, 3}, Lines{3, 9, 150}}) {
    const Floats in = random_signal(lines.count() * 9);
    const Floats out = on_every_target([&] { return product_of(matrix, in, lines); });
    const Lines out_lines{lines.outer, 3, lines.inner};
    for (int64_t line = 0; line < lines.count(); ++line) {
      const float* const x = in.data() + lines.start(line);
      const float* const y = out.data() + out_lines.start(line);
      EXPECT_FLOAT_EQ(y[0], x[2 * lines.inner] - 2 * x[3 * lines.inner] + 3 * x[4 * lines.inner]);
      EXPECT_EQ(y[lines.inner], 0);
      EXPECT_EQ(y[2 * lines.inner], 5 * x[8 * lines.inner]);
    }
  }
}

TEST(LineBlocks, ReadsAndWritesEveryLine) {
  for (const Lines lines :
       {Lines{1, 5, 1}, Lines{35, 5, 1}, Lines{35, 6, 1}, Lines{2, 5, 3}, Lines{3, 4, 50}}) {
    const Floats in = random_signal(lines.count() * lines.length);
    const Floats out = on_every_target([&] {
      Floats copied(in.size());
      Floats rows(static_cast<size_t>(lines.length * kFftLanes));
      const LineBlocks blocks(lines);
      for (int64_t block = 0; block < blocks.count(); ++block) {
        blocks.read(in.data(), block, lines.length, rows.data());
        blocks.write(rows.data(), block, copied.data());
      }
      return copied;
    });
    EXPECT_EQ(out, in);
  }
}

TEST(Hann, IsItsDefinition) {
  EXPECT_THAT(hann_window(4, 0), ElementsAre(0, FloatEq(0.5f), 1, FloatEq(0.5f)));
  EXPECT_THAT(hann_window(2, 0.5), ElementsAre(FloatEq(0.5f), FloatEq(0.5f)));
  EXPECT_EQ(hann_sinc(0, 3), 1);
  EXPECT_NEAR(hann_sinc(-0.5, 3), 2 / std::numbers::pi * (0.5 + 0.25 * std::numbers::sqrt3), 1e-15);
  EXPECT_NEAR(hann_sinc(2, 3), 0, 1e-15);
  EXPECT_NEAR(hann_sinc(2.5, 2.5), 0, 1e-15);
}

TEST(Mel, ScalesAreInversesAndHaveTheirFixedPoints) {
  for (const MelFormula formula : {MelFormula::kSlaney, MelFormula::kHtk}) {
    for (const double hertz : {0.0, 20.0, 999.9, 1000.0, 1000.1, 8000.0, 22050.0}) {
      EXPECT_NEAR(hertz_of_mel(formula, mel_of_hertz(formula, hertz)), hertz, 1e-9 * hertz + 1e-9);
    }
  }
  EXPECT_NEAR(mel_of_hertz(MelFormula::kSlaney, 1000), 15, 1e-12);
  EXPECT_NEAR(mel_of_hertz(MelFormula::kSlaney, 6400), 42, 1e-12);
  EXPECT_NEAR(mel_of_hertz(MelFormula::kHtk, 700), 1127 * std::log(2.0), 1e-9);
}

TEST(Mel, NormalisedTrianglesHaveAnAreaOfOne) {
  const BandMatrix bank = mel_filter_bank({.num_filters = 20, .sample_rate = 16000, .high = 8000}, 8193);
  for (const BandMatrix::Row& row : bank.rows()) {
    const auto first = bank.numbers().begin() + row.first_number;
    EXPECT_NEAR(std::accumulate(first, first + row.size, 0.0) * 8000 / 8192, 1, 1e-3);
  }
}

TEST(Dct, OrthonormalOnesAre) {
  constexpr int64_t kSize = 12;
  for (const int type : {2, 3, 4}) {
    const BandMatrix matrix = dct_matrix(type, true, 0, kSize, kSize);
    for (int64_t a = 0; a < kSize; ++a) {
      for (int64_t b = 0; b < kSize; ++b) {
        const float* const row = matrix.numbers().data();
        EXPECT_NEAR(std::inner_product(row + a * kSize, row + (a + 1) * kSize, row + b * kSize, 0.0),
                    a == b ? 1 : 0, 1e-6)
            << type;
      }
    }
  }
}

TEST(Decibels, AreLogarithms) {
  Floats in = {1, 10, 1000, 0.5, 1e-30f, 0, -3, 1e38f};
  const Floats more = random_signal(40);
  in.insert(in.end(), more.begin(), more.end());
  const Floats out = on_every_target([&] {
    Floats made(in.size());
    to_decibels(in.data(), static_cast<int64_t>(in.size()), 10, 2, 1e-20f, made.data());
    return made;
  });
  for (size_t i = 0; i < in.size(); ++i) {
    EXPECT_NEAR(out[i], 10 * std::log10(std::max(1e-20, in[i] / 2.0)), 5e-5) << in[i];
  }
  EXPECT_EQ(largest(in.data(), static_cast<int64_t>(in.size()), 0), 1e38f);
  EXPECT_EQ(largest(in.data() + 6, 1, 0), 0);
}

SoundRegion region_by_sums(const Floats& signal, int64_t window, double threshold) {
  SoundRegion region;
  const auto length = static_cast<int64_t>(signal.size());
  window = std::min(window, length);
  for (int64_t begin = 0; begin + window <= length; ++begin) {
    double sum = 0;
    for (int64_t i = begin; i < begin + window; ++i) {
      sum += double{signal[static_cast<size_t>(i)]} * signal[static_cast<size_t>(i)];
    }
    if (sum >= threshold * static_cast<double>(window)) {
      region.begin = region.length == 0 ? begin : region.begin;
      region.length = begin + window - region.begin;
    }
  }
  return region;
}

TEST(Silence, IsWhatWindowsSay) {
  for (const int64_t window : {1, 3, 7, 64, 500}) {
    for (uint64_t seed = 0; seed < 8; ++seed) {
      Floats signal = random_signal(200, seed);
      std::fill(signal.begin(), signal.begin() + 50, 1e-3f);
      std::fill(signal.end() - 30, signal.end(), 0.0f);
      const tensor::TensorView view{signal.data(), {{200}, tensor::DType::kFloat, {}}};
      const auto found = nonsilent_region(view, {window, -20, 1.0});
      const SoundRegion wanted = region_by_sums(signal, window, 0.01);
      ASSERT_TRUE(found.ok());
      EXPECT_EQ(found->begin, wanted.begin);
      EXPECT_EQ(found->length, wanted.length);
    }
  }
}

TEST(Spectrogram, WindowsAreThoseOfTheSignal) {
  EXPECT_EQ(num_windows(100, {10, 5, false, false}), 19);
  EXPECT_EQ(num_windows(9, {10, 5, false, false}), 0);
  EXPECT_EQ(num_windows(100, {10, 5, true, false}), 21);
  EXPECT_EQ(num_windows(0, {10, 5, true, false}), 0);
}

TEST(Spectrogram, IsTheSameOnEveryTargetAndOfEveryWindowAlone) {
  const Floats signal = random_signal(1000);
  const Spectrogram transform({48, 20, false, false}, hann_window(48, 0.5), 50);
  const int64_t windows = num_windows(1000, transform.options());
  const auto made = [&](const float* from, int64_t length) {
    Floats out(static_cast<size_t>(transform.bins() * num_windows(length, transform.options())));
    EXPECT_TRUE(transform.run(SpectrumKind::kPower, from, length, true, out.data()).ok());
    return out;
  };
  const Floats all = on_every_target([&] { return made(signal.data(), 1000); });
  for (int64_t window = 0; window < windows; ++window) {
    const Floats alone = made(signal.data() + window * 20, 48);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), all.begin() + window * transform.bins())) << window;
  }
}

TEST(LineSpectra, AreTheSameOneByOneAndSideBySide) {
  const RealFft fft(24);
  const Floats in = random_signal(20 * 30);
  Floats together(static_cast<size_t>(20 * 13));
  ASSERT_TRUE(line_spectra(fft, SpectrumKind::kPower, in.data(), {20, 30, 1}, together.data()).ok());
  for (int64_t line = 0; line < 20; ++line) {
    Floats alone(13);
    ASSERT_TRUE(
        line_spectra(fft, SpectrumKind::kPower, in.data() + line * 30, {1, 30, 1}, alone.data()).ok());
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + line * 13)) << line;
  }
}

TEST(PhaseVocoder, AtItsOwnRateGivesTheSignal) {
  const Floats in = random_signal(3000);
  const PhaseVocoder vocoder(256, 64);
  const Floats out = on_every_target([&] {
    Floats made(in.size());
    EXPECT_TRUE(vocoder.stretch(in.data(), 3000, 1.0, made.data()).ok());
    return made;
  });
  for (size_t i = 0; i < 2800; ++i) {  // fewer windows lie about the end
    EXPECT_NEAR(out[i], in[i], 1e-4) << i;
  }
}

TEST(ResampleBandLimited, KeepsATone) {
  const Floats in = sine_of(4000, 20);
  Floats out(6000);
  resample_band_limited(in.data(), 4000, 1.5, out.data(), 6000);
  const Floats wanted = sine_of(6000, 30);
  for (size_t i = 100; i < 5900; ++i) {
    EXPECT_NEAR(out[i], wanted[i], 2e-3) << i;
  }
}

TEST(Preemphasis, TakesEveryBorder) {
  const Floats in = {1, 2, 4};
  const auto first = [&](PreemphasisBorder border) {
    Floats out(3);
    preemphasize({in.data(), {{3}, tensor::DType::kFloat, {}}}, 0.5f, border,
                 {out.data(), {{3}, tensor::DType::kFloat, {}}});
    EXPECT_THAT((Floats{out[1], out[2]}), ElementsAre(1.5f, 3));
    return out[0];
  };
  EXPECT_EQ(first(PreemphasisBorder::kZero), 1);
  EXPECT_EQ(first(PreemphasisBorder::kClamp), 0.5f);
  EXPECT_EQ(first(PreemphasisBorder::kReflect), 0);
}

}  // namespace
}  // namespace forebay::kernels
