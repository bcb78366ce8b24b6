// Which kernels OpenBLAS uses. It selects them by CPU model when it is loaded, and for models newer than
// itself it uses those of 2004 (release 0.3.21 on a Xeon of 2023: a fifth of the speed).
#pragma once

#include <string_view>

namespace forebay::kernels {

/// If OpenBLAS fell back although the CPU has AVX2 or AVX-512, makes it select again, telling it what the CPU
/// has. Done once, while the program is loaded; not done if OPENBLAS_CORETYPE is set or OpenBLAS was built
/// for one CPU. Returns the name of the kernels in use.
std::string_view blas_target();

}  // namespace forebay::kernels
