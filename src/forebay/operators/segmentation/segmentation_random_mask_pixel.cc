// segmentation.random_mask_pixel: a place in a mask, drawn from all or from those of the foreground.
#include <type_traits>
#include <utility>

#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

/// Which elements belong to the foreground.
struct Foreground {
  bool has_value = false;
  int64_t value = 0;
  double threshold = 0;

  template <class T>
  bool holds(T element) const {
    // Of 64-bit integers a double does not hold all; equality is tested on integers.
    if constexpr (std::is_same_v<T, bool>) {
      return has_value ? value == int64_t{element} : static_cast<double>(element) > threshold;
    } else if constexpr (std::is_integral_v<T>) {
      return has_value ? std::cmp_equal(element, value) : static_cast<double>(element) > threshold;
    } else {
      using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
      const double number = static_cast<Real>(element);
      return has_value ? number == static_cast<double>(value) : number > threshold;
    }
  }
};

struct RandomMaskPixel {
  Arg<int64_t> foreground = 0;
  Arg<int64_t> value;
  Arg<float> threshold = 0.0f;

  Status prepare(const Arguments&) const {
    if (value.is_given() && threshold.is_given()) {
      return invalid_argument("`value` and `threshold` cannot be given together");
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& mask = sample.input(0);
    const int rank = mask.shape().rank();
    if (rank == 0 || mask.volume() == 0) {
      return invalid_argument("a mask of {} has no pixel to draw", mask.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const int64_t wants_foreground, foreground.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const int64_t number, value.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const float limit, threshold.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, {{rank}, DType::kInt64, {}}));
    RandomStream stream = sample.random();
    int64_t place = -1;
    if (wants_foreground != 0) {
      place = draw(mask, {value.is_given(), number, limit}, stream);
    }
    if (place < 0) {
      place = static_cast<int64_t>(stream.below(static_cast<uint64_t>(mask.volume())));
    }
    for (int axis = rank - 1; axis >= 0; --axis) {
      out.as<int64_t>()[axis] = place % mask.shape()[axis];
      place /= mask.shape()[axis];
    }
    return ok_status();
  }

 private:
  /// -1 if nothing is foreground.
  static int64_t draw(const Tensor& mask, const Foreground& is_foreground, RandomStream& stream) {
    return tensor::visit_dtype(mask.dtype(), [&](auto tag) -> int64_t {
      using T = typename decltype(tag)::type;
      const std::span<const T> elements = mask.view().span<T>();
      uint64_t count = 0;
      for (const T element : elements) {
        count += is_foreground.holds(element) ? 1 : 0;
      }
      if (count == 0) {
        return -1;
      }
      uint64_t left = stream.below(count) + 1;
      size_t place = 0;
      while ((left -= is_foreground.holds(elements[place]) ? 1 : 0) > 0) {
        ++place;
      }
      return static_cast<int64_t>(place);
    });
  }
};

}  // namespace

OperatorSpec segmentation_random_mask_pixel() {
  using Op = RandomMaskPixel;
  return describe<Op>("segmentation.random_mask_pixel", "Draws a place in a mask.")
      .input("mask", "Any tensor with elements.")
      .param("foreground", &Op::foreground, "1 draws from the foreground only, if there is any.")
      .param("value", &Op::value, "Elements equal to this are foreground.")
      .param("threshold", &Op::threshold, "Elements larger than this are foreground; without `value`.")
      .outputs("The place as INT64, a number for each axis; each is equally likely.")
      .matches("DALI segmentation.random_mask_pixel; other numbers, the same distribution")
      .random()
      .build();
}

}  // namespace forebay::operators
