// rotate: rotates images about their centre, and volumes about an axis through it.
#include "forebay/operators/geometry/warp_arguments.h"

namespace forebay::operators {
namespace {

struct Rotate : WarpArguments {
  Arg<float> angle = 0.0f;
  Arg<std::vector<float>> axis;
  bool keep_size = false;

  Status prepare(const Arguments&) { return check(); }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const WarpInput in, input_of(sample));
    FOREBAY_ASSIGN_OR_RETURN(const float degrees, angle.get(sample));
    std::vector<float> about;
    if (in.dimensions() == 3) {
      FOREBAY_ASSIGN_OR_RETURN(about, axis.get(sample));
      if (about.size() != 3) {
        return invalid_argument("a volume is rotated about an axis: give `axis` as x, y, z");
      }
    }
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> out_size, canvas(sample, in, degrees, about));
    FOREBAY_ASSIGN_OR_RETURN(const kernels::AffineMap map,
                             kernels::rotation_map(in.size, out_size, degrees, about));
    return warp(sample, in, out_size, map);
  }

 private:
  Result<std::vector<int64_t>> canvas(const Sample& sample, const WarpInput& in, float degrees,
                                      std::span<const float> about) const {
    FOREBAY_ASSIGN_OR_RETURN(const auto given, given_size(sample, in.dimensions()));
    if (given) {
      return *given;
    }
    if (keep_size) {
      return in.size;
    }
    const auto canvas = kernels::rotated_canvas(in.size, degrees, about);
    return std::vector<int64_t>(canvas.begin(), canvas.begin() + in.dimensions());
  }
};

}  // namespace

OperatorSpec rotate() {
  return describe<Rotate>("rotate", "Turns images about their centre, and volumes about an axis through it.")
      .input("data", "Images or volumes with the channels last, or sequences of them.")
      .param("angle", &Rotate::angle, "Degrees, counter-clockwise.")
      .required()
      .param("axis", &Rotate::axis, "For volumes: the axis, as x, y, z; of any length but 0.")
      .param("keep_size", &Rotate::keep_size, "Whether the output has the extents of the input.")
      .group(add_warp_arguments<Rotate>)
      .outputs("The turned image on a canvas that holds it, unless `size` or `keep_size` says otherwise.")
      .matches("DALI rotate")
      .build();
}

}  // namespace forebay::operators
