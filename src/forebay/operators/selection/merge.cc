// _merge: joins the two branches of a conditional.
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct Merge {
  std::string variable;

  Status run(Sample& sample) const {
    const bool first = sample.input(0).is_valid();
    const bool second = sample.input(1).is_valid();
    if (first == second) {
      return internal_error("{} branches of a conditional have run for one sample",
                            first ? "both" : "none of the");
    }
    sample.forward(0, sample.input(first ? 0 : 1));
    return ok_status();
  }
};

}  // namespace

OperatorSpec merge() {
  return describe<Merge>("_merge", "Takes the result of the branch of a conditional that has run.")
      .input("if_true", "What the first branch gives; absent when the other has run.")
      .input("if_false", "What the second branch gives; absent when the other has run.")
      .param("variable", &Merge::variable, "What is merged, for errors: a variable's name.")
      .outputs("The one of the inputs that is there, shared.")
      .matches("DALI conditionals")
      .internal()
      .build();
}

}  // namespace forebay::operators
