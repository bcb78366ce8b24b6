#include "forebay/kernels/image/crop_mirror_normalize.h"

#include <algorithm>

#include "forebay/kernels/generic/fill.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::Layout;
using tensor::MutableTensorView;
using tensor::Shape;
using tensor::TensorView;

// Extents and strides (in elements) by axis name; an absent axis has extent 1.
struct Axes {
  int64_t frames = 1, depth = 1, height = 1, width = 1, channels = 1;
  int64_t frame_stride = 0, depth_stride = 0, row_stride = 0, pixel_stride = 0, channel_stride = 0;
};

Result<Axes> axes_of(const Shape& shape, const Layout& layout) {
  if (layout.size() != shape.rank()) {
    return invalid_argument("crop_mirror_normalize: layout \"{}\" does not fit the shape {}", layout.view(),
                            shape.to_string());
  }
  Axes axes;
  int64_t stride = 1;
  std::string seen;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const char name = layout[axis];
    if (seen.find(name) != std::string::npos) {
      return invalid_argument("crop_mirror_normalize: layout \"{}\" names an axis twice", layout.view());
    }
    seen.push_back(name);
    const auto set = [&](int64_t* extent, int64_t* axis_stride) {
      *extent = shape[axis];
      *axis_stride = stride;
    };
    switch (name) {
      case 'F':
        set(&axes.frames, &axes.frame_stride);
        break;
      case 'D':
        set(&axes.depth, &axes.depth_stride);
        break;
      case 'H':
        set(&axes.height, &axes.row_stride);
        break;
      case 'W':
        set(&axes.width, &axes.pixel_stride);
        break;
      case 'C':
        set(&axes.channels, &axes.channel_stride);
        break;
      default:
        return invalid_argument(
            "crop_mirror_normalize: layout \"{}\" has an axis other than F, D, H, W and C", layout.view());
    }
    stride *= shape[axis];
  }
  if (layout.find('H') < 0 || layout.find('W') < 0) {
    return invalid_argument("crop_mirror_normalize: layout \"{}\" has no H and W", layout.view());
  }
  return axes;
}

// Writes a row of the output, part of which may be outside the input.
class RowWriter {
 public:
  RowWriter(const TensorView& in, const Axes& from, const CropMirrorNormalizeOptions& options,
            const MutableTensorView& out, const Axes& to)
      : in_(in), from_(from), options_(options), out_(out), to_(to) {
    const int64_t width = options.shape[2];
    begin_ = std::clamp<int64_t>(-options.anchor[2], 0, width);
    end_ = std::clamp<int64_t>(from.width - options.anchor[2], begin_, width);
    if (in.dtype() != DType::kUint8 && in.dtype() != DType::kFloat) {
      converted_.resize(static_cast<size_t>((end_ - begin_) * from.channels));
    }
  }

  void write(int64_t frame, int64_t z, int64_t y) const {
    const int64_t source_z = options_.anchor[0] + z;
    const int64_t source_y = options_.anchor[1] + y;
    const bool is_inside =
        source_z >= 0 && source_z < from_.depth && source_y >= 0 && source_y < from_.height;
    const int64_t target = frame * to_.frame_stride + z * to_.depth_stride + y * to_.row_stride;
    const int64_t width = options_.shape[2];
    if (!is_inside || begin_ == end_) {
      fill(target, 0, width, 0, to_.channels);
      return;
    }
    fill(target, 0, begin_, 0, to_.channels);
    fill(target, end_, width, 0, to_.channels);
    fill(target, begin_, end_, from_.channels, to_.channels);
    const int64_t source = frame * from_.frame_stride + source_z * from_.depth_stride +
                           source_y * from_.row_stride + (options_.anchor[2] + begin_) * from_.pixel_stride;
    normalize(source, target);
  }

 private:
  // Fills the pixels [begin, end) of the window before mirroring.
  void fill(int64_t target, int64_t begin, int64_t end, int64_t first_channel, int64_t end_channel) const {
    const int64_t first = options_.mirror ? options_.shape[2] - end : begin;
    for (int64_t c = first_channel; c < end_channel && begin < end; ++c) {
      fill_line(out_.dtype(), out_.data, target + first * to_.pixel_stride + c * to_.channel_stride,
                to_.pixel_stride, end - begin, options_.fill, c);
    }
  }

