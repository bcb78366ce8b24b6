// mfcc: cepstral coefficients, the cosine transform of a mel spectrogram in decibels.
#include <algorithm>

#include "forebay/kernels/signal/dct.h"
#include "forebay/operators/audio/signal_input.h"
#include "forebay/operators/audio/spectrum_axis.h"
#include "forebay/operators/audio/tables_by_number.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/axes.h"

namespace forebay::operators {
namespace {

struct Mfcc {
  int64_t n_mfcc = 20;
  int64_t dct_type = 2;
  bool normalize = false;
  int64_t axis = 0;
  float lifter = 0.0f;

  std::shared_ptr<TablesByNumber<kernels::BandMatrix>> matrices =
      std::make_shared<TablesByNumber<kernels::BandMatrix>>();

  Status prepare(const Arguments&) const {
    if (n_mfcc < 1) {
      return invalid_argument("argument 'n_mfcc' is {}; it must be at least 1", n_mfcc);
    }
    if (dct_type < 1 || dct_type > 4) {
      return invalid_argument("argument 'dct_type' is {}; it must be from 1 to 4", dct_type);
    }
    if (normalize && dct_type == 1) {
      return invalid_argument("normalize=True goes with 'dct_type' 2, 3 or 4, not with 1");
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_RETURN_IF_ERROR(check_is_float(in));
    FOREBAY_ASSIGN_OR_RETURN(const int along, resolved_axis(axis, in.shape().rank()));
    const kernels::Lines lines = lines_along(in.shape(), along);
    constexpr int64_t kMaxBands = int64_t{1} << 14;
    if (lines.length > kMaxBands || (dct_type == 1 && lines.length == 1)) {
      return invalid_argument(
          "axis {} of the input, {}, has {} bands; it may have up to {}, for 'dct_type' 1 not 1", along,
          in.spec().to_string(), lines.length, kMaxBands);
    }
    Shape shape = in.shape();
    shape[along] = std::min(n_mfcc, lines.length);
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out,
                             sample.output(0, {shape, DType::kFloat, in.layout()}));
    return matrices->with(
        sample.services(), lines.length,
        kernels::band_matrix_bytes(shape[along], shape[along] * lines.length),
        [&] {
          return kernels::dct_matrix(static_cast<int>(dct_type), normalize, lifter, shape[along],
                                     lines.length);
        },
        [&](const kernels::BandMatrix& matrix) {
          return matrix.multiply(in.view().as<float>(), lines, out.as<float>());
        });
  }
};

}  // namespace

OperatorSpec mfcc() {
  using Op = Mfcc;
  return describe<Op>("mfcc", "Mel-frequency cepstral coefficients of a mel spectrogram in decibels.")
      .input("data", "A tensor of FLOAT: mel bands on one of its axes.")
      .param("n_mfcc", &Op::n_mfcc, "How many coefficients; at most as many as there are bands.")
      .param("dct_type", &Op::dct_type, "The type of the discrete cosine transform, 1 to 4.")
      .param("normalize", &Op::normalize, "Whether the transform is orthonormal; not with type 1.")
      .param("axis", &Op::axis, "The axis of the bands; negative from the end.")
      .param("lifter", &Op::lifter,
             "If it is not 0, coefficient i is multiplied by 1 + lifter / 2 * sin(pi * (i + 1) / lifter).")
      .outputs("The input's shape with the coefficients on the axis, FLOAT. The same bits on every target.")
      .matches("DALI mfcc")
      .build();
}

}  // namespace forebay::operators
