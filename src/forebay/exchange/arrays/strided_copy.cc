#include "forebay/exchange/arrays/strided_copy.h"

#include "forebay/base/metrics/metrics.h"
#include "forebay/exchange/arrays/strided_array.h"
#include "forebay/memory/copy.h"
#include "forebay/tensor/strided_copy.h"

namespace forebay::exchange {

void gather(const StridedArray& from, std::byte* target) {
  const size_t bytes = from.size_bytes();
  if (bytes == 0) {
    return;
  }
  if (from.is_dense()) {
    memory::copy(target, from.data, bytes);
    return;
  }
  const auto item_bytes = static_cast<int64_t>(from.item_bytes());
  const Extents dense = dense_strides(from.shape, item_bytes);
  absl::InlinedVector<tensor::StridedAxis, 8> axes;
  for (int axis = 0; axis < from.rank(); ++axis) {
    axes.push_back({from.shape[axis], from.strides_bytes[axis], dense[axis]});
  }
  const size_t counted = tensor::copy_strided(axes, item_bytes, from.data, target);
  static Counter& copied = counter("bytes_copied");
  copied.add(bytes - counted);
}

}  // namespace forebay::exchange
