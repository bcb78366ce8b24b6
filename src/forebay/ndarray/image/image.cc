#include "forebay/ndarray/image/image.h"

#include <algorithm>

#include "forebay/engine/engine.h"
#include "forebay/kernels/resampling/resample.h"
#include "forebay/memory/copy.h"
#include "forebay/ndarray/copying.h"

namespace forebay::ndarray {
namespace {

using tensor::DType;
using tensor::MutableTensorView;
using tensor::Shape;
using tensor::TensorView;

/// The axes of an array of images: their number and extents.
struct Images {
  int64_t count = 1;
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;

  explicit Images(const Shape& shape) {
    const int rank = shape.rank();
    count = rank == 4 ? shape[0] : 1;
    height = shape[rank - 3];
    width = shape[rank - 2];
    channels = shape[rank - 1];
  }
  int64_t volume() const { return height * width * channels; }
};

Status check_image(std::string_view name, const ArraySpec& spec) {
  const int rank = spec.shape.rank();
  return rank == 3 || rank == 4
             ? ok_status()
             : invalid_argument("{}: {} is not an image (height x width x channels, or a batch of them)",
                                name, spec.to_string());
}

/// The shape of as many images with another size.
Shape with_size(Shape shape, int64_t height, int64_t width) {
  shape[shape.rank() - 3] = height;
  shape[shape.rank() - 2] = width;
  return shape;
}

TensorView image_of(const TensorView& all, int64_t index) {
  const Images images(all.shape());
  const auto bytes = static_cast<int64_t>(tensor::size_of(all.dtype())) * images.volume();
  return {static_cast<const std::byte*>(all.data) + index * bytes,
          {{images.height, images.width, images.channels}, all.dtype(), {}}};
}

MutableTensorView image_of(const MutableTensorView& all, int64_t index) {
  const TensorView found = image_of(TensorView(all), index);
  return {const_cast<void*>(found.data), found.spec};
}

/// Works image by image.
class ImageOperation : public Operation {
 public:
  bool is_differentiable() const override { return false; }

  Status run(const Operands& operands) const final {
    const auto count = static_cast<size_t>(Images(operands.inputs[0].shape()).count);
    return engine::parallel_for(count, [&](size_t index) {
      return run_one(operands.inputs[0], operands.outputs[0], static_cast<int64_t>(index));
    });
  }

 protected:
  virtual Status run_one(const TensorView& in, const MutableTensorView& out, int64_t index) const = 0;
};

class ResizeImage final : public ImageOperation {
 public:
  ResizeImage(int64_t height, int64_t width, kernels::ResampleFilter filter)
      : height_(height), width_(width), filter_(filter) {}

  std::string_view name() const override { return "resize_image"; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    const ArraySpec& in = inputs[0];
    FOREBAY_RETURN_IF_ERROR(check_image(name(), in));
    if (in.volume() == 0 || height_ <= 0 || width_ <= 0 || height_ > INT32_MAX || width_ > INT32_MAX) {
      return invalid_argument("resize_image: {} to {} x {}", in.to_string(), height_, width_);
    }
    return ArraySpecs{{with_size(in.shape, height_, width_), in.dtype}};
  }

 protected:
  Status run_one(const TensorView& in, const MutableTensorView& out, int64_t index) const override {
    const Images images(in.shape());
    FOREBAY_ASSIGN_OR_RETURN(const kernels::ResampleAxis vertical, axis(images.height, height_));
    FOREBAY_ASSIGN_OR_RETURN(const kernels::ResampleAxis horizontal, axis(images.width, width_));
    const kernels::ResampleAxis axes[] = {vertical, horizontal};
    return kernels::resample(image_of(in, index), axes, image_of(out, index));
  }

 private:
  Result<kernels::ResampleAxis> axis(int64_t in, int64_t out) const {
    return kernels::ResampleAxis::make({.in_size = static_cast<int>(in),
                                        .out_size = static_cast<int>(out),
                                        .lo = 0,
                                        .hi = static_cast<float>(in),
                                        .min_filter = filter_,
                                        .mag_filter = filter_,
                                        .antialias = false});
  }

