// Shared by noise.gaussian and noise.shot: each element replaced by one drawn for it.
#pragma once

#include "forebay/kernels/generic/convert.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

/// Output 0, like input 0, with each element x replaced by draw(stream, x), rounded and saturated to its
/// type. All draws come from one stream, in memory order.
template <class Draw>
Status draw_each_element(Sample& sample, Draw draw) {
  const Tensor& in = sample.input(0);
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, in.spec()));
  RandomStream stream = sample.random();
  tensor::visit_dtype(in.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = in.view().as<T>();
    T* to = out.as<T>();
    for (int64_t i = 0; i < in.volume(); ++i) {
      to[i] = kernels::convert_saturated<T>(draw(stream, kernels::convert_saturated<double>(from[i])));
    }
  });
  return ok_status();
}

}  // namespace forebay::operators
