// experimental.resize: resize by another name, under which DALI has a second implementation, for GPUs alone.
#include "forebay/operators/describe.h"
#include "forebay/operators/resampling/resize.h"

namespace forebay::operators {
namespace {

struct ExperimentalResize : Resize {};

}  // namespace

OperatorSpec experimental_resize() {
  return describe<ExperimentalResize>("experimental.resize",
                                      "Resizes images, volumes and sequences, as resize does.")
      .group([](auto& description) { add_resize(description); })
      .matches("DALI resize: the same bits as resize")
      .build();
}

}  // namespace forebay::operators
