// The three directions of a convolution; their plan is made in convolution_plan.cc.
#include "forebay/kernels/nn/convolution.h"

#include <algorithm>

#include "forebay/base/round_up.h"
#include "forebay/kernels/nn/correlation.h"
#include "forebay/kernels/nn/places.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using memory::ScratchArray;

/// Bytes of samples that the weight gradient processes together, so that they stay in the second-level cache.
constexpr int64_t kCachedBytes = int64_t{1} << 19;

/// Copies the rows of a channel from `from` (dense, with `extents`) to `to`, with the pitch of `planes`.
template <class T>
void spread_rows(const T* from, const Extents& extents, const Extents& planes, T* to) {
  for (int64_t z = 0; z < extents[0]; ++z) {
    for (int64_t y = 0; y < extents[1]; ++y) {
      std::copy_n(from + (z * extents[1] + y) * extents[2], extents[2], to + (z * planes[1] + y) * planes[2]);
    }
  }
}

template <class T>
void gather_rows(const T* from, const Extents& extents, const Extents& planes, T* to) {
  for (int64_t z = 0; z < extents[0]; ++z) {
    for (int64_t y = 0; y < extents[1]; ++y) {
      std::copy_n(from + (z * planes[1] + y) * planes[2], extents[2], to + (z * extents[1] + y) * extents[2]);
    }
  }
}

}  // namespace

int64_t ConvolutionPlan::signal_size() const {
  return shape_.in_channels * static_cast<int64_t>(phases_.size()) * plane() + kCorrelationSlack;
}

template <class T>
void ConvolutionPlan::lay_out(const T* in, T* signal) const {
  const Extents& step = shape_.stride;
  for (int64_t channel = 0; channel < shape_.in_channels; ++channel) {
    for (const Phase& phase : phases_) {
      const int64_t start = phase.start[2] - shape_.pad[2];
      const ValidPlaces valid = valid_places(start, step[2], shape_.in[2], planes_[2]);
      for_each_place({planes_[0], planes_[1], 1}, [&](const Extents& row) {
        const int64_t z = row[0] * step[0] + phase.start[0] - shape_.pad[0];
        const int64_t y = row[1] * step[1] + phase.start[1] - shape_.pad[1];
        if (z < 0 || y < 0 || z >= shape_.in[0] || y >= shape_.in[1]) {
          signal = std::fill_n(signal, planes_[2], T{0});
          return;
        }
        const T* const from = in + place({z, y, 0}, shape_.in) + start;
        std::fill_n(signal, valid.first, T{0});
        if (step[2] == 1) {
          std::copy(from + valid.first, from + valid.last, signal + valid.first);
        } else {
          for (int64_t x = valid.first; x < valid.last; ++x) {
            signal[x] = from[x * step[2]];
          }
        }
        std::fill(signal + valid.last, signal + planes_[2], T{0});
        signal += planes_[2];
      });
    }
    in += volume(shape_.in);
  }
  std::fill_n(signal, kCorrelationSlack, T{0});
}

template <class T>
void ConvolutionPlan::pack_forward(const T* weights, T* packed) const {
  const int64_t rows = shape_.out_channels / shape_.groups;
  for (int64_t group = 0; group < shape_.groups; ++group) {
    const int64_t at = group * rows * shape_.taps();
    pack_correlation(weights + at, rows, shape_.taps(), std::span(tap_places_), packed + at);
  }
}

template <class T>
void ConvolutionPlan::forward(const T* packed, const T* bias, const T* in, T* out) const {
  ScratchArray<T> signal(static_cast<size_t>(signal_size()));
  lay_out(in, signal.data());
  const int64_t rows = shape_.out_channels / shape_.groups;
  const int64_t pitch = forward_length_ + kCorrelationSlack;
  ScratchArray<T> result(static_cast<size_t>(rows * pitch));
  const int64_t group_signal = (signal_size() - kCorrelationSlack) / shape_.groups;
  for (int64_t group = 0; group < shape_.groups; ++group) {
    const T* const start = bias == nullptr ? nullptr : bias + group * rows;
    correlate(signal.data() + group * group_signal, std::span(offsets_),
              packed + group * rows * shape_.taps(), rows, start, forward_length_, result.data(), pitch);
    for (int64_t row = 0; row < rows; ++row) {
      gather_rows(result.data() + row * pitch, out_, planes_, out);
      out += volume(out_);
    }
  }
}

// The signal of the backward direction: padded planes of output gradients. There is a row of weights for each
// input channel of a group, and a result for each phase.
template <class T>
void ConvolutionPlan::pack_backward(const T* weights, T* packed) const {
  const int64_t kernel = volume(shape_.kernel);
  const int64_t rows = shape_.in_channels / shape_.groups;
  const int64_t out_channels = shape_.out_channels / shape_.groups;
  for (int64_t group = 0; group < shape_.groups; ++group) {
    for (const Phase& phase : phases_) {
      memory::ScratchVector<int64_t> places;
      for (int64_t channel = 0; channel < out_channels; ++channel) {
        for (const int64_t tap : phase.tap_places) {
          places.push_back(channel * shape_.taps() + tap);
        }
      }
      pack_correlation(weights + group * out_channels * shape_.taps(), rows, kernel,
                       std::span<const int64_t>(places), packed);
      packed += rows * static_cast<int64_t>(places.size());
    }
  }
}

