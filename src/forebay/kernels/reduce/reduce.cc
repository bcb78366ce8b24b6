#include "forebay/kernels/reduce/reduce.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::Float16;

constexpr int64_t kRun = int64_t{1} << 16;  // elements of a reduction per unit
constexpr int64_t kTile = 256;              // columns per unit
constexpr int kLanes = 16;                  // parallel sums along a row

template <class T>
struct ValueOf {
  using type = T;
};
template <>
struct ValueOf<Float16> {
  using type = float;
};

/// The type that sums of T are computed in. The squares of a norm may exceed int64.
template <Reduction R, class T>
struct SumOf {
  using type = std::conditional_t<std::is_floating_point_v<T> || R == Reduction::kNorm, double, int64_t>;
};

/// How a reduction accumulates values of type T.
template <Reduction R, class T>
struct Gather {
  using Value = typename ValueOf<T>::type;
  static constexpr bool kIsExtreme = R == Reduction::kMax || R == Reduction::kMin;
  using Sum = std::conditional_t<kIsExtreme, Value, typename SumOf<R, Value>::type>;

  static Sum start() {
    if constexpr (kIsExtreme && std::is_floating_point_v<Value>) {
      return std::numeric_limits<Value>::quiet_NaN();
    } else if constexpr (R == Reduction::kMax) {
      return std::numeric_limits<Value>::lowest();
    } else if constexpr (R == Reduction::kMin) {
      return std::numeric_limits<Value>::max();
    } else {
      return R == Reduction::kProduct ? Sum{1} : Sum{0};
    }
  }

  static Sum join(Sum a, Sum b) {
    if constexpr (R == Reduction::kMax) {
      return !(a >= b) ? (b == b ? b : a) : a;
    } else if constexpr (R == Reduction::kMin) {
      return !(a <= b) ? (b == b ? b : a) : a;
    } else if constexpr (R == Reduction::kProduct) {
      return a * b;
    } else {
      return a + b;
    }
  }

  static Sum add(Sum sum, Value value) {
    if constexpr (R == Reduction::kSumOfSquares || R == Reduction::kNorm) {
      return sum + static_cast<Sum>(value) * static_cast<Sum>(value);
    } else if constexpr (R == Reduction::kSumOfMagnitudes) {
      return sum + static_cast<Sum>(value < 0 ? -value : value);
    } else {
      return join(sum, static_cast<Sum>(value));
    }
  }

  static T finish(Sum sum, int64_t length) {
    if constexpr (R == Reduction::kMean) {
      return static_cast<T>(static_cast<Value>(sum / static_cast<Sum>(std::max<int64_t>(length, 1))));
    } else if constexpr (R == Reduction::kNorm) {
      return static_cast<T>(static_cast<Value>(std::sqrt(sum)));
    } else {
      return static_cast<T>(static_cast<Value>(sum));
    }
  }
};

template <class G, class T>
typename G::Sum gather_row(const T* row, int64_t length) {
  std::array<typename G::Sum, kLanes> lanes;
  lanes.fill(G::start());
  int64_t at = 0;
  for (; at + kLanes <= length; at += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = G::add(lanes[lane], static_cast<typename G::Value>(row[at + lane]));
    }
  }
  for (int lane = 0; at + lane < length; ++lane) {
    lanes[lane] = G::add(lanes[lane], static_cast<typename G::Value>(row[at + lane]));
  }
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) {
      lanes[lane] = G::join(lanes[lane], lanes[lane + half]);
    }
  }
  return lanes[0];
}

/// Accumulates the columns of one tile.
template <class G, class T>
void gather_columns(const T* in, int64_t rows, int64_t stride, int64_t columns, typename G::Sum* sums) {
  std::fill_n(sums, columns, G::start());
  for (int64_t row = 0; row < rows; ++row) {
    const T* const values = in + row * stride;
    for (int64_t column = 0; column < columns; ++column) {
      sums[column] = G::add(sums[column], static_cast<typename G::Value>(values[column]));
    }
  }
}

template <class G, class T>
void reduce_unit(const ReductionPlan& plan, int64_t unit, const T* in, typename G::Sum* partials, T* out) {
  const ReductionShape& shape = plan.shape;
  const int64_t tile = unit % plan.tiles;
  const int64_t run = unit / plan.tiles % plan.runs;
  const int64_t row = unit / plan.tiles / plan.runs;
  const int64_t begin = plan.runs == 1 ? 0 : run * kRun;
  const int64_t rows = plan.runs == 1 ? shape.length : std::min(kRun, shape.length - begin);
  const int64_t column = tile * kTile;
  const int64_t columns = std::min(kTile, shape.inner - column);
  const T* const from = in + (row * shape.length + begin) * shape.inner + column;
  std::array<typename G::Sum, kTile> sums;
  if (shape.inner == 1) {
    sums[0] = gather_row<G>(from, rows);
  } else {
    gather_columns<G>(from, rows, shape.inner, columns, sums.data());
  }
  for (int64_t i = 0; i < columns; ++i) {
    if (plan.runs == 1) {
      out[row * shape.inner + column + i] = G::finish(sums[i], shape.length);
    } else {
      partials[(row * plan.runs + run) * shape.inner + column + i] = sums[i];
    }
  }
}

template <class G, class T>
void join_runs(const ReductionPlan& plan, const typename G::Sum* partials, T* out) {
  const int64_t inner = plan.shape.inner;
  for (int64_t row = 0; row < plan.shape.outer; ++row) {
    for (int64_t column = 0; column < inner; ++column) {
      typename G::Sum sum = G::start();
      for (int64_t run = 0; run < plan.runs; ++run) {
        sum = G::join(sum, partials[(row * plan.runs + run) * inner + column]);
      }
      out[row * inner + column] = G::finish(sum, plan.shape.length);
    }
  }
}

