#include "forebay/operators/layout/image_layout.h"

#include <algorithm>
#include <string>

namespace forebay::operators {

Result<Layout> image_layout(const Tensor& input, std::initializer_list<std::string_view> allowed) {
  std::string names;
  for (const std::string_view layout : allowed) {
    const bool fits = input.layout().empty() ? static_cast<int>(layout.size()) == input.shape().rank()
                                             : layout == input.layout().view();
    if (fits) {
      return Layout(layout);
    }
    names += (names.empty() ? "" : ", ") + std::string(layout);
  }
  return invalid_argument("the input is {}; its layout must be one of {}", input.spec().to_string(), names);
}

}  // namespace forebay::operators
