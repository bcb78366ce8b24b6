#include "forebay/operators/arg.h"

#include <cmath>

#include "forebay/operators/int_of.h"

namespace forebay::operators {
namespace {

/// Visits the elements of a host tensor, each as float, double or integer.
template <class Take>
Status for_each_element(const Tensor& tensor, Take take) {
  if (!memory::is_host_accessible(tensor.kind())) {
    return invalid_argument("an argument must be a CPU tensor, not one in {} memory",
                            memory::name_of(tensor.kind()));
  }
  const auto count = static_cast<size_t>(tensor.volume());
  Status status;
  tensor::visit_dtype(tensor.dtype(), [&](auto tag) {
    using From = typename decltype(tag)::type;
    const From* from = tensor.view().as<From>();
    for (size_t i = 0; i < count && status.ok(); ++i) {
      if constexpr (std::is_same_v<From, tensor::Float16>) {
        status = take(static_cast<float>(from[i]));
      } else {
        status = take(from[i]);
      }
    }
  });
  return status;
}

}  // namespace

Status check_number(std::string_view name, OddNumbers taken, double number) {
  const auto value = static_cast<float>(number);
  if (std::isfinite(value) || taken == OddNumbers::kAll) {
    return ok_status();
  }
  if (taken == OddNumbers::kInfinities) {
    return std::isinf(value) ? ok_status()
                             : invalid_argument("argument '{}' is {}; it must be a number", name, number);
  }
  return invalid_argument("argument '{}' is {}; {}", name, number,
                          std::isfinite(number) ? "that is too large for a float" : "it must be finite");
}

Status ArgTraits::check(const Status& status, std::span<const float> numbers) const {
  if (!status.ok()) {
    return annotate(status, name);
  }
  for (const float number : numbers) {
    FOREBAY_RETURN_IF_ERROR(check_number(name, takes_odd, number));
  }
  return ok_status();
}

Result<int64_t> int_of(double number) {
  const double whole = std::trunc(number);
  if (!(whole >= -0x1p63 && whole < 0x1p63)) {
    return invalid_argument("{} was given where an integer is expected", number);
  }
  return static_cast<int64_t>(whole);
}

Status copy_floats(const Tensor& tensor, std::span<float> values) {
  float* to = values.data();
  return for_each_element(tensor, [&](auto element) {
    *to++ = static_cast<float>(element);
    return ok_status();
  });
}

Status copy_ints(const Tensor& tensor, std::span<int64_t> values) {
  int64_t* to = values.data();
  return for_each_element(tensor, [&](auto element) -> Status {
    if constexpr (std::is_floating_point_v<decltype(element)>) {
      FOREBAY_ASSIGN_OR_RETURN(*to, int_of(element));
    } else {
      *to = static_cast<int64_t>(element);
      if (std::is_unsigned_v<decltype(element)> && *to < 0) {
        return invalid_argument("{} was given where an integer of 64 bits is expected", element);
      }
    }
    ++to;
    return ok_status();
  });
}

template <class Number>
Result<ArgumentValues<Number>> ArgumentValues<Number>::of(const Tensor& tensor) {
  if (tensor.dtype() == tensor::kDTypeOf<Number> && memory::is_host_accessible(tensor.kind())) {
    return ArgumentValues(tensor.view().span<Number>());
  }
  ArgumentValues values;
  const auto count = static_cast<size_t>(tensor.volume());
  std::span<Number> to = values.few_;
  if (count <= to.size()) {
    values.num_few_ = count;
  } else {
    values.converted_.resize(count);
    to = values.converted_;
  }
  if constexpr (std::is_same_v<Number, float>) {
    FOREBAY_RETURN_IF_ERROR(copy_floats(tensor, to.first(count)));
  } else {
    FOREBAY_RETURN_IF_ERROR(copy_ints(tensor, to.first(count)));
  }
  return values;
}

template class ArgumentValues<float>;
template class ArgumentValues<int64_t>;

Result<std::vector<float>> floats_of(const Tensor& tensor) {
  std::vector<float> values(static_cast<size_t>(tensor.volume()));
  FOREBAY_RETURN_IF_ERROR(copy_floats(tensor, values));
  return values;
}

Result<std::vector<int64_t>> ints_of(const Tensor& tensor) {
  std::vector<int64_t> values(static_cast<size_t>(tensor.volume()));
  FOREBAY_RETURN_IF_ERROR(copy_ints(tensor, values));
  return values;
}

}  // namespace forebay::operators
