// pad: fills tensors up to given, aligned or common extents.
#include <algorithm>

#include "forebay/kernels/generic/slice.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/axes.h"

namespace forebay::operators {
namespace {

constexpr int64_t kLargestOfBatch = -1;

struct Pad {
  std::optional<LayoutName> axis_names;
  Arg<std::vector<int64_t>> axes;
  Arg<std::vector<int64_t>> align;
  Arg<std::vector<int64_t>> shape;
  Arg<float> fill_value = 0.0f;

  Status prepare(const Arguments&) {
    if (axis_names && axes.is_given()) {
      return invalid_argument("give the axes either as `axes` or as `axis_names`");
    }
    return ok_status();
  }

  /// A batch is needed only if an extent is the largest of the batch.
  Scope scope() const {
    const std::vector<int64_t>& extents = shape.constant();
    const bool is_known = shape.is_given() && !shape.is_tensor() &&
                          std::ranges::all_of(extents, [](int64_t extent) { return extent > 0; });
    return is_known ? Scope::kSample : Scope::kBatch;
  }

  Status run(Sample& sample) const { return fill_up(sample, sample.input(0).shape()); }

  Status run_batch(std::span<Sample> samples) const {
    if (samples.empty()) {
      return ok_status();
    }
    const Tensor& first = samples[0].input(0);
    Shape largest = first.shape();
    for (const Sample& sample : samples) {
      const Shape& in = sample.input(0).shape();
      if (in.rank() != largest.rank()) {
        return sample.named(
            invalid_argument("samples of {} and {} cannot be padded alike; they have unequal numbers of axes",
                             first.spec().to_string(), sample.input(0).spec().to_string()));
      }
      for (int axis = 0; axis < in.rank(); ++axis) {
        largest[axis] = std::max(largest[axis], in[axis]);
      }
    }
    for (Sample& sample : samples) {
      FOREBAY_RETURN_IF_ERROR(sample.named(fill_up(sample, largest)));
    }
    return ok_status();
  }

 private:
  struct Request {
    std::vector<int> axes;
    std::vector<int64_t> extents;  // one per axis; not positive: not given
    std::vector<int64_t> align;    // one per axis
  };

  /// `values` with one per axis; a single one is repeated for all.
  static Result<std::vector<int64_t>> one_an_axis(std::vector<int64_t> values, size_t count,
                                                  const char* name) {
    if (values.size() == 1) {
      values.resize(count, values[0]);
    }
    if (values.size() != count) {
      return invalid_argument("`{}` has {} values for {} axes", name, values.size(), count);
    }
    return values;
  }

  Result<Request> request_of(const Sample& sample) const {
    Request request;
    FOREBAY_ASSIGN_OR_RETURN(request.axes, padded_axes(sample));
    const size_t count = request.axes.size();
    request.extents.assign(count, kLargestOfBatch);
    if (shape.is_given()) {
      FOREBAY_ASSIGN_OR_RETURN(std::vector<int64_t> given, shape.get(sample));
      FOREBAY_ASSIGN_OR_RETURN(request.extents, one_an_axis(std::move(given), count, "shape"));
    }
    request.align.assign(count, 1);
    if (align.is_given()) {
      FOREBAY_ASSIGN_OR_RETURN(std::vector<int64_t> given, align.get(sample));
      FOREBAY_ASSIGN_OR_RETURN(request.align, one_an_axis(std::move(given), count, "align"));
    }
    for (const int64_t multiple : request.align) {
      if (multiple <= 0 || multiple > INT32_MAX) {
        return invalid_argument("align is {}; it must be positive", multiple);
      }
    }
    return request;
  }

  Result<std::vector<int>> padded_axes(const Sample& sample) const {
    const Tensor& in = sample.input(0);
    if (axis_names && !axis_names->names.empty()) {
      return named_axes(axis_names->names, in.layout());
    }
    std::vector<int64_t> given;
    if (axes.is_given()) {
      FOREBAY_ASSIGN_OR_RETURN(given, axes.get(sample));
    }
    if (given.empty()) {
      for (int axis = 0; axis < in.shape().rank(); ++axis) {
        given.push_back(axis);
      }
    }
    return resolved_axes(given, in.shape().rank());
  }

  Status fill_up(Sample& sample, const Shape& largest) const {
    FOREBAY_ASSIGN_OR_RETURN(const Request request, request_of(sample));
    const Tensor& in = sample.input(0);
    TensorSpec spec = in.spec();
    for (size_t i = 0; i < request.axes.size(); ++i) {
      const int axis = request.axes[i];
      const int64_t wanted = request.extents[i] <= 0 ? largest[axis] : request.extents[i];
      const int64_t extent = std::max(wanted, in.shape()[axis]);
      const int64_t multiple = request.align[i];
      if (extent > INT64_MAX - multiple) {
        return invalid_argument("no tensor can have {} elements along an axis", extent);
      }
      spec.shape[axis] = extent + (multiple - extent % multiple) % multiple;
    }
    if (!spec.shape.checked_volume()) {
      return invalid_argument("no tensor can have the shape {}", spec.shape.to_string());
    }
    if (spec.shape == in.shape()) {
      sample.forward(0, in);
      return ok_status();
    }
    FOREBAY_ASSIGN_OR_RETURN(const float fill, fill_value.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    const std::vector<int64_t> anchor(static_cast<size_t>(spec.shape.rank()), 0);
    return kernels::slice(in.view(), anchor, fill, -1, out);
  }
};

}  // namespace

OperatorSpec pad() {
  return describe<Pad>("pad", "Fills tensors up at the end of their axes.")
      .input("data", "Any tensor.")
      .param("axes", &Pad::axes, "The axes to fill up, negative ones from the end; all without it.")
      .param("axis_names", &Pad::axis_names, "The same by their letters in the layout.")
      .param("shape", &Pad::shape,
             "The extents of those axes; -1 or 0 is the largest of the batch, as it is for all axes without "
             "`shape`. Larger extents than asked for stay as they are. With constant extents no batch is "
             "waited for.")
      .param("align", &Pad::align, "Extents become multiples of this; one for all axes or one each.")
      .param("fill_value", &Pad::fill_value, "The value of what is added, saturated to the type.")
      .any_number()
      .outputs("The input at the start of each axis; the input itself when nothing is added.")
      .matches("DALI pad; there, fill values wrap around instead of saturating")
      .build();
}

}  // namespace forebay::operators
