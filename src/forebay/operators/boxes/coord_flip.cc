// coord_flip: mirrors points.
#include <array>
#include <string_view>

#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct FlippedPoints {
  LayoutName layout;
  Arg<int64_t> flip_x = 1;
  Arg<int64_t> flip_y = 0;
  Arg<int64_t> flip_z = 0;
  Arg<float> center_x = 0.5f;
  Arg<float> center_y = 0.5f;
  Arg<float> center_z = 0.5f;

  Status prepare(const Arguments&) const {
    const Layout names(layout.names);
    for (int i = 0; i < names.size(); ++i) {
      if (kNames.find(names[i]) == std::string_view::npos || names.find(names[i]) != i) {
        return invalid_argument("the layout '{}' is to name x, y and z, each at most once", layout.names);
      }
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    const std::string_view names = layout.names.empty() ? kNames : std::string_view(layout.names);
    const Shape& shape = in.shape();
    if (in.dtype() != DType::kFloat || shape.rank() != 2 || shape[1] > static_cast<int64_t>(names.size())) {
      return invalid_argument("points are FLOAT, n x 1 to n x {} for the layout '{}', not {}", names.size(),
                              names, in.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, in.spec()));
    const std::array flips{&flip_x, &flip_y, &flip_z};
    const std::array centers{&center_x, &center_y, &center_z};
    for (int64_t axis = 0; axis < shape[1]; ++axis) {
      const size_t which = kNames.find(names[static_cast<size_t>(axis)]);
      FOREBAY_ASSIGN_OR_RETURN(const int64_t is_flipped, flips[which]->get(sample));
      FOREBAY_ASSIGN_OR_RETURN(const float center, centers[which]->get(sample));
      flip_coordinate(in.view(), out, axis, is_flipped != 0, center);
    }
    return ok_status();
  }

 private:
  static constexpr std::string_view kNames = "xyz";

  static void flip_coordinate(const TensorView& in, const MutableTensorView& out, int64_t axis,
                              bool is_flipped, float center) {
    for (int64_t i = axis; i < in.volume(); i += in.shape()[1]) {
      out.as<float>()[i] = is_flipped ? 2 * center - in.as<float>()[i] : in.as<float>()[i];
    }
  }
};

}  // namespace

OperatorSpec coord_flip() {
  return describe<FlippedPoints>("coord_flip", "Mirrors points.")
      .input("points", "FLOAT, n points of one to three coordinates.")
      .param("layout", &FlippedPoints::layout,
             "The order of the coordinates in letters of `xyz`, which is the default.")
      .param("flip_x", &FlippedPoints::flip_x, "1 mirrors x.")
      .param("flip_y", &FlippedPoints::flip_y, "1 mirrors y.")
      .param("flip_z", &FlippedPoints::flip_z, "1 mirrors z.")
      .param("center_x", &FlippedPoints::center_x, "The x that stays.")
      .param("center_y", &FlippedPoints::center_y, "The y that stays.")
      .param("center_z", &FlippedPoints::center_z, "The z that stays.")
      .outputs("The points.")
      .matches("DALI coord_flip")
      .build();
}

}  // namespace forebay::operators
