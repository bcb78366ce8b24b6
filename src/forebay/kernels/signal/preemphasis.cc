#include "forebay/kernels/signal/preemphasis.h"

#include <algorithm>
#include <type_traits>

#include "forebay/kernels/generic/convert.h"

namespace forebay::kernels {
namespace {

constexpr int64_t kPreemphasisBlock = 1024;  // elements converted at a time

/// out[t] = in[t] - coefficient * in[t - 1], of which in[-1] is there.
template <class Real>
void filter_block(const Real* in, int64_t count, Real coefficient, Real* out) {
  for (int64_t t = 0; t < count; ++t) {
    out[t] = in[t] - coefficient * in[t - 1];
  }
}

template <class Real>
Real before_first(PreemphasisBorder border, const Real* first, int64_t count) {
  if (border == PreemphasisBorder::kZero || count == 0) {
    return 0;
  }
  if (border == PreemphasisBorder::kClamp) {
    return first[0];
  }
  return count > 1 ? first[1] : Real{0};
}

/// The elements [first, first + count) of `view` as reals.
template <class Real>
void read_block(const tensor::TensorView& view, int64_t first, int64_t count, Real* to) {
  tensor::visit_dtype(view.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::transform(view.as<T>() + first, view.as<T>() + first + count, to,
                   [](T value) { return convert_saturated<Real>(value); });
  });
}

template <class Real>
void write_block(const Real* from, int64_t first, int64_t count, const tensor::MutableTensorView& view) {
  tensor::visit_dtype(view.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::transform(from, from + count, view.as<T>() + first,
                   [](Real value) { return convert_saturated<T>(value); });
  });
}

template <class Real>
void filter_all(const tensor::TensorView& in, float coefficient, PreemphasisBorder border,
                const tensor::MutableTensorView& out) {
  Real from[kPreemphasisBlock + 1];
  Real to[kPreemphasisBlock];
  const int64_t volume = in.volume();
  Real last{};  // of the block before
  for (int64_t first = 0; first < volume; first += kPreemphasisBlock) {
    const int64_t count = std::min(kPreemphasisBlock, volume - first);
    read_block(in, first, count, from + 1);
    from[0] = first == 0 ? before_first(border, from + 1, count) : last;
    last = from[count];
    filter_block<Real>(from + 1, count, coefficient, to);
    write_block(to, first, count, out);
  }
}

}  // namespace

void preemphasize(const tensor::TensorView& in, float coefficient, PreemphasisBorder border,
                  const tensor::MutableTensorView& out) {
  if (in.dtype() == tensor::DType::kFloat64) {
    filter_all<double>(in, coefficient, border, out);
  } else if (in.dtype() == tensor::DType::kFloat && out.dtype() == tensor::DType::kFloat && in.volume() > 0) {
    const auto* const from = in.as<float>();
    out.as<float>()[0] = from[0] - coefficient * before_first(border, from, in.volume());
    filter_block(from + 1, in.volume() - 1, coefficient, out.as<float>() + 1);
  } else {
    filter_all<float>(in, coefficient, border, out);
  }
}

}  // namespace forebay::kernels
