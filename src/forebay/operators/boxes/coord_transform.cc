// coord_transform: points or vectors through a matrix and a translation.
#include "forebay/kernels/generic/convert.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/frames.h"

namespace forebay::operators {
namespace {

/// x -> M x + T of one frame. Empty M: the identity; one number: that many times it. T likewise.
struct PointMap {
  std::span<const float> m;
  std::span<const float> t;
  int64_t in = 0;      // coordinates of a point that comes in
  int64_t out = 0;     // and of one that goes out
  int64_t stride = 0;  // between the rows of m

  float at(int64_t row, int64_t column) const {
    if (m.size() <= 1) {
      return row != column ? 0 : (m.empty() ? 1 : m[0]);
    }
    return m[static_cast<size_t>(row * stride + column)];
  }
  float shift(int64_t row) const {
    return t.empty() ? 0 : t[t.size() == 1 ? 0 : static_cast<size_t>(row * (stride == in ? 1 : stride))];
  }
};

template <class In, class Out>
void map_points(const In* from, int64_t count, const PointMap& map, Out* to) {
  for (int64_t point = 0; point < count; ++point, from += map.in, to += map.out) {
    for (int64_t row = 0; row < map.out; ++row) {
      float sum = map.shift(row);
      for (int64_t column = 0; column < map.in; ++column) {
        sum += map.at(row, column) * static_cast<float>(from[column]);
      }
      to[row] = kernels::convert_saturated<Out>(sum);
    }
  }
}

struct CoordTransform {
  Arg<std::vector<float>> m;
  Arg<std::vector<float>> t;
  Arg<std::vector<float>> mt;
  DType dtype = DType::kFloat;

  Status prepare(const Arguments&) const {
    if (mt.is_given() && (m.is_given() || t.is_given())) {
      return invalid_argument("MT holds both the matrix and the translation; give either MT, or M and T");
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    if (in.shape().rank() < 2) {
      return invalid_argument("points have at least two axes, the last of them coordinates, not {}",
                              in.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats matrix, FrameFloats::of(sample, mt.is_given() ? mt : m));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats shift, FrameFloats::of(sample, t));
    FOREBAY_ASSIGN_OR_RETURN(const PointMap form, form_of(matrix, shift, in.shape().back()));
    FOREBAY_ASSIGN_OR_RETURN(const int64_t frames, common_frames({&matrix, &shift}));
    if (frames != 1 && (in.layout().find('F') != 0 || in.shape()[0] != frames)) {
      return invalid_argument("the arguments have {} frames, the input is {}", frames, in.spec().to_string());
    }
    TensorSpec spec{in.shape(), dtype, in.layout()};
    spec.shape[in.shape().rank() - 1] = form.out;
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    const int64_t points = in.shape().volume(0, in.shape().rank() - 1) / std::max<int64_t>(frames, 1);
    tensor::visit_dtype(in.dtype(), [&](auto from) {
      tensor::visit_dtype(dtype, [&](auto to) {
        using In = typename decltype(from)::type;
        using Out = typename decltype(to)::type;
        for (int64_t frame = 0; frame < frames; ++frame) {
          map_points(in.view().as<In>() + frame * points * form.in, points,
                     map_at(form, matrix, shift, frame), out.as<Out>() + frame * points * form.out);
        }
      });
    });
    return ok_status();
  }

 private:
  /// The extents, which are those of all frames.
  Result<PointMap> form_of(const FrameFloats& matrix, const FrameFloats& shift, int64_t coordinates) const {
    PointMap form;
    form.in = coordinates;
    const bool is_joined = mt.is_given() && matrix.size() > 1;
    form.stride = coordinates + (is_joined ? 1 : 0);
    const bool is_full = matrix.size() > 1;
    if (is_full && (form.stride == 0 || matrix.size() % form.stride != 0)) {
      return invalid_argument("{} numbers are no matrix of {} columns", matrix.size(), form.stride);
    }
    form.out = is_full ? matrix.size() / form.stride : coordinates;
    if (shift.size() > 1 && shift.size() != form.out) {
      return invalid_argument("T has {} numbers; give one, or {}", shift.size(), form.out);
    }
    return form;
  }

  static PointMap map_at(PointMap form, const FrameFloats& matrix, const FrameFloats& shift, int64_t frame) {
    form.m = matrix.at(frame);
    const bool is_joined = form.stride != form.in;
    form.t = is_joined ? form.m.subspan(static_cast<size_t>(form.in)) : shift.at(frame);
    return form;
  }
};

}  // namespace

OperatorSpec coord_transform() {
  return describe<CoordTransform>("coord_transform", "Maps points or vectors: M x + T.")
      .input("points", "Any type; the last axis holds the coordinates.")
      .param("M", &CoordTransform::m,
             "The matrix in rows, with a column for each coordinate; one number times the identity; the "
             "identity without it. May change by frames.")
      .param("T", &CoordTransform::t, "What is added: one number, or one for each row. May change by frames.")
      .param("MT", &CoordTransform::mt, "M with T as a last column. May change by frames.")
      .param("dtype", &CoordTransform::dtype, "Type of the output; integers are rounded and saturated.")
      .outputs("The points, of as many coordinates as the matrix has rows.")
      .matches("DALI coord_transform")
      .build();
}

}  // namespace forebay::operators
