// Bounding boxes as tensors: FLOAT, one row a box, in a layout that says which number is what. Labels go with
// them, INT32, one a box. A sample may have no box at all.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "forebay/memory/host/scratch.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

/// A box by its corners, in the order x, y(, z).
struct Box {
  int axes = 2;
  std::array<float, 3> low{};
  std::array<float, 3> high{};

  float extent(int axis) const { return high[axis] - low[axis]; }
  float center(int axis) const { return (low[axis] + high[axis]) * 0.5f; }
  float volume() const;
  /// Whether a box's centre is in here; low edges belong to a box, high ones do not.
  bool holds_center_of(const Box& box) const;
};

/// 0 if they do not overlap.
float volume_of_overlap(const Box& a, const Box& b);
/// What they share as part of what they cover together; 0 if they do not overlap.
float intersection_over_union(const Box& a, const Box& b);

/// Which number of a row is what: a permutation of "xyXY" (both corners), "xyWH" (corner and extents),
/// "xyzXYZ" or "xyzWHD".
class BoxLayout {
 public:
  /// Left, top, right, bottom; or left, top, width, height.
  static BoxLayout of_plane(bool ltrb) { return ltrb ? BoxLayout("xyXY", 2) : BoxLayout("xyWH", 2); }
  /// Corners, in two or three dimensions; or corner and extents.
  static BoxLayout of_axes(int axes, bool has_corners);
  /// invalid_argument, naming what is taken, for anything else.
  static Result<BoxLayout> of_names(std::string_view names);

  int axes() const { return axes_; }
  int numbers() const { return 2 * axes_; }
  bool has_extents() const { return has_extents_; }
  /// Where the start of an axis is in a row, and where its end or its extent.
  int start(int axis) const { return start_[axis]; }
  int stop(int axis) const { return stop_[axis]; }

  Box read(const float* row) const;
  void write(const Box& box, float* row) const;

 private:
  BoxLayout(std::string_view names, int axes);

  int axes_ = 2;
  bool has_extents_ = false;
  std::array<int, 3> start_{};
  std::array<int, 3> stop_{};
};

/// invalid_argument unless `boxes` is FLOAT and holds rows of `numbers`, in any shape.
Status check_boxes(const Tensor& boxes, int numbers = 4);

/// The same, and that it is n x `numbers`: what operators need that change how many boxes there are.
Status check_rows_of_boxes(const Tensor& boxes, int numbers);

/// invalid_argument unless `labels` is INT32, n or n x k, with as many rows as there are boxes.
Status check_labels(const Tensor& labels, int64_t boxes);

/// The boxes of n x `layout.numbers()` numbers.
memory::ScratchVector<Box> read_boxes(const Tensor& boxes, const BoxLayout& layout);

/// Makes output `output` of those rows of `in` that `kept` numbers, in its order.
Status keep_rows(Sample& sample, int output, const Tensor& in, std::span<const int32_t> kept);

/// Output 0, like input 0, with `change(from, to)` done to the four numbers of each box.
template <class F>
Status for_each_box(Sample& sample, F change) {
  const Tensor& in = sample.input(0);
  FOREBAY_RETURN_IF_ERROR(check_boxes(in));
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, in.spec()));
  const float* from = in.view().as<float>();
  float* to = out.as<float>();
  for (int64_t i = 0; i < in.volume(); i += 4) {
    change(from + i, to + i);
  }
  return ok_status();
}

template <class T>
void add_boxes(Description<T>& description) {
  description.input("boxes", "FLOAT, four numbers a box, as parts of the image's width and height.")
      .param("ltrb", &T::ltrb, "Whether boxes are left, top, right, bottom; else left, top, width, height.")
      .outputs("The boxes, in the same form.");
}

}  // namespace forebay::operators
