// rotate: rotates images about their centre, and volumes about an axis through it.
#include "forebay/kernels/image/rotation.h"
#include "forebay/operators/geometry/warp_arguments.h"

namespace forebay::operators {
namespace {

struct Rotate : WarpArguments {
  Arg<float> angle = 0.0f;
  Arg<std::vector<float>> axis;
  bool keep_size = false;

  Status prepare(const Arguments&) { return check(); }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, layout_of(sample));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats angles, FrameFloats::of(sample, angle));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats axes, FrameFloats::of(sample, axis));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, angles, axes));
    const Extents in_size = extents_of(frames);
    const auto about = [&](int64_t frame) {
      return in_size.size() == 3 ? axes.at(frame) : std::span<const float>();
    };
    for (int64_t frame = 0; frame < frames.count() && in_size.size() == 3; ++frame) {
      FOREBAY_RETURN_IF_ERROR(check_axis(about(frame)));
    }
    FOREBAY_ASSIGN_OR_RETURN(const auto given, given_size(sample, static_cast<int>(in_size.size())));
    Extents out_size = given.value_or(in_size);
    if (!given && !keep_size) {
      kernels::RotatedCanvas canvas(in_size);
      for (int64_t frame = 0; frame < frames.count(); ++frame) {
        canvas.add(angles.number(frame), about(frame));
      }
      out_size = canvas.size();
    }
    return warp(sample, frames, out_size, [&](int64_t frame) {
      return kernels::rotation_map(in_size, out_size, angles.number(frame), about(frame));
    });
  }

 private:
  static Status check_axis(std::span<const float> about) {
    if (about.size() != 3 || (about[0] == 0 && about[1] == 0 && about[2] == 0)) {
      return invalid_argument("a volume is rotated about an axis: give `axis` as x, y, z, not all 0");
    }
    return ok_status();
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
