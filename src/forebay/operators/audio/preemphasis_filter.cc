// preemphasis_filter: raises high frequencies by a difference of neighbours.
#include "forebay/kernels/signal/preemphasis.h"

#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct PreemphasisFilter {
  Arg<float> preemph_coeff = 0.97f;
  std::string border = "clamp";
  DType dtype = DType::kFloat;

  Status prepare(const Arguments&) const {
    if (dtype == DType::kBool) {
      return invalid_argument("argument 'dtype' is BOOL; it must be a type of numbers");
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    if (in.dtype() == DType::kBool) {
      return invalid_argument("the input is {}; it must be of numbers", in.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const float coefficient, preemph_coeff.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, {in.shape(), dtype, in.layout()}));
    kernels::preemphasize(in.view(), coefficient, border_of(border), out);
    return ok_status();
  }

 private:
  static kernels::PreemphasisBorder border_of(const std::string& name) {
    if (name == "zero") {
      return kernels::PreemphasisBorder::kZero;
    }
    return name == "clamp" ? kernels::PreemphasisBorder::kClamp : kernels::PreemphasisBorder::kReflect;
  }
};

}  // namespace

OperatorSpec preemphasis_filter() {
  using Op = PreemphasisFilter;
  return describe<Op>("preemphasis_filter",
                      "Raises high frequencies: each sample less a part of the one before.")
      .input("data", "A signal of any type of numbers; of several axes the elements in memory order.")
      .param("preemph_coeff", &Op::preemph_coeff, "The part of the sample before.")
      .param(
          "border", &Op::border,
          "What stands before the first sample: 'zero', 'clamp' (the first one), 'reflect' (the second one).")
      .choices({"zero", "clamp", "reflect"})
      .param("dtype", &Op::dtype, "Type of the output; integers are rounded and saturated.")
      .outputs(
          "data[t] - preemph_coeff * data[t - 1], with the input's shape. Computed in floats, of FLOAT64 in "
          "doubles.")
      .matches("DALI preemphasis_filter")
      .build();
}

}  // namespace forebay::operators
