// Maps index arrays to rows of an array. Internal to gathering.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "forebay/ndarray/selection/gathering.h"

namespace forebay::ndarray {

class RowMap {
 public:
  virtual ~RowMap() = default;
  virtual std::string_view name() const = 0;
  /// The shape of the gathered result; invalid_argument if the indices do not fit.
  virtual Result<tensor::Shape> gathered(const tensor::Shape& array, const tensor::Shape& indices) const = 0;
  /// How many elements a row has.
  virtual int64_t row_length(const tensor::Shape& array, const tensor::Shape& indices) const = 0;
  /// The rows in the order of the result. out_of_range.
  virtual Result<std::vector<int64_t>> rows(const tensor::Shape& array,
                                            const tensor::TensorView& indices) const = 0;
};
using RowMapRef = std::shared_ptr<const RowMap>;

RowMapRef take_map(int axis, IndexMode mode);
RowMapRef pick_map(int axis, bool keep_axis, IndexMode mode);
RowMapRef along_axis_map(int axis);
RowMapRef coordinates_map();
RowMapRef plain_rows_map(const tensor::Shape& row_shape);

}  // namespace forebay::ndarray