  const int64_t height_;
  const int64_t width_;
  const kernels::ResampleFilter filter_;
};

class CropImage final : public ImageOperation {
 public:
  CropImage(const ImageWindow& window, bool mirror_columns, bool mirror_rows)
      : window_(window), mirror_columns_(mirror_columns), mirror_rows_(mirror_rows) {}

  std::string_view name() const override { return "crop_image"; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_image(name(), inputs[0]));
    const Images images(inputs[0].shape);
    const ImageWindow& w = window_;
    const bool is_within = w.top >= 0 && w.left >= 0 && w.height > 0 && w.width > 0 &&
                           w.height <= images.height - w.top && w.width <= images.width - w.left;
    if (!is_within) {
      return invalid_argument("crop_image: {} x {} at ({}, {}) is not inside an image of {} x {}", w.height,
                              w.width, w.top, w.left, images.height, images.width);
    }
    return ArraySpecs{{with_size(inputs[0].shape, w.height, w.width), inputs[0].dtype}};
  }

 protected:
  Status run_one(const TensorView& in, const MutableTensorView& out, int64_t index) const override {
    const Images images(in.shape());
    const size_t pixel = tensor::size_of(in.dtype()) * static_cast<size_t>(images.channels);
    const auto* const from = static_cast<const std::byte*>(image_of(in, index).data);
    auto* to = static_cast<std::byte*>(image_of(out, index).data);
    for (int64_t row = 0; row < window_.height; ++row) {
      const int64_t source = window_.top + (mirror_rows_ ? window_.height - 1 - row : row);
      copy_row(from + static_cast<size_t>(source * images.width + window_.left) * pixel, to, pixel);
      to += static_cast<size_t>(window_.width) * pixel;
    }
    return ok_status();
  }

 private:
  void copy_row(const std::byte* from, std::byte* to, size_t pixel) const {
    if (!mirror_columns_) {
      memory::copy(to, from, static_cast<size_t>(window_.width) * pixel);
      return;
    }
    for (int64_t column = window_.width; column-- > 0; to += pixel) {
      std::copy_n(from + static_cast<size_t>(column) * pixel, pixel, to);
    }
  }

  const ImageWindow window_;
  const bool mirror_columns_;
  const bool mirror_rows_;
};

class ImageToTensor final : public ImageOperation {
 public:
  std::string_view name() const override { return "image_to_tensor"; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_image(name(), inputs[0]));
    const Images images(inputs[0].shape);
    Shape shape = with_size(inputs[0].shape, images.channels, images.height);
    shape[shape.rank() - 1] = images.width;
    return ArraySpecs{{shape, DType::kFloat}};
  }

 protected:
  Status run_one(const TensorView& in, const MutableTensorView& out, int64_t index) const override {
    const TensorView image = image_of(in, index);
    auto* const to = image_of(out, index).as<float>();
    image.dtype() == DType::kUint8 ? spread(image, image.as<uint8_t>(), to)
                                   : spread(image, image.as<float>(), to);
    return ok_status();
  }

 private:
  template <class T>
  static void spread(const TensorView& image, const T* from, float* to) {
    const Images images(image.shape());
    const int64_t pixels = images.height * images.width;
    for (int64_t channel = 0; channel < images.channels; ++channel) {
      for (int64_t pixel = 0; pixel < pixels; ++pixel) {
        to[channel * pixels + pixel] = static_cast<float>(from[pixel * images.channels + channel]) / 255.0F;
      }
    }
  }
};

}  // namespace

Result<Array> resize_image(const Array& image, int64_t height, int64_t width,
                           kernels::ResampleFilter filter) {
  return apply_one(std::make_shared<ResizeImage>(height, width, filter), {&image, 1});
}

Result<Array> crop_image(const Array& image, const ImageWindow& window, bool mirror_columns,
                         bool mirror_rows) {
  return apply_one(std::make_shared<CropImage>(window, mirror_columns, mirror_rows), {&image, 1});
}

Result<Array> image_to_tensor(const Array& image) {
  if (image.dtype() == DType::kUint8 || image.dtype() == DType::kFloat) {
    return apply_one(std::make_shared<ImageToTensor>(), {&image, 1});
  }
  FOREBAY_ASSIGN_OR_RETURN(const Array floats, cast(image, DType::kFloat));
  return apply_one(std::make_shared<ImageToTensor>(), {&floats, 1});
}

}  // namespace forebay::ndarray
