#include "forebay/ndarray/nn/optimizers.h"

#include <array>

#include "forebay/ndarray/autograd.h"
#include "forebay/ndarray/nn/work.h"

namespace forebay::ndarray {
namespace {

using kernels::UpdateOptions;
using kernels::UpdateRule;

std::string_view name_of(UpdateRule rule) {
  constexpr std::string_view kNames[] = {"sgd_update",         "sgd_mom_update", "nag_mom_update",
                                         "signsgd_update",     "adam_update",    "rmsprop_update",
                                         "rmspropalex_update", "adagrad_update"};
  return kNames[static_cast<size_t>(rule)];
}

/// Inputs: weight, gradient. Outputs: the new weight, and the states, which are also read.
class Update final : public Operation {
 public:
  Update(UpdateRule rule, const UpdateOptions& options) : rule_(rule), options_(options) {}

  std::string_view name() const override { return name_of(rule_); }
  bool works_in_place() const override { return true; }
  bool is_differentiable() const override { return false; }
  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override { return ArraySpecs{inputs[0]}; }

  Status run(const Operands& operands) const override {
    return visit_real(operands.inputs[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      return share(operands.inputs[0].volume(), kElementsAShare, [&](int64_t first, int64_t last) {
        std::array<T*, kernels::kMaxStates> states{};
        for (size_t i = 1; i < operands.outputs.size(); ++i) {
          states[i - 1] = operands.outputs[i].as<T>() + first;
        }
        kernels::update(rule_, options_, last - first, operands.inputs[0].as<T>() + first,
                        operands.inputs[1].as<T>() + first, states.data(),
                        operands.outputs[0].as<T>() + first);
      });
    });
  }

 private:
  const UpdateRule rule_;
  const UpdateOptions options_;
};

bool overlap(const Array& a, const Array& b) {
  return a.region().storage == b.region().storage;
}

Status check_operands(UpdateRule rule, std::span<const Array> arrays) {
  if (arrays.size() != static_cast<size_t>(kernels::state_count(rule)) + 3) {
    return invalid_argument("{} keeps {} states", name_of(rule), kernels::state_count(rule));
  }
  for (const Array& array : arrays) {
    if (!array.is_valid() || !(array.spec() == arrays[0].spec())) {
      return invalid_argument("{}: all arrays are {}, not {}", name_of(rule), arrays[0].spec().to_string(),
                              array.is_valid() ? array.spec().to_string() : "nothing");
    }
  }
  for (size_t i = 2; i < arrays.size(); ++i) {
    const bool is_in_place = i == 2 && arrays[2].region().offset_bytes == arrays[0].region().offset_bytes;
    for (size_t j = 0; j < i; ++j) {
      if (overlap(arrays[i], arrays[j]) && !(is_in_place && j == 0)) {
        return invalid_argument("{}: states and what is written share no memory with the rest",
                                name_of(rule));
      }
    }
  }
  return check_real({&arrays[0].spec(), 1});
}

}  // namespace

Status update(UpdateRule rule, const UpdateOptions& options, const Array& weight, const Array& gradient,
              std::span<const Array> states, const Array& out) {
  absl::InlinedVector<Array, 6> arrays{weight.detached(), gradient.detached(), out.detached()};
  for (const Array& state : states) {
    arrays.push_back(state.detached());
  }
  FOREBAY_RETURN_IF_ERROR(check_operands(rule, arrays));
  const Array inputs[] = {weight, gradient};
  FOREBAY_RETURN_IF_ERROR(check_not_recorded(name_of(rule), inputs, out));
  absl::InlinedVector<Array, 6> read(arrays.begin(), arrays.begin() + 2);
  read.insert(read.end(), arrays.begin() + 3, arrays.end());
  const std::span<const Array> written(arrays.data() + 2, arrays.size() - 2);
  return enqueue(std::make_shared<Update>(rule, options), {read.data(), read.size()}, written);
}

}  // namespace forebay::ndarray
