// to_decibels: powers or magnitudes on a logarithmic scale.
#include <cmath>
#include <limits>

#include "forebay/kernels/signal/decibels.h"
#include "forebay/operators/audio/signal_input.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct ToDecibels {
  float multiplier = 10.0f;
  std::optional<float> reference;
  float cutoff_db = -200.0f;

  Status prepare(const Arguments&) const {
    if (reference && *reference == 0) {
      return invalid_argument("argument 'reference' is 0; leave it out for the largest value of each sample");
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_RETURN_IF_ERROR(check_is_float(in));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, in.spec()));
    const auto* const values = in.view().as<float>();
    float divisor = reference ? *reference : kernels::largest(values, in.volume(), 0.0f);
    if (divisor == 0) {
      divisor = 1;  // a sample of zeros
    }
    kernels::to_decibels(values, in.volume(), multiplier, divisor, min_ratio(), out.as<float>());
    return ok_status();
  }

 private:
  /// Of the exponent in single precision, as DALI has it, rounded from double: powf's last bit is the C
  /// library's. At least the least positive float, so that a cutoff beyond all floats still gives a
  /// logarithm.
  float min_ratio() const {
    const double ratio = std::pow(10.0, double{cutoff_db / multiplier});
    return std::max(std::numeric_limits<float>::denorm_min(), static_cast<float>(ratio));
  }
};

}  // namespace

OperatorSpec to_decibels() {
  using Op = ToDecibels;
  return describe<Op>("to_decibels", "Powers or magnitudes on a logarithmic scale.")
      .input("data", "Any tensor of FLOAT, of numbers from 0 on.")
      .param("multiplier", &Op::multiplier, "Of the decimal logarithm: 10 for powers, 20 for magnitudes.")
      .param("reference", &Op::reference, "What is 0 dB; without it, the largest value of the sample.")
      .param("cutoff_db", &Op::cutoff_db, "What is below becomes this, in dB.")
      .outputs(
          "multiplier * log10(max(10 ** (cutoff_db / multiplier), data / reference)), FLOAT; NaN stays NaN. "
          "The "
          "same bits on every target.")
      .matches("DALI to_decibels")
      .build();
}

}  // namespace forebay::operators
