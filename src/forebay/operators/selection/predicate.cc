// _predicate: what a conditional or a logical expression asks, checked.
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct Predicate {
  std::string of;
  bool boolean = false;
  bool takes_one = false;

  Status run(Sample& sample) const {
    const Tensor& asked = sample.input(0);
    const bool is_clear = asked.shape().rank() == 0 || (takes_one && asked.volume() == 1);
    if (!is_clear) {
      return invalid_argument("`{}` asks for a scalar, not for a tensor of {}; reduce or index it first", of,
                              asked.spec().to_string());
    }
    if (boolean && asked.dtype() != DType::kBool) {
      return invalid_argument("`{}` asks for a bool, not for {}; compare it with a number first", of,
                              tensor::name_of(asked.dtype()));
    }
    sample.forward(0, asked);
    return ok_status();
  }
};

}  // namespace

OperatorSpec predicate() {
  return describe<Predicate>("_predicate", "Checks what a conditional or a logical expression asks.")
      .input("asked", "A scalar.")
      .param("of", &Predicate::of, "Who asks, for errors: if, and, or, not.")
      .param("boolean", &Predicate::boolean, "Whether it must be a bool; else any number will do.")
      .param("takes_one", &Predicate::takes_one, "Whether a tensor of one element will do, too.")
      .outputs("The input, shared.")
      .matches("DALI conditionals")
      .internal()
      .build();
}

}  // namespace forebay::operators
