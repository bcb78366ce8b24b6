// Losses based on softmax, for float and float64.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// The cross entropy of softmax(data) along the axis with the class labels (shape of the data without the
/// axis), one value per label. One pass forward, one backward; labels get no gradient.
Result<Array> softmax_cross_entropy(const Array& data, const Array& labels, int axis = -1);

struct SoftmaxOutputOptions {
  enum class Normalization : uint8_t { kNone, kBatch, kValid };

  double scale = 1;
  bool is_multiple = false;      // along axis 1, with a label for each place of the other axes
  bool preserves_shape = false;  // along the last axis instead of all axes but the first
  bool ignores_some = false;     // labels equal to `ignored` give no gradient
  double ignored = -1;
  double smoothing = 0;  // not with is_multiple
  Normalization normalization = Normalization::kNone;
};

/// Softmax whose gradient is that of the cross entropy with the labels, whatever gradient the result receives
/// (MXNet's SoftmaxOutput). Labels are classes, or distributions of the data's shape.
Result<Array> softmax_output(const Array& data, const Array& labels, const SoftmaxOutputOptions& options);

}  // namespace forebay::ndarray
