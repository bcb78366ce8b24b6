// segmentation.random_mask_pixel: a place in a mask, drawn from all or from those of the foreground.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

/// Which elements belong to the foreground: those equal to the value, or above the threshold.
struct Foreground {
  bool has_value = false;
  int64_t value = 0;
  double threshold = 0;

  /// Calls function(test of an element), where the test is as cheap as the type allows: it runs over all of a
  /// mask.
  template <class T, class Function>
  int64_t with_test(Function function) const {
    if constexpr (!std::is_integral_v<T>) {
      using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
      const auto number = static_cast<double>(value);
      return has_value
                 ? function([=](T each) { return static_cast<double>(static_cast<Real>(each)) == number; })
                 : function([=, this](T each) {
                     return static_cast<double>(static_cast<Real>(each)) > threshold;
                   });
    } else if constexpr (sizeof(T) == 8) {  // of these a double does not hold all
      return has_value ? function([this](T each) { return std::cmp_equal(each, value); })
                       : function([this](T each) { return static_cast<double>(each) > threshold; });
    } else {
      using Limits = std::numeric_limits<T>;
      if (has_value) {
        const bool is_one = value >= int64_t{Limits::min()} && value <= int64_t{Limits::max()};
        const auto wanted = static_cast<T>(value);
        return is_one ? function([=](T each) { return each == wanted; }) : -1;
      }
      if (!(threshold < static_cast<double>(Limits::max()))) {
        return -1;
      }
      const double below = std::max(std::floor(threshold), static_cast<double>(Limits::min()) - 1);
      const auto least = static_cast<T>(static_cast<int64_t>(below) + 1);
      return function([=](T each) { return each >= least; });
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
  template <class T, class Test>
  static uint64_t count_of(std::span<const T> elements, Test test) {
    uint32_t count = 0;  // of no more than kPart
    for (const T element : elements) {
      count += test(element) ? 1 : 0;
    }
    return count;
  }

  /// The place of the foreground's element of that number: whole parts are passed over by their counts.
  template <class T, class Test>
  static int64_t place_of(std::span<const T> elements, uint64_t number, Test test) {
    size_t place = 0;
    while (true) {
      const auto part = elements.subspan(place, std::min(kPart, elements.size() - place));
      const uint64_t count = count_of(part, test);
      if (number < count) {
        break;
      }
      number -= count;
      place += part.size();
    }
    while (!test(elements[place]) || number-- > 0) {
      ++place;
    }
    return static_cast<int64_t>(place);
  }

  /// -1 if nothing is foreground.
  static int64_t draw(const Tensor& mask, const Foreground& foreground, RandomStream& stream) {
    return tensor::visit_dtype(mask.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const std::span<const T> elements = mask.view().span<T>();
      return foreground.with_test<T>([&](auto test) -> int64_t {
        uint64_t count = 0;
        for (size_t at = 0; at < elements.size(); at += kPart) {
          count += count_of(elements.subspan(at, std::min(kPart, elements.size() - at)), test);
        }
        return count == 0 ? -1 : place_of(elements, stream.below(count), test);
      });
    });
  }

  static constexpr size_t kPart = 4096;
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
