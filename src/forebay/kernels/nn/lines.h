// Functions along one axis: softmax, standardising, their gradients. A line is what lies along the axis; an
// array of shape (outer, length, inner) has outer * inner of them. Of float or double; sums are made in
// double precision, one value after the other.
#pragma once

#include <cstdint>

namespace forebay::kernels {

struct Lines {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;

  int64_t count() const { return outer * inner; }
  /// Where line `line` begins; its elements lie `inner` apart.
  int64_t start(int64_t line) const { return line / inner * length * inner + line % inner; }
};

struct SoftmaxOptions {
  bool logarithm = false;
  double scale = 1;  // what elements are multiplied with first: 1 / temperature, negative for softmin
};

/// Lines `first` to, not including, `last`. `lengths` (one a line; null: all): elements beyond are left out
/// and become 0. Numerically safe: the greatest element is subtracted first.
template <class T>
void softmax(const Lines& lines, const SoftmaxOptions& options, const T* lengths, int64_t first, int64_t last,
             const T* in, T* out);
template <class T>
void softmax_gradient(const Lines& lines, const SoftmaxOptions& options, const T* lengths, int64_t first,
                      int64_t last, const T* out, const T* out_gradient, T* in_gradient);

/// out = (in - mean) / sqrt(variance + epsilon) of each line; the mean and the deviation
/// (sqrt(variance + epsilon)), one a line.
template <class T>
void standardize(const Lines& lines, double epsilon, int64_t first, int64_t last, const T* in, T* out,
                 T* means, T* deviations);
template <class T>
void standardize_gradient(const Lines& lines, int64_t first, int64_t last, const T* out, const T* deviations,
                          const T* out_gradient, T* in_gradient);

/// Cross entropy of softmax(in) with the class `labels[line]`: losses (one a line) and the softmax. A label
/// that is no class gives a loss of NaN.
template <class T>
void softmax_cross_entropy(const Lines& lines, int64_t first, int64_t last, const T* in, const T* labels,
                           T* losses, T* probabilities);

struct LabelOptions {
  double scale = 1;
  double smoothing = 0;       // of the label's 1, shared among the other classes
  bool ignores_some = false;  // lines whose label is `ignored` get no gradient
  double ignored = -1;
};

/// (probabilities - one_hot(labels)) * scale * factors[line]; `factors` may be null: ones.
template <class T>
void cross_entropy_gradient(const Lines& lines, const LabelOptions& options, int64_t first, int64_t last,
                            const T* probabilities, const T* labels, const T* factors, T* in_gradient);

}  // namespace forebay::kernels
