// mel_filter_bank: a spectrogram's frequencies summed by triangles on the mel scale.
#include "forebay/kernels/signal/mel.h"
#include "forebay/operators/audio/signal_input.h"
#include "forebay/operators/audio/spectrum_axis.h"
#include "forebay/operators/audio/tables_by_number.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct MelFilterBankOperator {
  int64_t nfilter = 128;
  float sample_rate = 44100.0f;
  float freq_low = 0.0f;
  float freq_high = 0.0f;
  bool normalize = true;
  std::string mel_formula = "slaney";

  std::shared_ptr<TablesByNumber<kernels::BandMatrix>> banks =
      std::make_shared<TablesByNumber<kernels::BandMatrix>>();

  kernels::MelOptions options() const {
    return {nfilter,
            sample_rate,
            freq_low,
            highest(),
            mel_formula == "htk" ? kernels::MelFormula::kHtk : kernels::MelFormula::kSlaney,
            normalize};
  }
  float highest() const { return freq_high > 0 ? freq_high : sample_rate / 2; }

  Status prepare(const Arguments&) const {
    constexpr int64_t kMaxFilters = int64_t{1} << 20;
    if (nfilter < 1 || nfilter > kMaxFilters) {
      return invalid_argument("argument 'nfilter' is {}; it must be from 1 to {}", nfilter, kMaxFilters);
    }
    if (!(sample_rate > 0)) {
      return invalid_argument("argument 'sample_rate' is {}; it must be above 0", sample_rate);
    }
    if (!(freq_low >= 0) || !(highest() > freq_low) || !(highest() <= sample_rate)) {
      return invalid_argument(
          "filters from freq_low={} to freq_high={} Hz: they must go from at least 0 to something higher "
          "that is at "
          "most the sample rate of {}",
          freq_low, highest(), sample_rate);
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_RETURN_IF_ERROR(check_is_float(in));
    FOREBAY_ASSIGN_OR_RETURN(const int axis, frequency_axis(in));
    const kernels::Lines lines = lines_along(in.shape(), axis);
    Shape shape = in.shape();
    shape[axis] = nfilter;
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out,
                             sample.output(0, {shape, DType::kFloat, in.layout()}));
    // A frequency lies in two triangles at most.
    return banks->with(
        sample.services(), lines.length, kernels::band_matrix_bytes(nfilter, 2 * lines.length),
        [&] { return kernels::mel_filter_bank(options(), lines.length); },
        [&](const kernels::BandMatrix& bank) {
          return bank.multiply(in.view().as<float>(), lines, out.as<float>());
        });
  }
};

}  // namespace

OperatorSpec mel_filter_bank() {
  using Op = MelFilterBankOperator;
  return describe<Op>("mel_filter_bank",
                      "A spectrogram on the mel scale: its frequencies summed by triangles.")
      .input("data",
             "A spectrogram, FLOAT. Its frequencies are the axis 'f' of its layout; without a layout the "
             "last axis but "
             "one, or the only one. They are those of a transform of `2 * (extent - 1)` points.")
      .param("nfilter", &Op::nfilter, "How many triangles.")
      .param("sample_rate", &Op::sample_rate, "Of the signal, in Hz.")
      .param("freq_low", &Op::freq_low, "Where the first triangle begins, in Hz.")
      .param("freq_high", &Op::freq_high,
             "Where the last one ends, in Hz; 0 stands for half the sample rate.")
      .param("normalize", &Op::normalize, "Whether each triangle's area over Hz is 1. Otherwise its peak is.")
      .param("mel_formula", &Op::mel_formula,
             "'slaney': linear below 1 kHz, logarithmic above; 'htk': 1127 * ln(1 + f / 700).")
      .choices({"slaney", "htk"})
      .outputs("The input's shape with `nfilter` frequencies, FLOAT. The same bits on every target.")
      .matches("DALI mel_filter_bank")
      .build();
}

}  // namespace forebay::operators
