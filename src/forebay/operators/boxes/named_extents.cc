#include "forebay/operators/boxes/named_extents.h"

namespace forebay::operators {

Result<WindowShape> named_extents(std::string_view name, std::span<const int64_t> given,
                                  std::string_view order, std::string_view letters) {
  WindowShape shape{1, 1, 1};
  for (size_t axis = 0; axis < letters.size(); ++axis) {
    const size_t place = order.find(letters[axis]);
    if (place >= given.size()) {
      return invalid_argument("{} has {} extents, its layout is '{}'", name, given.size(), order);
    }
    const int64_t extent = given[place];
    if (extent < 1 || extent > (int64_t{1} << 24)) {
      return invalid_argument("{} holds the extent {}", name, extent);
    }
    shape[axis] = static_cast<float>(extent);
  }
  return shape;
}

}  // namespace forebay::operators
