#include "forebay/kernels/generic/fold.h"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "forebay/kernels/generic/broadcast_rows.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/kernels/generic/ordered_sum.h"
#include "forebay/memory/host/scratch.h"

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

/// sums[place] += element for all elements, in memory order.
template <class T>
void add_all(const TensorView& in, const Shape& out, FoldedSum<T>* sums) {
  const T* elements = in.as<T>();
  for_each_block(in.shape(), broadcast_strides(out), [&](const RowBlock& block) {
    if constexpr (std::is_same_v<T, float>) {
      if (block.step == 0) {
        double& sum = sums[block.place];
        sum = ordered_sum(Summand::kValue, sum, elements + block.element, block.size);
        return;
      }
    }
    fold_block(elements, block, sums, [](FoldedSum<T> sum, T value, int64_t) {
      return sum + static_cast<FoldedSum<T>>(fold_value(value));
    });
  });
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

template <class T>
constexpr int64_t kFoldLanes = 64 / static_cast<int64_t>(sizeof(T));

/// The best of elements that meet one place, in lanes, so that none waits for the one before it.
template <class T, class Better>
T best_of(const T* elements, int64_t size, T best, Better better) {
  constexpr int64_t kLanes = kFoldLanes<T>;
  std::array<T, kLanes> lanes;
  lanes.fill(best);
  int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = better(lanes[lane], elements[i + lane]);
    }
  }
  T found = best;
  for (const T each : lanes) {
    found = better(found, each);
  }
  for (; i < size; ++i) {
    found = better(found, elements[i]);
  }
  if constexpr (kFoldsFractions<T>) {  // zeros have signs: the first counts
    const auto is_zero = [](T value) { return fold_value(value) == 0; };
    if (is_zero(found) && !is_zero(best)) {
      return *std::find_if(elements, elements + size, is_zero);
    }
    return is_zero(found) ? best : found;
  }
  return found;
}

template <class T, class Better>
void fold_extreme(const TensorView& in, const Shape& out, T* results, Better better) {
  const T* elements = in.as<T>();
  for_each_block(in.shape(), broadcast_strides(out), [&](const RowBlock& block) {
    if (block.step == 0 && block.size >= 4 * kFoldLanes<T>) {
      T& best = results[block.place];
      best = best_of(elements + block.element, block.size, best, better);
    } else {
      fold_block(elements, block, results, [&](T best, T value, int64_t) { return better(best, value); });
    }
  });
}

}  // namespace

Status sum_over(const TensorView& in, const MutableTensorView& out) {
  FOREBAY_RETURN_IF_ERROR(check_fold(in.shape(), out.shape()));
  return caught([&]() -> Status {
    tensor::visit_dtype(in.dtype(), [&](auto from) {
      using In = typename decltype(from)::type;
      memory::ScratchVector<FoldedSum<In>> sums(static_cast<size_t>(out.volume()));
      add_all<In>(in, out.shape(), sums.data());
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
      fold_extreme(in, out.shape(), results,
                   [](T best, T value) { return fold_value(value) > fold_value(best) ? value : best; });
    } else {
      fold_extreme(in, out.shape(), results,
                   [](T best, T value) { return fold_value(value) < fold_value(best) ? value : best; });
    }
  });
  return ok_status();
}

}  // namespace forebay::kernels
