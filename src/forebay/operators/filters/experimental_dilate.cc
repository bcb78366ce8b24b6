// experimental.dilate: the largest element under a rectangle.
#include "forebay/operators/filters/morphology.h"

namespace forebay::operators {
namespace {

struct Dilate : MorphologyArguments {
  Status run(Sample& sample) const { return run_morphology(sample, true); }
};

}  // namespace

OperatorSpec experimental_dilate() {
  return describe<Dilate>("experimental.dilate", "Replaces each element by the largest under a rectangle.")
      .input("data", "Images or sequences; each channel by itself.")
      .group(add_morphology_arguments<Dilate>)
      .outputs("The largest elements, in the input's shape.")
      .matches("OpenCV dilate with a rectangle; DALI experimental.dilate")
      .build();
}

}  // namespace forebay::operators
