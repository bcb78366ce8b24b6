// power_spectrum: the power by frequency of lines along one axis.
#include <algorithm>

#include "forebay/kernels/signal/line_spectra.h"
#include "forebay/operators/audio/signal_input.h"
#include "forebay/operators/audio/spectrum_axis.h"
#include "forebay/operators/audio/tables_by_number.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/axes.h"

namespace forebay::operators {
namespace {

struct PowerSpectrum {
  std::optional<int64_t> nfft;
  int64_t power = 2;
  int64_t axis = -1;

  std::shared_ptr<TablesByNumber<kernels::RealFft>> transforms =
      std::make_shared<TablesByNumber<kernels::RealFft>>();

  Status prepare(const Arguments&) const {
    FOREBAY_RETURN_IF_ERROR(check_power(power));
    return nfft ? check_points(*nfft) : ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_RETURN_IF_ERROR(check_is_float(in));
    FOREBAY_ASSIGN_OR_RETURN(const int along, resolved_axis(axis, in.shape().rank()));
    const kernels::Lines lines = lines_along(in.shape(), along);
    const int64_t points = nfft.value_or(lines.length);
    FOREBAY_RETURN_IF_ERROR(check_points(points));
    Shape shape = in.shape();
    shape[along] = points / 2 + 1;
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out,
                             sample.output(0, {shape, DType::kFloat, in.layout()}));
    return transforms->with(
        sample.services(), points, kernels::RealFft::table_bytes(points),
        [&] { return kernels::RealFft(points); },
        [&](const kernels::RealFft& fft) {
          return kernels::line_spectra(fft, spectrum_of(power), in.view().as<float>(), lines,
                                       out.as<float>());
        });
  }

 private:
  static Status check_points(int64_t points) {
    if (points < 1 || points > kernels::RealFft::kLargestSize) {
      return invalid_argument("a transform of {} points: it must have from 1 to {}", points,
                              kernels::RealFft::kLargestSize);
    }
    return ok_status();
  }
};

}  // namespace

OperatorSpec power_spectrum() {
  using Op = PowerSpectrum;
  return describe<Op>("power_spectrum", "The power by frequency of lines along an axis.")
      .input("data", "Any tensor of FLOAT.")
      .param("nfft", &Op::nfft,
             "Points of the Fourier transform. Shorter lines are continued with zeros, longer ones cut. "
             "Without it, "
             "the extent of the axis.")
      .param("power", &Op::power, "2 gives powers, 1 magnitudes.")
      .param("axis", &Op::axis, "The axis of the lines; negative from the end.")
      .outputs(
          "The input's shape with nfft // 2 + 1 frequencies on the axis, FLOAT. The same bits on every "
          "target.")
      .matches("DALI power_spectrum")
      .build();
}

}  // namespace forebay::operators
