// The special extents of MXNet's reshape (listed in its documentation of `reshape`).
#include <optional>

#include "forebay/ndarray/algebra/shaping.h"

namespace forebay::ndarray {
namespace {

using tensor::Shape;

/// Reads the requested extents from left to right along with the axes of the shape.
class Reshaping {
 public:
  Reshaping(const Shape& from, std::span<const int64_t> wanted) : from_(from), wanted_(wanted) {}

  Result<Shape> run() {
    while (at_ < wanted_.size()) {
      FOREBAY_RETURN_IF_ERROR(take(wanted_[at_++]));
    }
    return inferred();
  }

 private:
  Status take(int64_t extent) {
    switch (extent) {
      case 0:
        return keep(1);
      case -1:
        return infer();
      case -2:
        return keep(from_.rank() - axis_);
      case -3:
        return join();
      case -4:
        return split();
      default:
        ++axis_;
        return extent < 0 ? invalid_argument("{} has no meaning in a shape", extent) : push(extent);
    }
  }

  Status push(int64_t extent) {
    if (to_.rank() == tensor::kMaxRank) {
      return invalid_argument("arrays have at most {} dimensions", tensor::kMaxRank);
    }
    to_.push_back(extent);
    return ok_status();
  }

  Result<int64_t> next_axis() {
    if (axis_ >= from_.rank()) {
      return invalid_argument("the shape {} has no axis {}", from_.to_string(), axis_);
    }
    return from_[axis_++];
  }

  Status keep(int count) {
    for (int i = 0; i < count; ++i) {
      FOREBAY_ASSIGN_OR_RETURN(const int64_t extent, next_axis());
      FOREBAY_RETURN_IF_ERROR(push(extent));
    }
    return ok_status();
  }

  Status infer() {
    if (unknown_) {
      return invalid_argument("only one extent can be inferred");
    }
    unknown_ = to_.rank();
    ++axis_;
    return push(1);
  }

  Status join() {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t first, next_axis());
    FOREBAY_ASSIGN_OR_RETURN(const int64_t second, next_axis());
    return push(first * second);
  }

  Status split() {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t extent, next_axis());
    if (at_ + 2 > wanted_.size()) {
      return invalid_argument("-4 is followed by the two extents of the axis it splits");
    }
    int64_t first = wanted_[at_++];
    int64_t second = wanted_[at_++];
    if (first == -1 && second > 0) {
      first = extent / second;
    } else if (second == -1 && first > 0) {
      second = extent / first;
    }
    if (first <= 0 || second <= 0 || first * second != extent) {
      return invalid_argument("an axis of {} is not split into {} and {}", extent, first, second);
    }
    FOREBAY_RETURN_IF_ERROR(push(first));
    return push(second);
  }

  Result<Shape> inferred() const {
    Shape shape = to_;
    const auto known = shape.checked_volume();
    if (!known) {
      return invalid_argument("no array can have the shape {}", shape.to_string());
    }
    if (unknown_) {
      shape[*unknown_] = *known == 0 ? 0 : from_.volume() / *known;
    }
    if (shape.checked_volume() != from_.volume()) {
      return invalid_argument("{} elements of {} do not fill {}", from_.volume(), from_.to_string(),
                              shape.to_string());
    }
    return shape;
  }

  const Shape from_;
  const std::span<const int64_t> wanted_;
  size_t at_ = 0;
  int axis_ = 0;
  Shape to_;
  std::optional<int> unknown_;
};

}  // namespace

Result<Shape> reshaped_shape(const Shape& shape, std::span<const int64_t> wanted) {
  return Reshaping(shape, wanted).run();
}

}  // namespace forebay::ndarray
