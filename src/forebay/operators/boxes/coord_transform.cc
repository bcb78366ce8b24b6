// coord_transform: points or vectors through a matrix and a translation.
#include "forebay/kernels/linear_algebra/map_points.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/frames.h"

namespace forebay::operators {
namespace {

/// The extents of M, which are those of all frames.
struct MapForm {
  int64_t columns = 0;     // coordinates of a point that comes in
  int64_t rows = 0;        // and of one that goes out
  bool is_joined = false;  // T is a last column

  int64_t stride() const { return columns + (is_joined ? 1 : 0); }
};

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
    FOREBAY_ASSIGN_OR_RETURN(const MapForm form, form_of(matrix, shift, in.shape().back()));
    FOREBAY_ASSIGN_OR_RETURN(const int64_t frames, common_frames({&matrix, &shift}));
    if (frames != 1 && (in.layout().find('F') != 0 || in.shape()[0] != frames)) {
      return invalid_argument("the arguments have {} frames, the input is {}", frames, in.spec().to_string());
    }
    TensorSpec spec{in.shape(), dtype, in.layout()};
    spec.shape[in.shape().rank() - 1] = form.rows;
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    const int64_t points = in.shape().volume(0, in.shape().rank() - 1) / std::max<int64_t>(frames, 1);
    const TensorSpec from{{points, form.columns}, in.dtype(), {}};
    const TensorSpec to{{points, form.rows}, dtype, {}};
    for (int64_t frame = 0; frame < frames; ++frame) {
      const auto place = static_cast<size_t>(frame);
      FOREBAY_RETURN_IF_ERROR(
          kernels::map_points({static_cast<const std::byte*>(in.data()) + place * from.size_bytes(), from},
                              map_at(form, matrix, shift, frame),
                              {static_cast<std::byte*>(out.data) + place * to.size_bytes(), to}));
    }
    return ok_status();
  }

 private:
  Result<MapForm> form_of(const FrameFloats& matrix, const FrameFloats& shift, int64_t coordinates) const {
    const bool is_full = matrix.size() > 1;
    MapForm form{coordinates, coordinates, mt.is_given() && is_full};
    if (is_full && (form.stride() == 0 || matrix.size() % form.stride() != 0)) {
      return invalid_argument("{} numbers are no matrix of {} columns", matrix.size(), form.stride());
    }
    form.rows = is_full ? matrix.size() / form.stride() : coordinates;
    if (shift.size() > 1 && shift.size() != form.rows) {
      return invalid_argument("T has {} numbers; give one, or {}", shift.size(), form.rows);
    }
    return form;
  }

  static kernels::PointMap map_at(const MapForm& form, const FrameFloats& matrix, const FrameFloats& shift,
                                  int64_t frame) {
    const std::span<const float> m = matrix.at(frame);
    if (form.is_joined) {
      return {m, m.subspan(static_cast<size_t>(form.columns)), form.stride(), form.stride()};
    }
    return {m, shift.at(frame), form.stride(), 1};
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
