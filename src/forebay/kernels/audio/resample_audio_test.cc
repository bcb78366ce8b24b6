// Resampling of sound: against its formula in double precision, in ranges, and at the edges.
#include "forebay/kernels/audio/resample_audio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "forebay/kernels/audio/mix_audio.h"

namespace forebay::kernels {
namespace {

std::vector<float> sines(int64_t count, double step) {
  std::vector<float> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    values[static_cast<size_t>(i)] = static_cast<float>(std::sin(static_cast<double>(i) * step));
  }
  return values;
}

std::vector<float> resampled(const std::vector<float>& in, double in_rate, double out_rate, double quality) {
  const auto length = resampled_length(static_cast<int64_t>(in.size()), in_rate, out_rate);
  std::vector<float> out(static_cast<size_t>(*length));
  AudioResampler::make(quality)->run(in, in_rate, out_rate, 0, out);
  return out;
}

double window_at(double x, int lobes) {
  if (std::abs(x) >= lobes) {
    return 0;
  }
  const double sinc = x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
  return sinc * 0.5 * (1 + std::cos(std::numbers::pi * x / lobes));
}

double by_formula(const std::vector<float>& in, double place, int lobes) {
  double sum = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    sum += static_cast<double>(in[i]) * window_at(static_cast<double>(i) - place, lobes);
  }
  return sum;
}

TEST(AudioResamplerTest, LobesFollowFromQuality) {
  EXPECT_EQ(AudioResampler::make(0)->lobes(), 3);
  EXPECT_EQ(AudioResampler::make(50)->lobes(), 16);
  EXPECT_EQ(AudioResampler::make(100)->lobes(), 64);
  for (const double quality : {-0.1, 100.1, std::nan("")}) {
    EXPECT_EQ(AudioResampler::make(quality).status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(AudioResamplerTest, FollowsTheFormula) {
  for (const auto& [in_rate, out_rate] :
       {std::pair{44100.0, 16000.0}, {16000.0, 44100.0}, {8000.0, 48000.0}, {3.0, 1.0}, {1.0, 0.37}}) {
    for (const double quality : {0.0, 50.0, 100.0}) {
      const int lobes = AudioResampler::make(quality)->lobes();
      const std::vector<float> in = sines(1500, 0.3);
      const std::vector<float> out = resampled(in, in_rate, out_rate, quality);
      for (size_t k = 0; k < out.size(); k += 7) {
        ASSERT_NEAR(out[k], by_formula(in, static_cast<double>(k) * in_rate / out_rate, lobes), 2e-3)
            << in_rate << " to " << out_rate << " of " << quality << " at " << k;
      }
    }
  }
}

TEST(AudioResamplerTest, TheSameRateGivesTheSameSamples) {
  const std::vector<float> in = sines(777, 0.9);
  const std::vector<float> out = resampled(in, 5, 5, 50);
  ASSERT_EQ(out.size(), in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    ASSERT_NEAR(out[i], in[i], 1e-6);
  }
}

TEST(AudioResamplerTest, RangesHaveTheBitsOfTheWhole) {
  const std::vector<float> in = sines(4000, 0.71);
  const std::vector<float> whole = resampled(in, 22050, 16000, 50);
  const AudioResampler resampler = *AudioResampler::make(50);
  for (size_t first = 0; first < whole.size(); first += 3 * kResampledBlock) {
    std::vector<float> part(std::min<size_t>(3 * kResampledBlock, whole.size() - first));
    resampler.run(in, 22050, 16000, static_cast<int64_t>(first), part);
    for (size_t i = 0; i < part.size(); ++i) {
      ASSERT_EQ(part[i], whole[first + i]) << first + i;
    }
  }
}

TEST(AudioResamplerTest, ShortAndEmptySound) {
  EXPECT_TRUE(resampled({}, 2, 1, 100).empty());
  const std::vector<float> one = resampled({0.5f}, 1, 4, 100);
  ASSERT_EQ(one.size(), 4);
  EXPECT_FLOAT_EQ(one[0], 0.5f);
}

TEST(AudioResamplerTest, LengthsAndRatesThatCannotBe) {
  EXPECT_EQ(*resampled_length(100, 44100, 16000), 37);
  EXPECT_EQ(*resampled_length(100, 1, 0), 0);
  for (const auto& [in_rate, out_rate] :
       {std::pair{0.0, 1.0}, {1.0, -1.0}, {std::nan(""), 1.0}, {1.0, INFINITY}, {1e-30, 1e30}}) {
    EXPECT_EQ(resampled_length(100, in_rate, out_rate).status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(MixAudioTest, MeansOfChannelsAndTypes) {
  const std::vector<int16_t> in{32767, -32767, 16384, 16384, -32768, -32768};
  const tensor::TensorView stereo{in.data(), {{3, 2}, tensor::DType::kInt16, {}}};
  std::vector<float> mean(3);
  ASSERT_TRUE(mix_audio(stereo, {mean.data(), {{3}, tensor::DType::kFloat, {}}}).ok());
  EXPECT_FLOAT_EQ(mean[0], 0);
  EXPECT_NEAR(mean[1], 16384 / 32767.0, 1e-6);
  std::vector<uint8_t> small(6);
  ASSERT_TRUE(mix_audio(stereo, {small.data(), {{3, 2}, tensor::DType::kUint8, {}}}).ok());
  EXPECT_EQ(small, (std::vector<uint8_t>{255, 0, 191, 191, 0, 0}));
  EXPECT_FALSE(mix_audio(stereo, {small.data(), {{5}, tensor::DType::kUint8, {}}}).ok());
  EXPECT_FALSE(mix_audio(stereo, {small.data(), {{3}, tensor::DType::kFloat64, {}}}).ok());
}

}  // namespace
}  // namespace forebay::kernels
