// Functions along one axis: softmax, standardisation and their gradients. For float or double; sums are in
// double precision, one value after the other. Scratch memory comes from the thread's resource
// (memory/host/scratch.h); a refusal is thrown as a ThrownStatus.
#pragma once

#include <cstdint>

#include "forebay/kernels/generic/lines.h"

namespace forebay::kernels {

struct SoftmaxOptions {
  bool logarithm = false;
  double scale = 1;  // elements are first multiplied by this: 1 / temperature, negative for softmin
};

/// Processes the lines [first, last). `lengths` (one per line; null: all): elements beyond are ignored and
/// become 0. Numerically safe: the maximum is subtracted first.
template <class T>
void softmax(const Lines& lines, const SoftmaxOptions& options, const T* lengths, int64_t first, int64_t last,
             const T* in, T* out);
template <class T>
void softmax_gradient(const Lines& lines, const SoftmaxOptions& options, const T* lengths, int64_t first,
                      int64_t last, const T* out, const T* out_gradient, T* in_gradient);

/// out = (in - mean) / sqrt(variance + epsilon) for each line; also returns the mean and the deviation
/// (sqrt(variance + epsilon)) per line.
template <class T>
void standardize(const Lines& lines, double epsilon, int64_t first, int64_t last, const T* in, T* out,
                 T* means, T* deviations);
template <class T>
void standardize_gradient(const Lines& lines, int64_t first, int64_t last, const T* out, const T* deviations,
                          const T* out_gradient, T* in_gradient);

/// Cross entropy of softmax(in) with the class `labels[line]`: the losses (one per line) and the softmax. A
/// label that is not a class gives a loss of NaN.
template <class T>
void softmax_cross_entropy(const Lines& lines, int64_t first, int64_t last, const T* in, const T* labels,
                           T* losses, T* probabilities);

struct LabelOptions {
  double scale = 1;
  double smoothing = 0;       // taken from the label's 1 and shared among the other classes
  bool ignores_some = false;  // whether lines whose label is `ignored` get no gradient
  double ignored = -1;
};

/// (probabilities - one_hot(labels)) * scale * factors[line]; `factors` may be null: ones.
template <class T>
void cross_entropy_gradient(const Lines& lines, const LabelOptions& options, int64_t first, int64_t last,
                            const T* probabilities, const T* labels, const T* factors, T* in_gradient);

}  // namespace forebay::kernels