template <class T>
void ConvolutionPlan::collect(const T* plane, const Phase& phase, T* in_gradient) const {
  const Extents& step = shape_.stride;
  Extents start{};
  for (size_t i = 0; i < 3; ++i) {
    start[i] = phase.start[i] - shape_.pad[i];
  }
  const ValidPlaces valid = valid_places(start[2], step[2], shape_.in[2], planes_[2]);
  for_each_place({planes_[0], planes_[1], 1}, [&](const Extents& row) {
    const int64_t z = row[0] * step[0] + start[0];
    const int64_t y = row[1] * step[1] + start[1];
    if (z < 0 || y < 0 || z >= shape_.in[0] || y >= shape_.in[1]) {
      return;
    }
    const T* const from = plane + place(row, gradient_planes_);
    T* const to = in_gradient + place({z, y, 0}, shape_.in) + start[2];
    if (step[2] == 1) {
      std::copy(from + valid.first, from + valid.last, to + valid.first);
    } else {
      for (int64_t x = valid.first; x < valid.last; ++x) {
        to[x * step[2]] = from[x];
      }
    }
  });
}

template <class T>
void ConvolutionPlan::data_gradient(const T* packed, const T* bias, const T* out_gradient,
                                    T* in_gradient) const {
  const int64_t channels = shape_.out_channels / shape_.groups;
  const int64_t rows = shape_.in_channels / shape_.groups;
  const int64_t plane_size = volume(gradient_planes_);
  const int64_t pitch = backward_length_ + kCorrelationSlack;
  memory::ScratchVector<T> signal(static_cast<size_t>(channels * plane_size + kCorrelationSlack));
  ScratchArray<T> result(static_cast<size_t>(rows * pitch));
  for (int64_t group = 0; group < shape_.groups; ++group) {
    for (int64_t channel = 0; channel < channels; ++channel) {
      spread_rows(out_gradient, out_, gradient_planes_,
                  signal.data() + channel * plane_size + place(reach_, gradient_planes_));
      out_gradient += volume(out_);
    }
    for (int64_t row = 0; row < rows; ++row) {  // places that no tap reaches
      std::fill_n(in_gradient + row * volume(shape_.in), volume(shape_.in),
                  bias == nullptr ? T{0} : bias[group * rows + row]);
    }
    for (const Phase& phase : phases_) {
      memory::ScratchVector<int64_t> offsets;
      for (int64_t channel = 0; channel < channels; ++channel) {
        for (const int64_t offset : phase.backward_offsets) {
          offsets.push_back(channel * plane_size + offset);
        }
      }
      const T* const start = bias == nullptr ? nullptr : bias + group * rows;
      correlate(signal.data(), std::span<const int64_t>(offsets), packed, rows, start, backward_length_,
                result.data(), pitch);
      packed += rows * static_cast<int64_t>(offsets.size());
      for (int64_t row = 0; row < rows; ++row) {
        collect(result.data() + row * pitch, phase, in_gradient + row * volume(shape_.in));
      }
    }
    in_gradient += rows * volume(shape_.in);
  }
}

template <class T>
void ConvolutionPlan::weight_gradient(int64_t samples, const T* in, const T* out_gradient,
                                      T* weight_gradient) const {
  const int64_t row_pitch = round_up(forward_length_, kCorrelationSlack);
  const int64_t gradient_pitch = shape_.out_channels * row_pitch;
  const int64_t signal_pitch = signal_size();
  const int64_t bytes = (gradient_pitch + signal_pitch) * static_cast<int64_t>(sizeof(T));
  const int64_t at_once = std::clamp<int64_t>(kCachedBytes / bytes, 1, samples);
  ScratchArray<T> signals(static_cast<size_t>(at_once * signal_pitch));
  memory::ScratchVector<T> gradients(static_cast<size_t>(at_once * gradient_pitch));
  const int64_t rows = shape_.out_channels / shape_.groups;
  const int64_t taps = shape_.taps();
  memory::ScratchVector<T> sums(static_cast<size_t>(shape_.weight_volume()));
  for (int64_t first = 0; first < samples; first += at_once) {
    const int64_t count = std::min(at_once, samples - first);
    for (int64_t i = 0; i < count; ++i) {
      lay_out(in + (first + i) * shape_.in_volume(), signals.data() + i * signal_pitch);
      const T* const from = out_gradient + (first + i) * shape_.out_channels * volume(out_);
      for (int64_t channel = 0; channel < shape_.out_channels; ++channel) {
        spread_rows(from + channel * volume(out_), out_, planes_,
                    gradients.data() + i * gradient_pitch + channel * row_pitch);
      }
    }
    for (int64_t group = 0; group < shape_.groups; ++group) {
      const int64_t group_signal = (signal_pitch - kCorrelationSlack) / shape_.groups;
      correlate_gradients(
          CorrelationSamples<T>{count, signals.data() + group * group_signal, signal_pitch,
                                gradients.data() + group * rows * row_pitch, gradient_pitch, row_pitch},
          std::span<const int64_t>(offsets_), rows, forward_length_, sums.data() + group * rows * taps);
    }
  }
  for (int64_t row = 0; row < shape_.out_channels; ++row) {
    for (int64_t tap = 0; tap < taps; ++tap) {
      weight_gradient[row * taps + tap_places_[static_cast<size_t>(tap)]] +=
          sums[static_cast<size_t>(row * taps + tap)];
    }
  }
}

#define FOREBAY_INSTANTIATE(T)                                                          \
  template void ConvolutionPlan::pack_forward(const T*, T*) const;                      \
  template void ConvolutionPlan::pack_backward(const T*, T*) const;                     \
  template void ConvolutionPlan::forward(const T*, const T*, const T*, T*) const;       \
  template void ConvolutionPlan::data_gradient(const T*, const T*, const T*, T*) const; \
  template void ConvolutionPlan::weight_gradient(int64_t, const T*, const T*, T*) const
FOREBAY_INSTANTIATE(float);
FOREBAY_INSTANTIATE(double);
#undef FOREBAY_INSTANTIATE

}  // namespace forebay::kernels
