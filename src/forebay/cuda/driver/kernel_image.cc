// A build with FOREBAY_CUDA makes the images in cmake/kernel_image.cc.in; this is one without.
#include "forebay/cuda/driver/kernel_image.h"

namespace forebay::cuda {

#ifndef FOREBAY_HAS_CUDA_KERNELS

KernelImage pattern_image() {
  return {};
}

std::string_view kernel_targets() {
  return "";
}

#else

std::string_view kernel_targets() {
  return FOREBAY_CUDA_TARGETS;
}

#endif

}  // namespace forebay::cuda
