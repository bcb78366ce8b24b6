#include "forebay/operators/arg.h"

namespace forebay::operators {
namespace {

template <class To>
Result<std::vector<To>> converted(const Tensor& tensor) {
  if (!memory::is_host_accessible(tensor.kind())) {
    return invalid_argument("an argument must be a CPU tensor, not one in {} memory",
                            memory::name_of(tensor.kind()));
  }
  std::vector<To> values(static_cast<size_t>(tensor.volume()));
  tensor::visit_dtype(tensor.dtype(), [&](auto tag) {
    using From = typename decltype(tag)::type;
    const From* from = tensor.view().as<From>();
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_same_v<From, tensor::Float16>) {
        values[i] = static_cast<To>(static_cast<float>(from[i]));
      } else {
        values[i] = static_cast<To>(from[i]);
      }
    }
  });
  return values;
}

}  // namespace

Result<std::vector<float>> floats_of(const Tensor& tensor) {
  return converted<float>(tensor);
}

Result<std::vector<int64_t>> ints_of(const Tensor& tensor) {
  return converted<int64_t>(tensor);
}

}  // namespace forebay::operators
