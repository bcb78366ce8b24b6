// Shared by experimental.dilate and experimental.erode.
#pragma once

#include "forebay/kernels/filters/morphology.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/filters/filtered_blocks.h"

namespace forebay::operators {

struct MorphologyArguments {
  Arg<std::vector<int64_t>> mask_size = std::vector<int64_t>{3, 3};
  Arg<std::vector<int64_t>> anchor = std::vector<int64_t>{-1, -1};
  int64_t iterations = 1;
  std::string border_mode = "constant";

  Status prepare(const Arguments&) const;
  Status run_morphology(Sample& sample, bool is_dilation) const;
};

template <class T>
void add_morphology_arguments(Description<T>& description) {
  description.param("mask_size", &T::mask_size, "Width and height of the rectangle.")
      .param("anchor", &T::anchor,
             "The place in the rectangle (x, y) that lies over the pixel that is made; -1: its middle.")
      .param("iterations", &T::iterations, "How often it is done.")
      .param("border_mode", &T::border_mode,
             "What lies outside: nothing (`constant`), the outermost pixel, reflections with or without it, "
             "or the other end.")
      .choices(border_modes());
}

}  // namespace forebay::operators
