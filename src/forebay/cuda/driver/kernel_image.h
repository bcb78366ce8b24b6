// Kernels as embedded in a build: machine code for several kinds of GPU and PTX for later ones, in NVIDIA's
// fatbin format. `make cuda` compiles them; without FOREBAY_CUDA they are absent and everything else works.
#pragma once

#include <string_view>

namespace forebay::cuda {

/// Lives as long as the process; `data` is null in a build without kernels.
struct KernelImage {
  const void* data = nullptr;
};

/// pattern.cu.
KernelImage pattern_image();

/// The targets that the kernels were compiled for ("sm_90 compute_75"); empty in a build without kernels.
std::string_view kernel_targets();

}  // namespace forebay::cuda
