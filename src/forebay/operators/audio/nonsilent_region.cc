// nonsilent_region: where a signal begins and ends to be louder than silence.
#include "forebay/kernels/signal/silence.h"

#include "forebay/operators/audio/signal_input.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct NonsilentRegion {
  Arg<float> cutoff_db = -60.0f;
  Arg<int64_t> window_length = 2048;
  Arg<float> reference_power;
  Arg<int64_t> reset_interval = 8192;

  int num_outputs() const { return 2; }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    if (in.dtype() == DType::kBool) {
      return invalid_argument("the input is {}; it must be of numbers", in.spec().to_string());
    }
    FOREBAY_RETURN_IF_ERROR(samples_of_one_channel(in).status());
    FOREBAY_ASSIGN_OR_RETURN(const kernels::SilenceOptions options, options_for(sample));
    FOREBAY_ASSIGN_OR_RETURN(const kernels::SoundRegion region,
                             kernels::nonsilent_region(in.view(), options));
    const int64_t numbers[] = {region.begin, region.length};
    for (int i = 0; i < 2; ++i) {
      if (numbers[i] > INT32_MAX) {
        return invalid_argument("the input is {}: its sound's place does not fit INT32",
                                in.spec().to_string());
      }
      FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(i, {Shape(), DType::kInt32, {}}));
      *out.as<int32_t>() = static_cast<int32_t>(numbers[i]);
    }
    return ok_status();
  }

 private:
  Result<kernels::SilenceOptions> options_for(const Sample& sample) const {
    kernels::SilenceOptions options;
    FOREBAY_ASSIGN_OR_RETURN(options.cutoff_db, cutoff_db.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(options.window, window_length.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(options.reference, reference_power.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const int64_t reset, reset_interval.get(sample));
    if (options.window < 1) {
      return invalid_argument("argument 'window_length' is {}; it must be at least 1", options.window);
    }
    if (reference_power.is_given() && !(options.reference > 0)) {
      return invalid_argument("argument 'reference_power' is {}; it must be above 0", options.reference);
    }
    if (reset != -1 && reset < 1) {
      return invalid_argument("argument 'reset_interval' is {}; it must be -1 or at least 1", reset);
    }
    return options;
  }
};

}  // namespace

OperatorSpec nonsilent_region() {
  using Op = NonsilentRegion;
  return describe<Op>("nonsilent_region", "Where a signal begins and ends to be louder than silence.")
      .input("data", "A signal of one channel, of any type of numbers.")
      .param("cutoff_db", &Op::cutoff_db, "What is below this is silent, in dB of the reference.")
      .param(
          "window_length", &Op::window_length,
          "The samples whose mean square is a signal's power at some time; all of them if there are fewer.")
      .param("reference_power", &Op::reference_power,
             "What is 0 dB; without it, the largest power of the signal.")
      .param("reset_interval", &Op::reset_interval,
             "Checked and without effect: powers are differences of sums in double, which do not drift.")
      .outputs(
          "Two INT32 scalars: the first sample of the first window that is not silent, and how many there "
          "are up to "
          "the end of the last one; 0 and 0 if all is silent.")
      .matches("DALI nonsilent_region")
      .build();
}

}  // namespace forebay::operators
