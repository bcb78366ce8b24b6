// Operators on sound: shapes, what is refused and how it is said. tests/parity compares their numbers with
// DALI's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor tone(int64_t length, double period) {
  std::vector<float> samples;
  for (int64_t i = 0; i < length; ++i) {
    samples.push_back(static_cast<float>(std::sin(2 * std::numbers::pi * static_cast<double>(i) / period)));
  }
  return tensor_of<float>(std::move(samples), {length});
}

Tensor made(const std::string& name, std::vector<Tensor> inputs, Given given = {}) {
  const auto out = run_operator(name, std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

std::string refusal(const std::string& name, std::vector<Tensor> inputs, Given given = {}) {
  const auto out = run_operator(name, std::move(inputs), given);
  EXPECT_FALSE(out.ok());
  return std::string(message(out.status()));
}

int64_t place_of_largest(const Tensor& tensor) {
  const auto values = values_of<float>(tensor);
  return std::ranges::max_element(values) - values.begin();
}

TEST(Spectrogram, HasAPeakWhereTheToneIs) {
  const Tensor out = made("spectrogram", {tone(640, 16)},
                          {.constants = {{"window_length", int64_t{64}}, {"window_step", int64_t{64}}}});
  EXPECT_EQ(out.spec(), (TensorSpec{{33, 11}, DType::kFloat, "ft"}));
  const auto values = values_of<float>(out);
  for (int64_t bin = 0; bin < 33; ++bin) {
    EXPECT_EQ(values[static_cast<size_t>(bin * 11 + 5)] > 50, std::abs(bin - 4) <= 1) << bin;
  }
}

TEST(Spectrogram, NamesWhatIsWrong) {
  EXPECT_THAT(refusal("spectrogram", {counted<float>({2, 600})}), HasSubstr("one channel"));
  EXPECT_THAT(refusal("spectrogram", {counted<int16_t>({600})}), HasSubstr("FLOAT"));
  EXPECT_THAT(refusal("spectrogram", {counted<float>({0})}), HasSubstr("without samples"));
  EXPECT_THAT(refusal("spectrogram", {counted<float>({100})}, {.constants = {{"center_windows", false}}}),
              HasSubstr("100 samples has no window of 512"));
  const auto with = [](const char* argument, Value value) {
    return refusal("spectrogram", {counted<float>({600})}, {.constants = {{argument, std::move(value)}}});
  };
  EXPECT_THAT(with("nfft", int64_t{511}), HasSubstr("nfft=511"));
  EXPECT_THAT(with("nfft", int64_t{1} << 40), HasSubstr("nfft="));
  EXPECT_THAT(with("window_step", int64_t{0}), HasSubstr("at least 1"));
  EXPECT_THAT(with("power", int64_t{3}), HasSubstr("'power' is 3"));
  EXPECT_THAT(with("layout", std::string("ff")), HasSubstr("'ff'"));
  EXPECT_THAT(with("window_fn", std::vector<double>{1, 2}), HasSubstr("'window_fn' has 2"));
}

TEST(MelFilterBank, NamesWhatIsWrong) {
  const Tensor spectrum = counted<float>({33, 4}, "ft");
  EXPECT_THAT(refusal("mel_filter_bank", {counted<float>({33, 4}, "xy")}), HasSubstr("'f'"));
  const auto with = [&](const char* argument, Value value) {
    return refusal("mel_filter_bank", {spectrum}, {.constants = {{argument, std::move(value)}}});
  };
  EXPECT_THAT(with("nfilter", int64_t{0}), HasSubstr("'nfilter' is 0"));
  EXPECT_THAT(with("sample_rate", 0.0), HasSubstr("'sample_rate' is 0"));
  EXPECT_THAT(with("freq_low", 30000.0), HasSubstr("freq_low=30000"));
  EXPECT_THAT(with("mel_formula", std::string("bark")), HasSubstr("bark"));
}

TEST(MelFilterBank, OfNothingIsNothing) {
  EXPECT_EQ(made("mel_filter_bank", {counted<float>({33, 0}, "ft")}).shape(), (Shape{128, 0}));
  EXPECT_THAT(values_of<float>(made("mel_filter_bank", {counted<float>({0, 2}, "ft")},
                                    {.constants = {{"nfilter", int64_t{2}}}})),
              ElementsAre(0, 0, 0, 0));
}

TEST(ToDecibels, KeepsNaNAndCutsWhatIsLow) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto values = values_of<float>(
      made("to_decibels", {tensor_of<float>({100, 1, 0, nan}, {4})}, {.constants = {{"cutoff_db", -80.0}}}));
  EXPECT_NEAR(values[0], 0, 1e-6);
  EXPECT_NEAR(values[1], -20, 1e-5);
  EXPECT_NEAR(values[2], -80, 1e-4);
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_THAT(refusal("to_decibels", {counted<float>({4})}, {.constants = {{"reference", 0.0}}}),
              HasSubstr("'reference' is 0"));
}

/// The float nearest to 10 ** (cutoff_db / multiplier), where powf gives the one above.
TEST(ToDecibels, CutsWhereTheRoundedPowerIs) {
  const auto of = [](float ratio, double cutoff) {
    return values_of<float>(
        made("to_decibels", {tensor_of<float>({ratio}, {1})},
             {.constants = {{"multiplier", 100.0}, {"reference", 1.0}, {"cutoff_db", cutoff}}}))[0];
  };
  EXPECT_EQ(of(0, -4.343), of(0.90483624f, -200));
}

TEST(Mfcc, NamesWhatIsWrong) {
  const auto with = [](std::map<std::string, Value> constants) {
    return refusal("mfcc", {counted<float>({1, 4})}, {.constants = std::move(constants)});
  };
  EXPECT_THAT(with({{"n_mfcc", int64_t{0}}}), HasSubstr("'n_mfcc' is 0"));
  EXPECT_THAT(with({{"dct_type", int64_t{5}}}), HasSubstr("'dct_type' is 5"));
  EXPECT_THAT(with({{"dct_type", int64_t{1}}}), HasSubstr("not 1"));
  EXPECT_THAT(with({{"dct_type", int64_t{1}}, {"normalize", true}}), HasSubstr("normalize"));
  EXPECT_THAT(with({{"axis", int64_t{2}}}), HasSubstr("axis 2"));
}

TEST(PreemphasisFilter, GoesOnOverBlocks) {
  const Tensor out =
      made("preemphasis_filter", {counted<int32_t>({3000})},
           {.constants = {{"preemph_coeff", 1.0}, {"dtype", static_cast<int64_t>(DType::kInt16)}}});
  const auto values = values_of<int16_t>(out);
  EXPECT_EQ(values[0], 0);
  EXPECT_THAT((std::vector<int16_t>(values.begin() + 1, values.end())), Each(1));
  EXPECT_EQ(made("preemphasis_filter", {counted<float>({0})}).volume(), 0);
  EXPECT_THAT(
      refusal("preemphasis_filter", {counted<float>({4})}, {.constants = {{"border", std::string("wrap")}}}),
      HasSubstr("wrap"));
}

TEST(NonsilentRegion, OfSilenceAndNothing) {
  const auto region = [](Tensor in) {
    const auto out =
        run_operator("nonsilent_region", {std::move(in)}, {.constants = {{"reference_power", 1.0}}});
    EXPECT_TRUE(out.ok()) << out.status();
    return std::pair(*(*out)[0].view().as<int32_t>(), *(*out)[1].view().as<int32_t>());
  };
  EXPECT_EQ(region(tensor_of<float>(std::vector<float>(100), {100})), std::pair(0, 0));
  EXPECT_EQ(region(counted<float>({0})), std::pair(0, 0));
  EXPECT_EQ(region(tone(100, 10)), std::pair(0, 100));
  EXPECT_THAT(refusal("nonsilent_region", {tensor_of<float>({1, NAN, 1}, {3})}), HasSubstr("NaN"));
  EXPECT_THAT(refusal("nonsilent_region", {tone(9, 3)}, {.constants = {{"window_length", int64_t{0}}}}),
              HasSubstr("'window_length' is 0"));
}

TEST(TimeStretch, KeepsThePitch) {
  const Tensor out =
      made("time_stretch", {tone(4096, 16)}, {.constants = {{"rate", 2.0}, {"nfft", int64_t{256}}}});
  ASSERT_EQ(out.shape(), (Shape{2048}));
  EXPECT_EQ(place_of_largest(made("power_spectrum", {out})), 2048 / 16);
  EXPECT_THAT(refusal("time_stretch", {tone(99, 9)}, {.constants = {{"rate", 0.0}}}),
              HasSubstr("'rate' is 0"));
}

TEST(PitchShift, MovesATone) {
  const Tensor out =
      made("pitch_shift", {tone(8192, 32)}, {.constants = {{"n_steps", 12.0}, {"nfft", int64_t{512}}}});
  ASSERT_EQ(out.shape(), (Shape{8192}));
  EXPECT_EQ(place_of_largest(made("power_spectrum", {out})), 2 * 8192 / 32);
  EXPECT_THAT(refusal("pitch_shift", {tone(99, 9)}, {.constants = {{"n_steps", 1e9}}}),
              HasSubstr("6 octaves"));
}

TEST(AddNoise, HasTheRatioThatIsAskedFor) {
  const Tensor in = tone(5000, 33);
  const Tensor out = made("add_noise", {in}, {.constants = {{"snr", 20.0}}});
  double signal = 0;
  double noise = 0;
  for (size_t i = 0; i < 5000; ++i) {
    const double sample = in.view().as<float>()[i];
    const double added = out.view().as<float>()[i] - sample;
    signal += sample * sample;
    noise += added * added;
  }
  EXPECT_NEAR(10 * std::log10(signal / noise), 20, 1e-3);
  EXPECT_THAT(refusal("add_noise", {in, counted<float>({0})}, {.constants = {{"snr", 20.0}}}),
              HasSubstr("no samples"));
}

TEST(AddNoise, LeavesSilenceSilent) {
  const Tensor silence = tensor_of<float>(std::vector<float>(64), {64});
  EXPECT_TRUE(same_bytes(made("add_noise", {silence}, {.constants = {{"snr", 0.0}}}), silence));
  const Tensor in = tone(64, 8);
  EXPECT_TRUE(same_bytes(made("add_noise", {in, silence}, {.constants = {{"snr", 0.0}}}), in));
}

TEST(SpecAugment, MasksWholeRowsAndColumns) {
  const Tensor in = counted<float>({20, 30}, "ft");
  std::set<int64_t> widths;
  for (int64_t position = 0; position < 200; ++position) {
    const Given given{.constants = {{"n_freq_masks", int64_t{1}},
                                    {"freq_mask_param", int64_t{4}},
                                    {"n_time_masks", int64_t{0}},
                                    {"mask_value", -1.0}},
                      .identity = {.position = position}};
    const auto values = values_of<float>(made("spec_augment", {in}, given));
    int64_t width = 0;
    for (size_t row = 0; row < 20; ++row) {
      const auto masked = std::count(values.begin() + row * 30, values.begin() + (row + 1) * 30, -1.0f);
      EXPECT_TRUE(masked == 0 || masked == 30);
      width += masked == 30;
    }
    widths.insert(width);
  }
  EXPECT_EQ(widths, (std::set<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_THAT(refusal("spec_augment", {in}, {.constants = {{"p", 2.0}}}), HasSubstr("'p' is 2"));
  EXPECT_THAT(refusal("spec_augment", {in}, {.constants = {{"n_time_masks", int64_t{-1}}}}),
              HasSubstr("-1 masks"));
}

}  // namespace
}  // namespace forebay::operators::testing
