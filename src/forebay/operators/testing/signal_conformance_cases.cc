#include "forebay/operators/testing/signal_conformance_cases.h"

#include <cmath>
#include <string>
#include <utility>

namespace forebay::operators::testing {
namespace {

TensorOfSample floats_like(Shape shape, Layout layout = {}) {
  return [shape, layout](uint64_t sample) { return noise({shape, DType::kFloat, layout}, sample); };
}

/// Numbers from 0 to 1.
TensorOfSample powers_like(Shape shape, Layout layout = {}) {
  return [shape, layout](uint64_t sample) {
    const Tensor signed_ones = noise({shape, DType::kFloat, layout}, sample);
    std::vector<float> values;
    for (const float value : signed_ones.view().span<float>()) {
      values.push_back(std::abs(value));
    }
    return *Tensor::copy_of<float>(values, shape, layout);
  };
}

TensorOfSample same_number(float value) {
  return [value](uint64_t) { return *Tensor::scalar<float>(value); };
}

void add_spectra(std::vector<ConformanceCase>* cases) {
  cases->push_back({"spectrogram",
                    "",
                    {{"window_length", int64_t{32}}, {"window_step", int64_t{5}}},
                    {floats_like({200})},
                    {}});
  cases->push_back({"spectrogram",
                    "with all arguments",
                    {{"window_length", int64_t{20}},
                     {"window_step", int64_t{7}},
                     {"nfft", int64_t{37}},
                     {"window_fn", std::vector<double>(20, 0.5)},
                     {"power", int64_t{1}},
                     {"center_windows", false},
                     {"layout", std::string("tf")}},
                    {floats_like({1, 99})},
                    {}});
  cases->push_back({"power_spectrum", "", {{"axis", int64_t{1}}}, {floats_like({3, 24, 5}, "cta")}, {}});
  cases->push_back(
      {"power_spectrum", "of lines in memory", {{"nfft", int64_t{64}}}, {floats_like({20, 40})}, {}});
  cases->push_back({"mel_filter_bank", "", {{"nfilter", int64_t{12}}}, {powers_like({33, 19}, "ft")}, {}});
  cases->push_back({"mel_filter_bank",
                    "of frequencies in memory",
                    {{"nfilter", int64_t{12}}, {"mel_formula", std::string("htk")}, {"sample_rate", 16000.0}},
                    {powers_like({19, 33}, "tf")},
                    {}});
  cases->push_back({"to_decibels", "", {}, {powers_like({9, 7}, "ft")}, {}});
  cases->push_back(
      {"to_decibels", "of a reference", {{"reference", 0.5}, {"cutoff_db", -20.0}}, {powers_like({61})}, {}});
  cases->push_back(
      {"mfcc", "", {{"n_mfcc", int64_t{5}}, {"lifter", 22.0}}, {floats_like({16, 21}, "ft")}, {}});
  cases->push_back(
      {"mfcc", "of the last axis", {{"axis", int64_t{-1}}, {"normalize", true}}, {floats_like({4, 16})}, {}});
}

void add_signals(std::vector<ConformanceCase>* cases) {
  cases->push_back(
      {"preemphasis_filter", "", {}, {floats_like({1500})}, {{"preemph_coeff", same_number(0.9f)}}});
  cases->push_back({"preemphasis_filter",
                    "of integers",
                    {{"border", std::string("reflect")}, {"dtype", static_cast<int64_t>(DType::kInt16)}},
                    {[](uint64_t sample) {
                      return noise({{1500}, DType::kInt16, {}}, sample);
                    }},
                    {}});
  cases->push_back({"nonsilent_region",
                    "",
                    {{"window_length", int64_t{16}}},
                    {floats_like({300})},
                    {{"cutoff_db", same_number(-1)}, {"reference_power", same_number(0.4f)}}});
  cases->push_back({"nonsilent_region",
                    "of integers",
                    {{"window_length", int64_t{16}}, {"cutoff_db", -1.0}},
                    {[](uint64_t sample) {
                      return noise({{300}, DType::kInt8, {}}, sample);
                    }},
                    {}});
  cases->push_back(
      {"time_stretch", "", {{"nfft", int64_t{64}}}, {floats_like({1, 700})}, {{"rate", same_number(1.3f)}}});
  cases->push_back(
      {"time_stretch", "slower", {{"nfft", int64_t{31}}, {"rate", 0.5}}, {floats_like({120})}, {}});
  cases->push_back(
      {"pitch_shift", "", {{"nfft", int64_t{64}}}, {floats_like({400})}, {{"n_steps", same_number(3)}}});
  cases->push_back({"add_noise", "", {}, {floats_like({2, 90})}, {{"snr", same_number(6)}}});
  cases->push_back(
      {"add_noise", "of a recording", {{"snr", 3.0}}, {floats_like({90}), floats_like({200})}, {}});
  cases->push_back({"add_noise", "repeated", {{"snr", 3.0}}, {floats_like({90}), floats_like({37})}, {}});
  cases->push_back({"spec_augment",
                    "",
                    {{"freq_mask_param", int64_t{4}}, {"time_mask_param", int64_t{5}}},
                    {powers_like({20, 30}, "ft")},
                    {{"p", same_number(0.5f)}}});
  cases->push_back({"spec_augment",
                    "to a value",
                    {{"freq_mask_param", int64_t{400}}, {"mask_value", -3.0}},
                    {powers_like({2, 30, 20}, "ctf")},
                    {}});
}

}  // namespace

std::vector<ConformanceCase> signal_conformance_cases() {
  std::vector<ConformanceCase> cases;
  add_spectra(&cases);
  add_signals(&cases);
  return cases;
}

}  // namespace forebay::operators::testing
