#include "forebay/ndarray/selection/row_map.h"

#include <algorithm>

#include "forebay/kernels/indexing/rows.h"

namespace forebay::ndarray {
namespace {

using tensor::Shape;
using tensor::TensorView;
using Rows = std::vector<int64_t>;

Rows row_numbers_of(const TensorView& indices) {
  Rows numbers(static_cast<size_t>(indices.volume()));
  kernels::read_indices(indices, numbers);
  return numbers;
}

Status out_of_extent(int64_t index, int64_t extent, int axis) {
  return out_of_range("index {} is out of bounds for axis {} with size {}", index, axis, extent);
}

/// Brings indices of an axis into range.
Status bring_into_range(Rows& indices, int64_t extent, int axis, IndexMode mode) {
  if (extent == 0 && !indices.empty()) {
    return out_of_extent(indices[0], extent, axis);
  }
  for (int64_t& index : indices) {
    if (mode == IndexMode::kClip) {
      index = std::clamp<int64_t>(index, 0, extent - 1);
    } else if (mode == IndexMode::kWrap) {
      index = (index % extent + extent) % extent;
    } else if (index < -extent || index >= extent) {
      return out_of_extent(index, extent, axis);
    } else if (index < 0) {
      index += extent;
    }
  }
  return ok_status();
}

class TakeMap final : public RowMap {
 public:
  TakeMap(int axis, IndexMode mode) : axis_(axis), mode_(mode) {}

  std::string_view name() const override { return "take"; }

  Result<Shape> gathered(const Shape& array, const Shape& indices) const override {
    if (array.rank() - 1 + indices.rank() > tensor::kMaxRank) {
      return invalid_argument("more than {} dimensions", tensor::kMaxRank);
    }
    Shape shape;
    for (int axis = 0; axis < axis_; ++axis) {
      shape.push_back(array[axis]);
    }
    for (const int64_t extent : indices) {
      shape.push_back(extent);
    }
    for (int axis = axis_ + 1; axis < array.rank(); ++axis) {
      shape.push_back(array[axis]);
    }
    return shape;
  }

  int64_t row_length(const Shape& array, const Shape&) const override {
    return array.volume(axis_ + 1, array.rank());
  }

  Result<Rows> rows(const Shape& array, const TensorView& indices) const override {
    Rows line = row_numbers_of(indices);
    FOREBAY_RETURN_IF_ERROR(bring_into_range(line, array[axis_], axis_, mode_));
    const int64_t outer = array.volume(0, axis_);
    if (outer == 1) {
      return line;
    }
    Rows rows;
    rows.reserve(line.size() * static_cast<size_t>(outer));
    for (int64_t o = 0; o < outer; ++o) {
      for (const int64_t index : line) {
        rows.push_back(o * array[axis_] + index);
      }
    }
    return rows;
  }

 private:
  const int axis_;
  const IndexMode mode_;
};

/// Lines along an axis: row (o, i) of the result is element index[o, i] of the line.
Rows picked_rows(const Rows& indices, int64_t extent, int64_t chosen, int64_t inner) {
  Rows rows(indices.size());
  for (size_t place = 0; place < rows.size(); ++place) {
    const auto at = static_cast<int64_t>(place);
    const int64_t outer = at / (chosen * inner);
    rows[place] = (outer * extent + indices[place]) * inner + at % inner;
  }
  return rows;
}

class PickMap final : public RowMap {
 public:
  PickMap(int axis, bool keep_axis, IndexMode mode) : axis_(axis), keep_axis_(keep_axis), mode_(mode) {}

  std::string_view name() const override { return "pick"; }

  Result<Shape> gathered(const Shape& array, const Shape& indices) const override {
    Shape kept = array;
    kept[axis_] = 1;
    Shape shape;
    for (int axis = 0; axis < array.rank(); ++axis) {
      if (axis != axis_) {
        shape.push_back(array[axis]);
      }
    }
    if (!(indices == kept) && !(indices == shape) && indices.volume() != shape.volume()) {
      return invalid_argument("indices of {} for an array of {} along axis {}", indices.to_string(),
                              array.to_string(), axis_);
    }
    const Shape alone = shape.rank() == 0 ? Shape{1} : shape;
    return keep_axis_ ? kept : alone;
  }

  int64_t row_length(const Shape&, const Shape&) const override { return 1; }

  Result<Rows> rows(const Shape& array, const TensorView& indices) const override {
    Rows numbers = row_numbers_of(indices);
    FOREBAY_RETURN_IF_ERROR(bring_into_range(numbers, array[axis_], axis_, mode_));
    return picked_rows(numbers, array[axis_], 1, array.volume(axis_ + 1, array.rank()));
  }

 private:
  const int axis_;
  const bool keep_axis_;
  const IndexMode mode_;
};

class AlongAxisMap final : public RowMap {
 public:
  explicit AlongAxisMap(int axis) : axis_(axis) {}

