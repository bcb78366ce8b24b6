// flip: mirrors images and volumes along their axes.
#include <array>

#include "forebay/kernels/generic/rearrange.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {
namespace {

struct Flip {
  Arg<int64_t> horizontal = 1;
  Arg<int64_t> vertical = 0;
  Arg<int64_t> depthwise = 0;

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, image_layout(in, {"HWC", "FHWC", "FDHWC", "CHW", "DHWC",
                                                                    "CDHW", "FCHW", "FCDHW", "HW", "DHW"}));
    std::array<bool, tensor::kMaxRank> axes{};
    FOREBAY_RETURN_IF_ERROR(mark(sample, horizontal, layout.find('W'), axes));
    FOREBAY_RETURN_IF_ERROR(mark(sample, vertical, layout.find('H'), axes));
    FOREBAY_RETURN_IF_ERROR(mark(sample, depthwise, layout.find('D'), axes));
    const TensorSpec spec{in.shape(), in.dtype(), layout};
    if (axes == std::array<bool, tensor::kMaxRank>{}) {
      FOREBAY_ASSIGN_OR_RETURN(Tensor same, in.reinterpreted(spec));
      sample.forward(0, std::move(same));
      return ok_status();
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    return kernels::flip(in.view(), std::span<const bool>(axes).first(layout.size()), out);
  }

 private:
  static Status mark(const Sample& sample, const Arg<int64_t>& argument, int axis, std::span<bool> axes) {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t is_flipped, argument.get(sample));
    if (axis >= 0 && is_flipped != 0) {
      axes[axis] = true;
    }
    return ok_status();
  }
};

}  // namespace

OperatorSpec flip() {
  return describe<Flip>("flip", "Mirrors images and volumes.")
      .input("data", "Images or volumes with any place of the channels, or sequences of them.")
      .param("horizontal", &Flip::horizontal, "Not 0: left becomes right.")
      .param("vertical", &Flip::vertical, "Not 0: top becomes bottom.")
      .param("depthwise", &Flip::depthwise, "Not 0: front becomes back, of volumes; images stay as they are.")
      .outputs("The same shape and type; the input itself when nothing is mirrored.")
      .matches("DALI flip")
      .build();
}

}  // namespace forebay::operators
