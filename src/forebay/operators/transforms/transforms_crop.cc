// transforms.crop: the matrix that takes one box to another.
#include <algorithm>
#include <utility>

#include "forebay/operators/transforms/transform.h"

namespace forebay::operators {
namespace {

struct BoxToBox : Transform {
  Arg<std::vector<float>> from_start = std::vector<float>{0};
  Arg<std::vector<float>> from_end = std::vector<float>{1};
  Arg<std::vector<float>> to_start = std::vector<float>{0};
  Arg<std::vector<float>> to_end = std::vector<float>{1};
  bool absolute = false;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats from_0, FrameFloats::of(sample, from_start));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats from_1, FrameFloats::of(sample, from_end));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats to_0, FrameFloats::of(sample, to_start));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats to_1, FrameFloats::of(sample, to_end));
    const int64_t wanted = std::max({from_0.size(), from_1.size(), to_0.size(), to_1.size()});
    for (const auto& [name, corner] : {std::pair{"from_start", &from_0}, std::pair{"from_end", &from_1},
                                       std::pair{"to_start", &to_0}, std::pair{"to_end", &to_1}}) {
      FOREBAY_RETURN_IF_ERROR(check_size(name, *corner, wanted, true, false));
    }
    if (wanted < 1 || wanted > AffineMatrix::kMaxDimensions) {
      return invalid_argument("a box of {} dimensions; there can be 1 to {}", wanted,
                              AffineMatrix::kMaxDimensions);
    }
    const int dimensions = static_cast<int>(wanted);
    return put(sample, dimensions, {&from_0, &from_1, &to_0, &to_1}, [&](int64_t frame) {
      AffineMatrix matrix(dimensions);
      for (int i = 0; i < dimensions; ++i) {
        const auto [low, high] = range(component(from_0.at(frame), i), component(from_1.at(frame), i));
        const auto [new_low, new_high] = range(component(to_0.at(frame), i), component(to_1.at(frame), i));
        matrix.at(i, i) = (new_high - new_low) / (high - low);
        matrix.at(i, dimensions) = new_low - matrix.at(i, i) * low;
      }
      return matrix;
    });
  }

 private:
  std::pair<float, float> range(float start, float end) const {
    return absolute && start > end ? std::pair(end, start) : std::pair(start, end);
  }
};

}  // namespace

OperatorSpec transforms_crop() {
  return describe<BoxToBox>("transforms.crop", "The matrix that takes one box to another.")
      .group(add_transform_input<BoxToBox>)
      .param("from_start", &BoxToBox::from_start,
             "The first corner of the box that is mapped; one number holds for all axes. Each corner may "
             "change by frames.")
      .param("from_end", &BoxToBox::from_end, "Its other corner.")
      .param("to_start", &BoxToBox::to_start, "Where the first corner goes.")
      .param("to_end", &BoxToBox::to_end, "Where the other corner goes.")
      .param("absolute", &BoxToBox::absolute, "Swaps start and end where start is larger.")
      .matches("DALI transforms.crop")
      .build();
}

}  // namespace forebay::operators
