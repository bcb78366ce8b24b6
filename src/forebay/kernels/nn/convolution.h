// Convolutions in one, two and three dimensions, one sample at a time, of float or double. There is no padded
// copy of all patches (im2col): the sample is laid out once, padded, with one plane for each phase of the
// strides, and every output is a correlation over it (correlation.h).
//
// Layouts are (channels, depth, height, width) for samples and (out channels, in channels of a group, depth,
// height, width) for weights.
//
// Scratch memory comes from the thread's resource (memory/host/scratch.h); a refusal is thrown as a
// ThrownStatus.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::kernels {

/// Extents of depth, height and width; leading ones are 1 if there are fewer dimensions.
using Extents = std::array<int64_t, 3>;

struct ConvolutionShape {
  int64_t groups = 1;
  int64_t in_channels = 0;   // total over all groups
  int64_t out_channels = 0;  // total over all groups
  Extents in{1, 1, 1};
  Extents kernel{1, 1, 1};
  Extents stride{1, 1, 1};
  Extents dilate{1, 1, 1};
  Extents pad{0, 0, 0};

  Extents out() const;
  int64_t in_volume() const { return in_channels * in[0] * in[1] * in[2]; }
  int64_t out_volume() const;
  int64_t taps() const { return in_channels / groups * kernel[0] * kernel[1] * kernel[2]; }
  int64_t weight_volume() const { return out_channels * taps(); }
  int64_t multiplications() const;  // per sample
};

/// invalid_argument, with the reason, if the convolution is impossible.
Status check(const ConvolutionShape& shape);

/// The memory layout of a convolution. Made once per call, then shared by all threads.
class ConvolutionPlan {
 public:
  explicit ConvolutionPlan(const ConvolutionShape& shape);

  const ConvolutionShape& shape() const { return shape_; }

  /// Writes the weights to `packed`, in the order in which forward() and data_gradient() read them:
  /// weight_volume() elements.
  template <class T>
  void pack_forward(const T* weights, T* packed) const;
  template <class T>
  void pack_backward(const T* weights, T* packed) const;

  /// Computes one sample. `bias` (one per output channel) may be null.
  template <class T>
  void forward(const T* packed, const T* bias, const T* in, T* out) const;

  /// Computes the gradient of a sample from that of its output. `bias` (one per input channel; for transposed
  /// convolutions, which are this operation) may be null.
  template <class T>
  void data_gradient(const T* packed, const T* bias, const T* out_gradient, T* in_gradient) const;

  /// Adds the contribution of `samples` samples to the gradient of the weights.
  template <class T>
  void weight_gradient(int64_t samples, const T* in, const T* out_gradient, T* weight_gradient) const;

 private:
  /// A phase of the strides: which taps belong to it, in forward and backward order.
  struct Phase {
    Extents start;                          // in each dimension
    std::vector<int64_t> tap_places;        // places in a row of weights of one input channel
    std::vector<int64_t> forward_offsets;   // offsets in the plane
    std::vector<int64_t> backward_offsets;  // offsets in a padded plane of output gradients
  };

  void make_phases();
  void make_offsets();
  int64_t plane() const { return planes_[0] * planes_[1] * planes_[2]; }
  int64_t signal_size() const;
  template <class T>
  void lay_out(const T* in, T* signal) const;
  template <class T>
  void collect(const T* plane, const Phase& phase, T* in_gradient) const;

  ConvolutionShape shape_;
  Extents out_;
  Extents planes_;           // extents of a phase's plane
  Extents gradient_planes_;  // extents of the padded plane of an output channel
  Extents reach_;            // the farthest tap, in plane coordinates
  int64_t forward_length_;
  int64_t backward_length_;
  std::vector<Phase> phases_;
  std::vector<int64_t> tap_places_;  // places of a group's taps, in the order of offsets_
  std::vector<int64_t> offsets_;     // offsets of a group's taps in its signal
};

}  // namespace forebay::kernels
