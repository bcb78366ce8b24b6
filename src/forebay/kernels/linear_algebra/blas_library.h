// OpenBLAS, opened when a product is first asked for: most processes never multiply matrices, and it is 36 MB
// that start a thread for each processor.
#pragma once

#include <cblas.h>

#include <span>
#include <string>

#include "forebay/base/status.h"

namespace forebay::kernels {

/// What products need of it.
struct BlasLibrary {
  decltype(&cblas_sgemm) sgemm = nullptr;
  decltype(&cblas_dgemm) dgemm = nullptr;
  decltype(&openblas_get_parallel) threads = nullptr;  // 0: built without
  decltype(&openblas_get_corename) target = nullptr;   // the name of the kernels in use
};

/// Opens the first of the files that there is, told to use one thread: its own would get in the way of the
/// callers'. OpenBLAS selects kernels by CPU model, and for models newer than itself it uses those of 2004
/// (release 0.3.21 on a Xeon of 2023: a fifth of the speed); then it is made to select again, told what the
/// CPU has, unless OPENBLAS_CORETYPE is set or it was built for one CPU. failed_precondition if none can be
/// opened.
Result<BlasLibrary> open_blas_library(std::span<const std::string> files);

/// The process's: in a wheel the one inside it, else the system's libopenblas.so.0. Thread safe.
Result<const BlasLibrary*> blas_library();

}  // namespace forebay::kernels
