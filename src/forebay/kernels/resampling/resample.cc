#include "forebay/kernels/resampling/resample.h"

#include <type_traits>

#include "forebay/kernels/generic/convert.h"
#include "forebay/kernels/resampling/resample_growing.h"
#include "forebay/kernels/resampling/resample_nearest.h"
#include "forebay/kernels/resampling/resample_passes.h"
#include "forebay/kernels/resampling/resample_shrinking.h"
#include "forebay/kernels/resampling/resample_sparse.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::MutableTensorView;
using tensor::TensorView;

// All axes are nearest: values are copied, not computed.
template <class In, class Out>
void resample_nearest(const ImageView<In>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                      const MutableImageView<Out>& out) {
  const int channels = in.channels;
  if constexpr (std::is_same_v<In, Out>) {
    constexpr int kSize = sizeof(In);
    const auto* source = reinterpret_cast<const uint8_t*>(in.data);
    auto* target = reinterpret_cast<uint8_t*>(out.data);
    move_pixels({source, in.height, in.width, channels * kSize, in.pitch * kSize}, vertical, horizontal,
                {target, out.height, out.width, channels * kSize, out.pitch * kSize});
  } else {
    for (int y = 0; y < out.height; ++y) {
      const In* source = in.row(vertical.first(y));
      Out* target = out.row(y);
      for (int x = 0; x < out.width; ++x) {
        const In* pixel = source + static_cast<ptrdiff_t>(horizontal.first(x)) * channels;
        for (int c = 0; c < channels; ++c) {
          *target++ = static_cast<Out>(pixel[c]);
        }
      }
    }
  }
}

}  // namespace

template <class In, class Out>
void resample_image(const ImageView<In>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                    const MutableImageView<Out>& out) {
  if (vertical.is_nearest() && horizontal.is_nearest()) {
    resample_nearest(in, vertical, horizontal, out);
    return;
  }
  if (is_horizontal_first(vertical, horizontal)) {
    resample_growing(in, vertical, horizontal, out);
    return;
  }
  if constexpr (std::is_same_v<In, uint8_t> && std::is_same_v<Out, uint8_t>) {
    if ((in.channels == 3 || in.channels == 4) && is_sparse(horizontal)) {
      resample_sparse(in, vertical, horizontal, out);
      return;
    }
  }
  resample_shrinking(in, vertical, horizontal, out);
}

#define FOREBAY_RESAMPLE_IMAGE(In, Out)                                                        \
  template void resample_image(const ImageView<In>&, const ResampleAxis&, const ResampleAxis&, \
                               const MutableImageView<Out>&)
FOREBAY_RESAMPLE_IMAGE(uint8_t, uint8_t);
FOREBAY_RESAMPLE_IMAGE(uint8_t, float);
FOREBAY_RESAMPLE_IMAGE(uint16_t, uint16_t);
FOREBAY_RESAMPLE_IMAGE(uint16_t, float);
FOREBAY_RESAMPLE_IMAGE(int16_t, int16_t);
FOREBAY_RESAMPLE_IMAGE(int16_t, float);
FOREBAY_RESAMPLE_IMAGE(float, float);
template void resample_image(const ImageView<float>&, const ResampleAxis&, const ResampleAxis&,
                             const MutableImageView<uint8_t>&);
template void resample_image(const ImageView<float>&, const ResampleAxis&, const ResampleAxis&,
                             const MutableImageView<uint16_t>&);
template void resample_image(const ImageView<float>&, const ResampleAxis&, const ResampleAxis&,
                             const MutableImageView<int16_t>&);
#undef FOREBAY_RESAMPLE_IMAGE

