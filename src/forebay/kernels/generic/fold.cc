#include "forebay/kernels/generic/fold.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "forebay/kernels/generic/broadcast_rows.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/memory/scratch.h"

namespace forebay::kernels {
namespace {

using tensor::MutableTensorView;
using tensor::Shape;
using tensor::TensorView;

Status check_fold(const Shape& in, const Shape& out) {
  bool fits = in.rank() == out.rank();
  for (int axis = 0; fits && axis < in.rank(); ++axis) {
    fits = out[axis] == in[axis] || out[axis] == 1;
  }
  return fits ? ok_status() : invalid_argument("{} cannot be reduced to {}", in.to_string(), out.to_string());
}

/// results[place] = join(results[place], element) for all elements.
template <class In, class Result, class Join>
void fold_rows(const TensorView& in, const Shape& out, Result* results, Join join) {
  const In* elements = in.as<In>();
  for_each_row(in.shape(), broadcast_strides(out),
               [&](int64_t element, int64_t at, int64_t size, int64_t step) {
                 const In* row = elements + element;
                 if (step == 0) {
                   Result result = results[at];
                   for (int64_t i = 0; i < size; ++i) {
                     result = join(result, row[i]);
                   }
                   results[at] = result;
                   return;
                 }
                 for (int64_t i = 0; i < size; ++i) {
                   results[at + i] = join(results[at + i], row[i]);
                 }
               });
}

template <class T>
constexpr bool kFoldsFractions = std::is_floating_point_v<T> || std::is_same_v<T, tensor::Float16>;

/// Integers are added as unsigned numbers, whose overflow is defined.
template <class T>
using FoldedSum = std::conditional_t<kFoldsFractions<T>, double, uint64_t>;

template <class Out, class In>
Out converted_fold(FoldedSum<In> sum) {
  if constexpr (std::is_signed_v<In> && !kFoldsFractions<In>) {
    return convert_saturated<Out>(static_cast<int64_t>(sum));
  } else {
    return convert_saturated<Out>(sum);
  }
}

template <class T>
T fold_value(T value) {
  return value;
}
float fold_value(tensor::Float16 value) {
  return static_cast<float>(value);
}

template <class T>
T fold_limit_of(bool is_largest) {
  if constexpr (std::is_same_v<T, tensor::Float16>) {
    return T(fold_limit_of<float>(is_largest));
  } else {
    using Limits = std::numeric_limits<T>;
    if constexpr (Limits::has_infinity) {
      return is_largest ? -Limits::infinity() : Limits::infinity();
    } else {
      return is_largest ? Limits::lowest() : Limits::max();
    }
  }
}

}  // namespace

Status sum_over(const TensorView& in, const MutableTensorView& out) {
  FOREBAY_RETURN_IF_ERROR(check_fold(in.shape(), out.shape()));
  return caught([&]() -> Status {
    tensor::visit_dtype(in.dtype(), [&](auto from) {
      using In = typename decltype(from)::type;
      memory::ScratchVector<FoldedSum<In>> sums(static_cast<size_t>(out.volume()));
      fold_rows<In>(in, out.shape(), sums.data(), [](FoldedSum<In> sum, In value) {
        return sum + static_cast<FoldedSum<In>>(fold_value(value));
      });
      tensor::visit_dtype(out.dtype(), [&](auto to) {
        using Out = typename decltype(to)::type;
        std::ranges::transform(sums, out.as<Out>(), converted_fold<Out, In>);
      });
    });
    return ok_status();
  });
}

Status extreme_over(const TensorView& in, bool is_largest, const MutableTensorView& out) {
  FOREBAY_RETURN_IF_ERROR(check_fold(in.shape(), out.shape()));
  if (in.dtype() != out.dtype()) {
    return invalid_argument("an extreme has the type of the elements");
  }
  tensor::visit_dtype(in.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* results = out.as<T>();
    std::ranges::fill(out.span<T>(), fold_limit_of<T>(is_largest));
    if (is_largest) {
      fold_rows<T>(in, out.shape(), results,
                   [](T best, T value) { return fold_value(value) > fold_value(best) ? value : best; });
    } else {
      fold_rows<T>(in, out.shape(), results,
                   [](T best, T value) { return fold_value(value) < fold_value(best) ? value : best; });
    }
  });
  return ok_status();
}

}  // namespace forebay::kernels
