// random.uniform: numbers from a range, or chosen from a list.
#include "forebay/operators/random/random_output.h"

namespace forebay::operators {
namespace {

Status check_range(std::span<const float> range) {
  if (range.size() != 2) {
    return invalid_argument("range takes two numbers, the lowest and the end; {} were given", range.size());
  }
  if (!(range[0] < range[1])) {
    return invalid_argument("range [{}, {}) is empty", range[0], range[1]);
  }
  return ok_status();
}

struct RandomUniform : RandomOutput {
  Arg<std::vector<float>> range = std::vector<float>{-1, 1};
  Arg<std::vector<float>> values;

  Status prepare(const Arguments& arguments) {
    FOREBAY_RETURN_IF_ERROR(check(arguments, 0));
    return range.is_tensor() ? ok_status() : check_range(range.constant());
  }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Shape out_shape, output_shape(sample, 0));
    if (values.is_given()) {
      return pick(sample, out_shape);
    }
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats given, range.values(sample));
    const std::span<const float> ends = given;
    FOREBAY_RETURN_IF_ERROR(check_range(ends));
    const double low = ends[0];
    const double width = static_cast<double>(ends[1]) - low;
    const DType type = dtype.value_or(DType::kFloat);
    if (type == DType::kFloat64) {
      return fill_random(sample, out_shape, type,
                         [&](RandomStream& stream) { return low + width * stream.uniform_double(); });
    }
    return fill_random(sample, out_shape, type,
                       [&](RandomStream& stream) { return double{stream.uniform(ends[0], ends[1])}; });
  }

 private:
  Status pick(Sample& sample, const Shape& out_shape) const {
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats given, values.values(sample));
    const std::span<const float> choices = given;
    if (choices.empty()) {
      return invalid_argument("values is empty; give at least one");
    }
    return fill_random(sample, out_shape, dtype.value_or(DType::kFloat),
                       [&](RandomStream& stream) { return double{choices[stream.below(choices.size())]}; });
  }
};

}  // namespace

OperatorSpec random_uniform() {
  return describe<RandomUniform>("random.uniform", "Draws numbers evenly from a range or from a list.")
      .optional_input("shape_like", "A tensor whose shape the output gets; its content is not read.")
      .param("range", &RandomUniform::range, "Lowest number, and the end, which is not drawn.")
      .param("values", &RandomUniform::values,
             "Numbers to pick from, each as likely; `range` has then no meaning.")
      .any_number()
      .group(add_random_output<RandomUniform>)
      .outputs("The numbers; float unless `dtype` says otherwise.")
      .matches("DALI random.uniform; other numbers, the same distribution")
      .build();
}

}  // namespace forebay::operators
