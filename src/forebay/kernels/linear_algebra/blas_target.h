// The kernels that OpenBLAS computes with. It chooses them by the model of the CPU when it is loaded, and for
// models newer than itself takes those of 2004 (release 0.3.21 on a Xeon of 2023: a fifth of the speed).
#pragma once

#include <string_view>

namespace forebay::kernels {

/// Where OpenBLAS fell back although the CPU has AVX2 or AVX-512, lets it choose again, told what the CPU
/// has. Once, while the program is loaded; not where OPENBLAS_CORETYPE names a choice, or OpenBLAS was built
/// for one CPU. Gives the name of the kernels.
std::string_view blas_target();

}  // namespace forebay::kernels
