// OpenBLAS, opened when a product is first asked for: most processes never multiply matrices, and it is 36 MB
// that start a thread for each processor.
#pragma once

#include <span>
#include <string>

#include "forebay/base/status.h"

namespace forebay::kernels {

/// CBLAS's product of matrices, whose enumerations are ints: order, whether each factor is transposed, rows,
/// columns, inner, then alpha, the factors with their pitches, beta, and the result with its pitch.
template <class T>
using GemmFunction = void (*)(int order, int transposed_a, int transposed_b, int rows, int columns, int inner,
                              T alpha, const T* a, int pitch_a, const T* b, int pitch_b, T beta, T* out,
                              int pitch);

/// What products need of it.
struct BlasLibrary {
  GemmFunction<float> sgemm = nullptr;
  GemmFunction<double> dgemm = nullptr;
  bool has_threads = false;      // without, two callers at once may get wrong products
  const char* target = nullptr;  // the name of the kernels in use
  // Its working memory, for one product at a time; null in a build that does not export them.
  void* (*take_buffer)(int purpose) = nullptr;
  void (*return_buffer)(void* buffer) = nullptr;

  /// Has it map as many buffers as `count` products at once need, which it keeps. While nobody multiplies.
  /// Asks for ever where there is no memory; maps nothing in a build that does not export how.
  void make_buffers(int count) const;
};

/// Opens the first of the files that can be opened, told to use one thread: its own would get in the way of
/// the callers'. A library that the process has already (a NumPy of the system's) is shared: its other users
/// then have one thread, too. OpenBLAS selects kernels by CPU model, and for models newer than itself it uses
/// those of 2004 (release 0.3.21 on a Xeon of 2023: a fifth of the speed); then it is made to select again,
/// told what the CPU has, unless it was there before, OPENBLAS_CORETYPE is set, or it was built for one CPU.
/// failed_precondition if no file can be opened.
Result<BlasLibrary> open_blas_library(std::span<const std::string> files);

/// The process's: in a wheel the one inside it, else the system's libopenblas.so.0. A failure is tried again
/// by the next call. Thread safe. Who asks for a product calls it before another thread multiplies, so that
/// no fork() of the caller's comes while it is being opened.
Result<const BlasLibrary*> blas_library();

}  // namespace forebay::kernels
