#include "forebay/operators/transforms/transform.h"

#include <algorithm>

namespace forebay::operators {

Result<TransformInput> transform_input(const Tensor& tensor) {
  const bool is_sequence = tensor.layout().find('F') == 0;
  const int first = is_sequence ? 1 : 0;
  const Shape& shape = tensor.shape();
  const bool fits = shape.rank() == first + 2 && shape[first + 1] == shape[first] + 1 && shape[first] >= 1 &&
                    shape[first] <= AffineMatrix::kMaxDimensions;
  if (!fits || tensor.dtype() != DType::kFloat) {
    return invalid_argument("a transform is a FLOAT matrix of n x (n + 1), n from 1 to {}, not {}",
                            AffineMatrix::kMaxDimensions, tensor.spec().to_string());
  }
  FOREBAY_ASSIGN_OR_RETURN(FrameFloats values, FrameFloats::of_tensor(tensor));
  return TransformInput{std::move(values), static_cast<int>(shape[first])};
}

Result<int> Transform::input_dimensions(const Sample& sample) {
  if (sample.num_inputs() == 0) {
    return 0;
  }
  FOREBAY_ASSIGN_OR_RETURN(const TransformInput in, transform_input(sample.input(0)));
  return in.dimensions;
}

Status put_transforms(Sample& sample, int dimensions, int64_t frames, bool is_sequence, MatrixOf matrix_of) {
  TensorSpec spec{{dimensions, dimensions + 1}, DType::kFloat, "**"};
  if (is_sequence) {
    spec = {{frames, dimensions, dimensions + 1}, DType::kFloat, "F**"};
  }
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
  const auto size = static_cast<size_t>(dimensions * (dimensions + 1));
  for (int64_t frame = 0; frame < frames; ++frame) {
    matrix_of(frame).write(out.span<float>().subspan(static_cast<size_t>(frame) * size, size));
  }
  return ok_status();
}

Status Transform::put(Sample& sample, int dimensions, std::initializer_list<const FrameFloats*> parts,
                      MatrixOf matrix_of) const {
  FOREBAY_ASSIGN_OR_RETURN(int64_t frames, common_frames(parts));
  bool is_sequence = std::ranges::any_of(parts, [](const FrameFloats* part) { return part->is_per_frame(); });
  if (sample.num_inputs() == 0) {
    return put_transforms(sample, dimensions, frames, is_sequence, matrix_of);
  }
  FOREBAY_ASSIGN_OR_RETURN(const TransformInput in, transform_input(sample.input(0)));
  if (in.dimensions != dimensions) {
    return invalid_argument("the transform that comes in has {} dimensions, the arguments {}", in.dimensions,
                            dimensions);
  }
  if (frames != 1 && in.values.frames() != 1 && frames != in.values.frames()) {
    return invalid_argument("the arguments have {} frames, the transform that comes in {}", frames,
                            in.values.frames());
  }
  frames = frames == 1 ? in.values.frames() : frames;
  is_sequence = is_sequence || in.values.is_per_frame();
  return put_transforms(sample, dimensions, frames, is_sequence, [&](int64_t frame) {
    const AffineMatrix incoming = AffineMatrix::of_rows(dimensions, in.values.at(frame));
    const AffineMatrix own = matrix_of(frame);
    return reverse_order ? AffineMatrix::composed(incoming, own) : AffineMatrix::composed(own, incoming);
  });
}

Status check_size(const char* name, const FrameFloats& values, int64_t dimensions, bool may_be_one,
                  bool may_be_empty) {
  const int64_t size = values.size();
  if (size == dimensions || (may_be_one && size == 1) || (may_be_empty && size == 0)) {
    return ok_status();
  }
  return invalid_argument("{} has {} numbers for {} dimensions", name, size, dimensions);
}

}  // namespace forebay::operators
