// keep: drops the samples for which a condition does not hold.
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct Keep {
  Arg<bool> where = false;

  Status prepare(const Arguments& arguments) {
    num_inputs_ = arguments.num_inputs;
    return ok_status();
  }

  int num_outputs() const { return num_inputs_; }

  Result<int64_t> expand_count(const Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const bool is_kept, where.get(sample));
    return is_kept ? 1 : 0;
  }

  Status run(Sample& sample) const {
    for (int i = 0; i < num_inputs_; ++i) {
      sample.forward(i, sample.input(i));
    }
    return ok_status();
  }

 private:
  int num_inputs_ = 1;
};

}  // namespace

OperatorSpec keep() {
  return describe<Keep>("keep", "Keeps the samples for which a condition holds, and drops the others.")
      .variadic_inputs("data", "Tensors of one sample, kept or dropped together.", 1)
      .param("where", &Keep::where, "Whether the sample is kept; usually a tensor.")
      .required()
      .outputs(
          "The inputs of the samples that are kept, shared. Batches are filled up with the samples that "
          "follow.")
      .matches("Forebay")
      .build();
}

}  // namespace forebay::operators
