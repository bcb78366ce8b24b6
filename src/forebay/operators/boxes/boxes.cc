#include "forebay/operators/boxes/boxes.h"

#include <algorithm>

#include "forebay/memory/copy.h"

namespace forebay::operators {
namespace {

constexpr std::string_view kStarts = "xyz";
constexpr std::string_view kEnds = "XYZ";
constexpr std::string_view kExtents = "WHD";

bool is_permutation_of(std::string_view names, std::string_view starts, std::string_view stops) {
  return names.size() == starts.size() + stops.size() &&
         std::ranges::all_of(starts, [&](char c) { return names.find(c) != std::string_view::npos; }) &&
         std::ranges::all_of(stops, [&](char c) { return names.find(c) != std::string_view::npos; });
}

}  // namespace

float Box::volume() const {
  float product = 1;
  for (int axis = 0; axis < axes; ++axis) {
    product *= extent(axis);
  }
  return product;
}

bool Box::holds_center_of(const Box& box) const {
  for (int axis = 0; axis < axes; ++axis) {
    const float at = box.center(axis);
    if (!(at >= low[axis] && at < high[axis])) {
      return false;
    }
  }
  return true;
}

float volume_of_overlap(const Box& a, const Box& b) {
  float product = 1;
  for (int axis = 0; axis < a.axes; ++axis) {
    const float shared = std::min(a.high[axis], b.high[axis]) - std::max(a.low[axis], b.low[axis]);
    if (!(shared > 0)) {
      return 0;
    }
    product *= shared;
  }
  return product;
}

float intersection_over_union(const Box& a, const Box& b) {
  const float shared = volume_of_overlap(a, b);
  return shared == 0 ? 0 : shared / (a.volume() + b.volume() - shared);
}

BoxLayout::BoxLayout(std::string_view names, int axes)
    : axes_(axes), has_extents_(names.find('W') != std::string_view::npos) {
  for (int axis = 0; axis < axes; ++axis) {
    const auto place = static_cast<size_t>(axis);
    start_[place] = static_cast<int>(names.find(kStarts[place]));
    stop_[place] = static_cast<int>(names.find((has_extents_ ? kExtents : kEnds)[place]));
  }
}

BoxLayout BoxLayout::of_axes(int axes, bool has_corners) {
  return axes == 2 ? of_plane(has_corners) : BoxLayout(has_corners ? "xyzXYZ" : "xyzWHD", 3);
}

Result<BoxLayout> BoxLayout::of_names(std::string_view names) {
  for (const size_t axes : {size_t{2}, size_t{3}}) {
    const std::string_view starts = kStarts.substr(0, axes);
    if (is_permutation_of(names, starts, kEnds.substr(0, axes)) ||
        is_permutation_of(names, starts, kExtents.substr(0, axes))) {
      return BoxLayout(names, static_cast<int>(axes));
    }
  }
  return invalid_argument(
      "the layout of boxes '{}' is no permutation of 'xyXY', 'xyWH', 'xyzXYZ' or 'xyzWHD'", names);
}

Box BoxLayout::read(const float* row) const {
  Box box;
  box.axes = axes_;
  for (int axis = 0; axis < axes_; ++axis) {
    box.low[axis] = row[start_[axis]];
    box.high[axis] = row[stop_[axis]] + (has_extents_ ? box.low[axis] : 0);
  }
  return box;
}

void BoxLayout::write(const Box& box, float* row) const {
  for (int axis = 0; axis < axes_; ++axis) {
    row[start_[axis]] = box.low[axis];
    row[stop_[axis]] = has_extents_ ? box.extent(axis) : box.high[axis];
  }
}

Status check_boxes(const Tensor& boxes, int numbers) {
  if (boxes.dtype() != DType::kFloat || boxes.shape().rank() == 0 || boxes.volume() % numbers != 0) {
    return invalid_argument("boxes are FLOAT, {} numbers each, not {}", numbers == 4 ? "four" : "six",
                            boxes.spec().to_string());
  }
  return ok_status();
}

Status check_rows_of_boxes(const Tensor& boxes, int numbers) {
  const Shape& shape = boxes.shape();
  if (boxes.dtype() != DType::kFloat || shape.rank() != 2 || shape[1] != numbers) {
    return invalid_argument("boxes are FLOAT, n x {}, not {}", numbers, boxes.spec().to_string());
  }
  return ok_status();
}

Status check_labels(const Tensor& labels, int64_t boxes) {
  const Shape& shape = labels.shape();
  if (labels.dtype() != DType::kInt32 || shape.rank() < 1 || shape.rank() > 2) {
    return invalid_argument("labels are INT32, n or n x k, not {}", labels.spec().to_string());
  }
  if (shape[0] != boxes) {
    return invalid_argument("{} labels are given for {} boxes", shape[0], boxes);
  }
  return ok_status();
}

memory::ScratchVector<Box> read_boxes(const Tensor& boxes, const BoxLayout& layout) {
  memory::ScratchVector<Box> read;
  read.reserve(static_cast<size_t>(boxes.shape()[0]));
  const float* row = boxes.view().as<float>();
  for (int64_t i = 0; i < boxes.shape()[0]; ++i, row += layout.numbers()) {
    read.push_back(layout.read(row));
  }
  return read;
}

Status keep_rows(Sample& sample, int output, const Tensor& in, std::span<const int32_t> kept) {
  TensorSpec spec = in.spec();
  spec.shape[0] = 1;
  const size_t row_bytes = spec.size_bytes();
  spec.shape[0] = static_cast<int64_t>(kept.size());
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(output, spec));
  auto* to = static_cast<std::byte*>(out.data);
  for (const int32_t row : kept) {
    memory::copy(to, static_cast<const std::byte*>(in.data()) + static_cast<size_t>(row) * row_bytes,
                 row_bytes);
    to += row_bytes;
  }
  return ok_status();
}

}  // namespace forebay::operators