  std::string_view name() const override { return "take_along_axis"; }

  Result<Shape> gathered(const Shape& array, const Shape& indices) const override {
    Shape expected = array;
    if (indices.rank() == array.rank()) {
      expected[axis_] = indices[axis_];
    }
    if (!(indices == expected)) {
      return invalid_argument("indices of {} for an array of {} along axis {}", indices.to_string(),
                              array.to_string(), axis_);
    }
    return indices;
  }

  int64_t row_length(const Shape&, const Shape&) const override { return 1; }

  Result<Rows> rows(const Shape& array, const TensorView& indices) const override {
    Rows numbers = row_numbers_of(indices);
    FOREBAY_RETURN_IF_ERROR(bring_into_range(numbers, array[axis_], axis_, IndexMode::kRaise));
    return picked_rows(numbers, array[axis_], indices.shape()[axis_], array.volume(axis_ + 1, array.rank()));
  }

 private:
  const int axis_;
};

class CoordinatesMap final : public RowMap {
 public:
  std::string_view name() const override { return "gather_nd"; }

  Result<Shape> gathered(const Shape& array, const Shape& indices) const override {
    const int64_t coordinates = indices.rank() == 0 ? 0 : indices[0];
    if (coordinates < 1 || coordinates > array.rank()) {
      return invalid_argument("indices of {} give {} coordinates of an array of {}", indices.to_string(),
                              coordinates, array.to_string());
    }
    if (indices.rank() - 1 + array.rank() - coordinates > tensor::kMaxRank) {
      return invalid_argument("more than {} dimensions", tensor::kMaxRank);
    }
    Shape shape;
    for (int axis = 1; axis < indices.rank(); ++axis) {
      shape.push_back(indices[axis]);
    }
    for (int axis = static_cast<int>(coordinates); axis < array.rank(); ++axis) {
      shape.push_back(array[axis]);
    }
    return shape.rank() == 0 ? Shape{1} : shape;
  }

  int64_t row_length(const Shape& array, const Shape& indices) const override {
    return array.volume(static_cast<int>(indices[0]), array.rank());
  }

  Result<Rows> rows(const Shape& array, const TensorView& indices) const override {
    const Rows numbers = row_numbers_of(indices);
    const auto coordinates = static_cast<size_t>(indices.shape()[0]);
    const size_t count = numbers.size() / coordinates;
    Rows rows(count, 0);
    for (size_t axis = 0; axis < coordinates; ++axis) {
      Rows line(numbers.begin() + static_cast<int64_t>(axis * count),
                numbers.begin() + static_cast<int64_t>((axis + 1) * count));
      const int64_t extent = array[static_cast<int>(axis)];
      FOREBAY_RETURN_IF_ERROR(bring_into_range(line, extent, static_cast<int>(axis), IndexMode::kRaise));
      for (size_t i = 0; i < count; ++i) {
        rows[i] = rows[i] * extent + line[i];
      }
    }
    return rows;
  }
};

class PlainRowsMap final : public RowMap {
 public:
  explicit PlainRowsMap(const Shape& row_shape) : row_shape_(row_shape) {}

  std::string_view name() const override { return "index"; }

  Result<Shape> gathered(const Shape& array, const Shape& indices) const override {
    const int64_t length = row_shape_.volume();
    if (indices.rank() + row_shape_.rank() > tensor::kMaxRank || length == 0 ||
        array.volume() % length != 0) {
      return invalid_argument("rows of {} of an array of {}", row_shape_.to_string(), array.to_string());
    }
    Shape shape = indices;
    for (const int64_t extent : row_shape_) {
      shape.push_back(extent);
    }
    return shape.rank() == 0 ? Shape{1} : shape;
  }

  int64_t row_length(const Shape&, const Shape&) const override { return row_shape_.volume(); }

  Result<Rows> rows(const Shape& array, const TensorView& indices) const override {
    Rows rows = row_numbers_of(indices);
    FOREBAY_RETURN_IF_ERROR(
        bring_into_range(rows, array.volume() / row_shape_.volume(), 0, IndexMode::kRaise));
    return rows;
  }

 private:
  const Shape row_shape_;
};

}  // namespace

RowMapRef take_map(int axis, IndexMode mode) {
  return std::make_shared<TakeMap>(axis, mode);
}

RowMapRef pick_map(int axis, bool keep_axis, IndexMode mode) {
  return std::make_shared<PickMap>(axis, keep_axis, mode);
}

RowMapRef along_axis_map(int axis) {
  return std::make_shared<AlongAxisMap>(axis);
}

RowMapRef coordinates_map() {
  return std::make_shared<CoordinatesMap>();
}

RowMapRef plain_rows_map(const Shape& row_shape) {
  return std::make_shared<PlainRowsMap>(row_shape);
}

}  // namespace forebay::ndarray