/// The index of the maximum or minimum; the first of equal ones. NaN is ignored.
template <bool kGreatest, class T, class Place>
void find_unit(const ReductionPlan& plan, int64_t unit, const T* in, Place* out) {
  const ReductionShape& shape = plan.shape;
  const int64_t first = unit % plan.tiles * kTile;
  const int64_t row = unit / plan.tiles;
  for (int64_t column = first; column < std::min(first + kTile, shape.inner); ++column) {
    const T* const from = in + row * shape.length * shape.inner + column;
    int64_t place = 0;
    auto best = static_cast<typename ValueOf<T>::type>(from[0]);
    for (int64_t i = 1; i < shape.length; ++i) {
      const auto value = static_cast<typename ValueOf<T>::type>(from[i * shape.inner]);
      if ((kGreatest ? value > best : value < best) || (best != best && value == value)) {
        best = value;
        place = i;
      }
    }
    out[row * shape.inner + column] = static_cast<Place>(static_cast<typename ValueOf<Place>::type>(place));
  }
}

bool is_search(Reduction reduction) {
  return reduction == Reduction::kArgMax || reduction == Reduction::kArgMin;
}

template <class T, class Place>
void find_units(Reduction reduction, const ReductionPlan& plan, int64_t first, int64_t last, const T* in,
                Place* out) {
  for (int64_t unit = first; unit < last; ++unit) {
    reduction == Reduction::kArgMax ? find_unit<true>(plan, unit, in, out)
                                    : find_unit<false>(plan, unit, in, out);
  }
}

/// A type holds all integers from 0 to this number.
template <class T>
constexpr int64_t exact_integers() {
  if constexpr (std::is_same_v<T, tensor::Float16>) {
    return int64_t{1} << 11;
  } else if constexpr (std::is_floating_point_v<T>) {
    return int64_t{1} << std::numeric_limits<T>::digits;
  } else {
    return static_cast<int64_t>(
        std::min<uint64_t>(std::numeric_limits<T>::max(), std::numeric_limits<int64_t>::max()));
  }
}

/// Calls `function(Gather<R, T>{})`.
template <class T, class F>
void visit_gather(Reduction reduction, F&& function) {
  switch (reduction) {
    case Reduction::kSum:
      return function(Gather<Reduction::kSum, T>{});
    case Reduction::kMean:
      return function(Gather<Reduction::kMean, T>{});
    case Reduction::kSumOfSquares:
      return function(Gather<Reduction::kSumOfSquares, T>{});
    case Reduction::kNorm:
      return function(Gather<Reduction::kNorm, T>{});
    case Reduction::kSumOfMagnitudes:
      return function(Gather<Reduction::kSumOfMagnitudes, T>{});
    case Reduction::kProduct:
      return function(Gather<Reduction::kProduct, T>{});
    case Reduction::kMax:
      return function(Gather<Reduction::kMax, T>{});
    default:
      return function(Gather<Reduction::kMin, T>{});
  }
}

/// Calls `function(TypeTag<T>{})` for the types that can be reduced.
template <class F>
void visit_numbers(DType dtype, F&& function) {
  tensor::visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, bool>) {
      function(tag);
    }
  });
}

}  // namespace

int64_t ReductionPlan::unit_elements() const {
  const int64_t rows = runs == 1 ? shape.length : kRun;
  return std::max<int64_t>(rows * std::min(shape.inner, kTile), 1);
}

DType dtype_of_places(DType dtype, int64_t length) {
  DType found = DType::kInt64;
  visit_numbers(dtype, [&](auto tag) {
    const bool holds_all = length - 1 <= exact_integers<typename decltype(tag)::type>();
    found = holds_all ? dtype : DType::kInt64;
  });
  return found;
}

ReductionPlan plan_reduction(Reduction reduction, const ReductionShape& shape) {
  ReductionPlan plan{shape};
  plan.tiles = std::max<int64_t>((shape.inner + kTile - 1) / kTile, 1);
  if (!is_search(reduction)) {
    plan.runs = std::max<int64_t>((shape.length + kRun - 1) / kRun, 1);
  }
  return plan;
}

void reduce_units(Reduction reduction, DType dtype, const ReductionPlan& plan, int64_t first, int64_t last,
                  const void* in, void* partials, void* out) {
  visit_numbers(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const from = static_cast<const T*>(in);
    T* const to = static_cast<T*>(out);
    if (is_search(reduction)) {
      return dtype_of_places(dtype, plan.shape.length) == dtype
                 ? find_units(reduction, plan, first, last, from, to)
                 : find_units(reduction, plan, first, last, from, static_cast<int64_t*>(out));
    }
    visit_gather<T>(reduction, [&](auto gather) {
      using G = decltype(gather);
      for (int64_t unit = first; unit < last; ++unit) {
        reduce_unit<G>(plan, unit, from, static_cast<typename G::Sum*>(partials), to);
      }
    });
  });
}

void finish_reduction(Reduction reduction, DType dtype, const ReductionPlan& plan, const void* partials,
                      void* out) {
  if (plan.runs == 1) {
    return;
  }
  visit_numbers(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    visit_gather<T>(reduction, [&](auto gather) {
      using G = decltype(gather);
      join_runs<G>(plan, static_cast<const typename G::Sum*>(partials), static_cast<T*>(out));
    });
  });
}

}  // namespace forebay::kernels
