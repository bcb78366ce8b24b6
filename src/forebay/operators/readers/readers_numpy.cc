#include "forebay/dataset/numpy/numpy_source.h"
#include "forebay/operators/readers/reader_arguments.h"
#include "forebay/operators/windows/slice_arguments.h"

namespace forebay::operators {
namespace {

/// The constant if it is given. Tensors are not: what is read is known before any other operator runs.
template <class T>
Status take_constant(const Arg<T>& argument, std::optional<T>& value) {
  if (argument.is_tensor()) {
    return invalid_argument(
        "a region that differs between samples cannot be read alone; read whole arrays and use `slice`");
  }
  if (argument.is_given()) {
    value = argument.constant();
  }
  return ok_status();
}

}  // namespace

struct ReadersNumpy : Reader<dataset::NumpyOptions, dataset::make_numpy_source> {
  Arg<std::vector<int64_t>> roi_start;
  Arg<std::vector<int64_t>> roi_end;
  Arg<std::vector<int64_t>> roi_shape;
  Arg<std::vector<float>> rel_roi_start;
  Arg<std::vector<float>> rel_roi_end;
  Arg<std::vector<float>> rel_roi_shape;
  std::vector<int64_t> roi_axes;
  std::string out_of_bounds_policy = "error";

  Status prepare(const Arguments& arguments) {
    FOREBAY_RETURN_IF_ERROR(Reader::prepare(arguments));
    FOREBAY_ASSIGN_OR_RETURN(const SliceEdges edges, checked_edges());
    if (edges.has_any()) {
      region = [edges, axes = roi_axes, policy = out_of_bounds_policy](const Shape& shape) {
        return region_of(edges, axes, policy, shape);
      };
    }
    return ok_status();
  }

 private:
  Result<SliceEdges> checked_edges() const {
    SliceEdges edges;
    FOREBAY_RETURN_IF_ERROR(take_constant(roi_start, edges.start));
    FOREBAY_RETURN_IF_ERROR(take_constant(roi_end, edges.end));
    FOREBAY_RETURN_IF_ERROR(take_constant(roi_shape, edges.shape));
    FOREBAY_RETURN_IF_ERROR(take_constant(rel_roi_start, edges.rel_start));
    FOREBAY_RETURN_IF_ERROR(take_constant(rel_roi_end, edges.rel_end));
    FOREBAY_RETURN_IF_ERROR(take_constant(rel_roi_shape, edges.rel_shape));
    if (edges.start && edges.rel_start) {
      return invalid_argument("`roi_start` and `rel_roi_start` cannot be given together");
    }
    if (edges.end.has_value() + edges.shape.has_value() + edges.rel_end.has_value() +
            edges.rel_shape.has_value() >
        1) {
      return invalid_argument(
          "only one of `roi_end`, `rel_roi_end`, `roi_shape`, `rel_roi_shape` can be given");
    }
    return edges;
  }

  static Result<dataset::ArrayRegion> region_of(const SliceEdges& edges, const std::vector<int64_t>& axes,
                                                const std::string& policy, const Shape& shape) {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int> sliced, checked_axes(axes, shape.rank()));
    FOREBAY_ASSIGN_OR_RETURN(const TensorWindow wanted, window_of(edges, sliced, shape));
    const Result<TensorWindow> window = apply_policy(wanted, shape, policy);
    if (!window.ok()) {
      return invalid_argument("{}", message(window.status()));
    }
    return dataset::ArrayRegion{window->anchor, window->shape};
  }
};

OperatorSpec readers_numpy() {
  using Op = ReadersNumpy;
  return describe<Op>("readers.numpy", "Reads arrays, or a region of each, from .npy files.")
      .group(add_listing<Op>)
      .param("file_filter", &Op::file_filter,
             "Glob pattern: which files of file_root and its subfolders are read.")
      .param("roi_start", &Op::roi_start, "Where the region begins, an entry for each of `roi_axes`.")
      .param("roi_end", &Op::roi_end, "Where it ends.")
      .param("roi_shape", &Op::roi_shape, "Its extents, instead of an end.")
      .param("rel_roi_start", &Op::rel_roi_start, "roi_start, relative to the array's extents.")
      .param("rel_roi_end", &Op::rel_roi_end, "roi_end, relative to the extents.")
      .param("rel_roi_shape", &Op::rel_roi_shape, "roi_shape, relative to the extents.")
      .param("roi_axes", &Op::roi_axes, "The axes that the region's entries mean; all when empty.")
      .param(
          "out_of_bounds_policy", &Op::out_of_bounds_policy,
          "What a region that leaves the array does: an `error`, `pad` with fill_value, or `trim_to_shape`.")
      .choices({"error", "pad", "trim_to_shape"})
      .param("fill_value", &Op::fill_value, "What is put outside the array.")
      .any_number()
      .ignored("cache_header_information", false,
               "Accepted for compatibility; headers are kept where that helps.")
      .ignored("use_o_direct", false)
      .ignored("register_buffers", true)
      .group(add_reader_arguments<Op>)
      .outputs(
          "The array or its region, in C order. A file on a disk is read into the memory of its sample, not "
          "mapped: one that is cut off or written to meanwhile is an error of its sample.")
      .matches("DALI fn.readers.numpy")
      .build();
}

}  // namespace forebay::operators
