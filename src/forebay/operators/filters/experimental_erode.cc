// experimental.erode: the smallest element under a rectangle.
#include "forebay/operators/filters/morphology.h"

namespace forebay::operators {
namespace {

struct Erode : MorphologyArguments {
  Status run(Sample& sample) const { return run_morphology(sample, false); }
};

}  // namespace

OperatorSpec experimental_erode() {
  return describe<Erode>("experimental.erode", "Replaces each element by the smallest under a rectangle.")
      .input("data", "Images or sequences; each channel by itself.")
      .group(add_morphology_arguments<Erode>)
      .outputs("The smallest elements, in the input's shape.")
      .matches("OpenCV erode with a rectangle; DALI experimental.erode")
      .build();
}

}  // namespace forebay::operators