  void normalize(int64_t source, int64_t target) const {
    const int64_t first = options_.mirror ? options_.shape[2] - end_ : begin_;
    const int64_t offset =
        (target + first * to_.pixel_stride) * static_cast<int64_t>(tensor::size_of(out_.dtype()));
    const NormalizedRow row{static_cast<std::byte*>(out_.data) + offset, out_.dtype(), to_.pixel_stride,
                            to_.channel_stride};
    const int width = static_cast<int>(end_ - begin_);
    const int channels = static_cast<int>(from_.channels);
    if (in_.dtype() == DType::kUint8 && from_.pixel_stride == channels) {
      normalize_row(in_.as<uint8_t>() + source, width, channels, options_.mirror, options_.constants, row);
    } else if (in_.dtype() == DType::kUint8 && from_.pixel_stride == 1) {
      for (int c = 0; c < channels; ++c) {  // planes
        NormalizeConstants constants = options_.constants;
        constants.mean[0] = constants.mean[c];
        constants.multiplier[0] = constants.multiplier[c];
        NormalizedRow plane = row;
        plane.data = static_cast<std::byte*>(row.data) +
                     c * to_.channel_stride * static_cast<int64_t>(tensor::size_of(out_.dtype()));
        normalize_row(in_.as<uint8_t>() + source + c * from_.channel_stride, width, 1, options_.mirror,
                      constants, plane);
      }
    } else if (in_.dtype() == DType::kFloat) {
      normalize_row(in_.as<float>() + source, from_.pixel_stride, from_.channel_stride, width, channels,
                    options_.mirror, options_.constants, row);
    } else {
      convert(source, width, channels);
      normalize_row(converted_.data(), channels, 1, width, channels, options_.mirror, options_.constants,
                    row);
    }
  }

  void convert(int64_t source, int width, int channels) const {
    tensor::visit_dtype(in_.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* data = in_.as<T>() + source;
      for (int x = 0; x < width; ++x) {
        for (int c = 0; c < channels; ++c) {
          converted_[static_cast<size_t>(x) * channels + c] =
              static_cast<float>(data[x * from_.pixel_stride + c * from_.channel_stride]);
        }
      }
    });
  }

  const TensorView& in_;
  const Axes& from_;
  const CropMirrorNormalizeOptions& options_;
  const MutableTensorView& out_;
  const Axes& to_;
  int64_t begin_ = 0;
  int64_t end_ = 0;
  mutable memory::ScratchVector<float> converted_;
};

Status check(const Axes& from, const CropMirrorNormalizeOptions& options, DType dtype, const Axes& to) {
  if (dtype != DType::kFloat && dtype != DType::kFloat16 && dtype != DType::kUint8 && dtype != DType::kInt8) {
    return invalid_argument("crop_mirror_normalize gives float, float16, uint8 or int8, not {}",
                            tensor::name_of(dtype));
  }
  if (from.channels > kMaxNormalizedChannels || to.channels < from.channels) {
    return invalid_argument("crop_mirror_normalize: {} channels to {}; at most {} are possible",
                            from.channels, to.channels, kMaxNormalizedChannels);
  }
  if (options.out_channels != to.channels || to.frames != from.frames || to.depth != options.shape[0] ||
      to.height != options.shape[1] || to.width != options.shape[2]) {
    return invalid_argument("crop_mirror_normalize: the output does not have the shape of the window");
  }
  constexpr int64_t kFarthest = int64_t{1} << 40;
  for (const int64_t anchor : options.anchor) {
    if (anchor < -kFarthest || anchor > kFarthest) {
      return invalid_argument("crop_mirror_normalize: the window starts at {}", anchor);
    }
  }
  if (options.shape[2] > (1 << 30) || from.width > (1 << 30)) {
    return invalid_argument("crop_mirror_normalize: rows of more than 2^30 pixels");
  }
  return ok_status();
}

}  // namespace

Result<NormalizeConstants> make_normalize_constants(std::span<const float> mean, std::span<const float> std,
                                                    float scale, float shift, int channels) {
  const auto fits = [&](size_t size) { return size == 1 || size == static_cast<size_t>(channels); };
  if (!fits(mean.size()) || !fits(std.size())) {
    return invalid_argument("mean has {} and std {} entries for {} channels", mean.size(), std.size(),
                            channels);
  }
  if (channels < 1 || channels > kMaxNormalizedChannels) {
    return invalid_argument("{} channels; at most {} can be normalised", channels, kMaxNormalizedChannels);
  }
  NormalizeConstants constants;
  constants.shift = shift;
  for (int c = 0; c < channels; ++c) {
    constants.mean[c] = mean[mean.size() == 1 ? 0 : c];
    constants.multiplier[c] = scale / std[std.size() == 1 ? 0 : c];
  }
  return constants;
}

Status crop_mirror_normalize(const TensorView& in, const CropMirrorNormalizeOptions& options,
                             const MutableTensorView& out) {
  FOREBAY_ASSIGN_OR_RETURN(const Axes from, axes_of(in.shape(), in.spec.layout));
  FOREBAY_ASSIGN_OR_RETURN(const Axes to, axes_of(out.shape(), out.spec.layout));
  FOREBAY_RETURN_IF_ERROR(check(from, options, out.dtype(), to));
  if (out.volume() == 0) {
    return ok_status();
  }
  return caught([&]() -> Status {
    const RowWriter writer(in, from, options, out, to);
    for (int64_t frame = 0; frame < to.frames; ++frame) {
      for (int64_t z = 0; z < to.depth; ++z) {
        for (int64_t y = 0; y < to.height; ++y) {
          writer.write(frame, z, y);
        }
      }
    }
    return ok_status();
  });
}

}  // namespace forebay::kernels