namespace {

template <class T>
ImageView<T> image_at(const T* data, const tensor::Shape& shape) {
  const int rank = shape.rank();
  const int width = static_cast<int>(shape[rank - 2]);
  const int channels = static_cast<int>(shape[rank - 1]);
  return {data, static_cast<int>(shape[rank - 3]), width, channels, static_cast<ptrdiff_t>(width) * channels};
}

template <class T>
MutableImageView<T> mutable_image_at(T* data, const tensor::Shape& shape) {
  const ImageView<T> view = image_at<T>(data, shape);
  return {data, view.height, view.width, view.channels, view.pitch};
}

// Depth first: makes one slice of the output at a time.
template <class In, class Out>
void resample_volume(const TensorView& in, std::span<const ResampleAxis> axes, const MutableTensorView& out) {
  const int64_t in_slice = in.shape().volume(1, 4);
  const int64_t out_slice = out.shape().volume(1, 4);
  const In* source = in.as<In>();
  Out* target = out.as<Out>();
  const ResampleAxis& depth = axes[0];
  memory::ScratchVector<float> slice;
  if (!depth.is_nearest()) {
    slice.resize(static_cast<size_t>(in_slice));
  }
  const bool rounds_apart = !depth.is_nearest() && axes[1].is_nearest() && axes[2].is_nearest();
  memory::ScratchVector<float> picked(rounds_apart ? static_cast<size_t>(out_slice) : 0);
  memory::ScratchVector<const In*> slices;
  for (int z = 0; z < depth.out_size(); ++z) {
    const auto to = mutable_image_at<Out>(target + z * out_slice, out.shape());
    if (depth.is_nearest()) {
      resample_image(image_at<In>(source + depth.first(z) * in_slice, in.shape()), axes[1], axes[2], to);
      continue;
    }
    slices.clear();
    for (int k = 0; k < depth.count(z); ++k) {
      slices.push_back(source + (depth.first(z) + k) * in_slice);
    }
    blend_rows(slices.data(), depth.weights(z), depth.count(z), in_slice, slice.data());
    if (rounds_apart) {
      resample_image(image_at<float>(slice.data(), in.shape()), axes[1], axes[2],
                     mutable_image_at<float>(picked.data(), out.shape()));
      round_row_to_even(picked.data(), out_slice, to.data);
    } else {
      resample_image(image_at<float>(slice.data(), in.shape()), axes[1], axes[2], to);
    }
  }
}

template <class In, class Out>
void resample_tensor(const TensorView& in, std::span<const ResampleAxis> axes, const MutableTensorView& out) {
  if (axes.size() == 3) {
    resample_volume<In, Out>(in, axes, out);
  } else {
    resample_image(image_at<In>(in.as<In>(), in.shape()), axes[0], axes[1],
                   mutable_image_at<Out>(out.as<Out>(), out.shape()));
  }
}

template <class In>
Status resample_from(const TensorView& in, std::span<const ResampleAxis> axes, const MutableTensorView& out) {
  if (out.dtype() == DType::kFloat) {
    resample_tensor<In, float>(in, axes, out);
  } else {
    resample_tensor<In, In>(in, axes, out);
  }
  return ok_status();
}

Status check(const TensorView& in, std::span<const ResampleAxis> axes, const MutableTensorView& out) {
  const int spatial = static_cast<int>(axes.size());
  if ((spatial != 2 && spatial != 3) || in.shape().rank() != spatial + 1 ||
      out.shape().rank() != spatial + 1) {
    return invalid_argument("resample wants HWC with two axes or DHWC with three, got {} to {} with {} axes",
                            in.shape().to_string(), out.shape().to_string(), spatial);
  }
  for (int axis = 0; axis < spatial; ++axis) {
    if (in.shape()[axis] != axes[axis].in_size() || out.shape()[axis] != axes[axis].out_size()) {
      return invalid_argument("resample: axis {} goes from {} to {}, the tensors from {} to {}", axis,
                              axes[axis].in_size(), axes[axis].out_size(), in.shape().to_string(),
                              out.shape().to_string());
    }
  }
  if (in.shape().back() != out.shape().back()) {
    return invalid_argument("resample: {} channels in, {} out", in.shape().back(), out.shape().back());
  }
  if (in.shape().back() > (1 << 24)) {
    return invalid_argument("resample: {} channels are too many", in.shape().back());
  }
  if (out.dtype() != in.dtype() && out.dtype() != DType::kFloat) {
    return invalid_argument("resample gives the type of its input or float, not {} from {}",
                            tensor::name_of(out.dtype()), tensor::name_of(in.dtype()));
  }
  return ok_status();
}

}  // namespace

Status resample(const TensorView& in, std::span<const ResampleAxis> axes, const MutableTensorView& out) {
  FOREBAY_RETURN_IF_ERROR(check(in, axes, out));
  return caught([&]() -> Status {
    switch (in.dtype()) {
      case DType::kUint8:
        return resample_from<uint8_t>(in, axes, out);
      case DType::kUint16:
        return resample_from<uint16_t>(in, axes, out);
      case DType::kInt16:
        return resample_from<int16_t>(in, axes, out);
      case DType::kFloat:
        return resample_from<float>(in, axes, out);
      default:
        return invalid_argument("resample takes uint8, uint16, int16 and float, not {}",
                                tensor::name_of(in.dtype()));
    }
  });
}

}  // namespace forebay::kernels
