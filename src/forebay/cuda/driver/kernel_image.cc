// For builds without kernels. A build with FOREBAY_CUDA generates the images from cmake/kernel_image.cc.in.
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
