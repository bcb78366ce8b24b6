#include "forebay/kernels/generic/cast.h"

#include "forebay/memory/copy.h"

namespace forebay::kernels {
namespace {

template <class In, class Out>
void cast_all(const In* in, int64_t size, Out* out) {
  for (int64_t i = 0; i < size; ++i) {
    out[i] = convert_saturated<Out>(in[i]);
  }
}

}  // namespace

Status cast(const tensor::TensorView& in, const tensor::MutableTensorView& out) {
  if (in.volume() != out.volume()) {
    return invalid_argument("cast: {} elements to {}", in.volume(), out.volume());
  }
  if (in.dtype() == out.dtype()) {
    if (in.data != out.data) {
      memory::copy(out.data, in.data, in.spec.size_bytes());
    }
    return ok_status();
  }
  const int64_t size = in.volume();
  tensor::visit_dtype(in.dtype(), [&](auto from) {
    using In = typename decltype(from)::type;
    tensor::visit_dtype(out.dtype(), [&](auto to) {
      using Out = typename decltype(to)::type;
      cast_all(static_cast<const In*>(in.data), size, static_cast<Out*>(out.data));
    });
  });
  return ok_status();
}

}  // namespace forebay::kernels
