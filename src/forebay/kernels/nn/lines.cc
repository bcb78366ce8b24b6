#include "forebay/kernels/nn/lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "forebay/kernels/activation/activation.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using memory::ScratchArray;

/// Room for `count` lines that are not dense where they lie.
template <class T>
ScratchArray<T> room_for(const Lines& lines, int64_t count) {
  return ScratchArray<T>(lines.inner == 1 ? 0 : static_cast<size_t>(count * lines.length));
}

/// A line as dense memory: the line itself or a copy.
template <class T>
const T* dense_line(const Lines& lines, int64_t line, const T* in, T* buffer) {
  const T* const from = in + lines.start(line);
  if (lines.inner == 1) {
    return from;
  }
  for (int64_t i = 0; i < lines.length; ++i) {
    buffer[i] = from[i * lines.inner];
  }
  return buffer;
}

/// Calls compute(target) with memory for the line, then moves the result to its place.
template <class T, class F>
void make_line(const Lines& lines, int64_t line, T* buffer, T* out, F&& compute) {
  T* const to = out + lines.start(line);
  if (lines.inner == 1) {
    compute(to);
    return;
  }
  compute(buffer);
  for (int64_t i = 0; i < lines.length; ++i) {
    to[i * lines.inner] = buffer[i];
  }
}

template <class T>
int64_t valid_length(const Lines& lines, const T* lengths, int64_t line) {
  if (lengths == nullptr) {
    return lines.length;
  }
  return std::clamp<int64_t>(static_cast<int64_t>(lengths[line]), 0, lines.length);
}

template <class T>
double sum_of(const T* values, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += values[i];
  }
  return sum;
}

template <class T>
double dot_of(const T* a, const T* b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += static_cast<double>(a[i]) * b[i];
  }
  return sum;
}

/// to[i] = (from[i] - greatest) * scale; returns the element of `from` for which from * scale is largest.
template <class T>
void shift(const T* from, int64_t count, double scale, T* to) {
  if (count == 0) {
    return;
  }
  const auto [least, greatest] = std::minmax_element(from, from + count);
  const T top = scale < 0 ? *least : *greatest;
  const T factor = static_cast<T>(scale);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = (from[i] - top) * factor;
  }
}

/// The softmax of a line whose maximum is 0, in place.
template <class T>
void normalize_exponentials(T* line, int64_t count) {
  evaluate(Function::kExp, line, count, line);
  const T factor = static_cast<T>(1 / sum_of(line, count));
  for (int64_t i = 0; i < count; ++i) {
    line[i] *= factor;
  }
}

template <class T>
void subtract_log_sum(T* line, int64_t count, T* powers) {
  evaluate(Function::kExp, line, count, powers);
  const T log_sum = static_cast<T>(std::log(sum_of(powers, count)));
  for (int64_t i = 0; i < count; ++i) {
    line[i] -= log_sum;
  }
}

}  // namespace

template <class T>
void softmax(const Lines& lines, const SoftmaxOptions& options, const T* lengths, int64_t first, int64_t last,
             const T* in, T* out) {
  ScratchArray<T> made = room_for<T>(lines, 1);
  ScratchArray<T> powers(options.logarithm ? static_cast<size_t>(lines.length) : 0);
  for (int64_t line = first; line < last; ++line) {
    const int64_t count = valid_length(lines, lengths, line);
    make_line(lines, line, made.data(), out, [&](T* to) {
      shift(dense_line(lines, line, in, to), count, options.scale, to);
      options.logarithm ? subtract_log_sum(to, count, powers.data()) : normalize_exponentials(to, count);
      std::fill(to + count, to + lines.length, T{0});
    });
  }
}

template <class T>
void softmax_gradient(const Lines& lines, const SoftmaxOptions& options, const T* lengths, int64_t first,
                      int64_t last, const T* out, const T* out_gradient, T* in_gradient) {
  const T scale = static_cast<T>(options.scale);
  ScratchArray<T> room = room_for<T>(lines, 3);
  for (int64_t line = first; line < last; ++line) {
    const int64_t count = valid_length(lines, lengths, line);
    const T* const y = dense_line(lines, line, out, room.data());
    const T* const g = dense_line(lines, line, out_gradient, room.data() + lines.length);
    make_line(lines, line, room.data() + 2 * lines.length, in_gradient, [&](T* to) {
      if (options.logarithm) {
        const T sum = static_cast<T>(sum_of(g, count));
        for (int64_t i = 0; i < count; ++i) {
          to[i] = scale * (g[i] - std::exp(y[i]) * sum);
        }
      } else {
        const T sum = static_cast<T>(dot_of(y, g, count));
        for (int64_t i = 0; i < count; ++i) {
          to[i] = scale * y[i] * (g[i] - sum);
        }
      }
      std::fill(to + count, to + lines.length, T{0});
    });
  }
}

template <class T>
void standardize(const Lines& lines, double epsilon, int64_t first, int64_t last, const T* in, T* out,
                 T* means, T* deviations) {
  const auto length = static_cast<double>(lines.length);
  ScratchArray<T> made = room_for<T>(lines, 1);
  for (int64_t line = first; line < last; ++line) {
    make_line(lines, line, made.data(), out, [&](T* to) {
      const T* const x = dense_line(lines, line, in, to);
      const double mean = sum_of(x, lines.length) / length;
      double squares = 0;
      for (int64_t i = 0; i < lines.length; ++i) {
        squares += (x[i] - mean) * (x[i] - mean);
      }
      const double deviation = std::sqrt(squares / length + epsilon);
      means[line] = static_cast<T>(mean);
      deviations[line] = static_cast<T>(deviation);
      const T factor = static_cast<T>(1 / deviation);
      for (int64_t i = 0; i < lines.length; ++i) {
        to[i] = (x[i] - static_cast<T>(mean)) * factor;
      }
    });
  }
}

template <class T>
void standardize_gradient(const Lines& lines, int64_t first, int64_t last, const T* out, const T* deviations,
                          const T* out_gradient, T* in_gradient) {
  const auto length = static_cast<double>(lines.length);
  ScratchArray<T> room = room_for<T>(lines, 3);
  for (int64_t line = first; line < last; ++line) {
    const T* const y = dense_line(lines, line, out, room.data());
    const T* const g = dense_line(lines, line, out_gradient, room.data() + lines.length);
    const T mean = static_cast<T>(sum_of(g, lines.length) / length);
    const T slope = static_cast<T>(dot_of(y, g, lines.length) / length);
    make_line(lines, line, room.data() + 2 * lines.length, in_gradient, [&](T* to) {
      for (int64_t i = 0; i < lines.length; ++i) {
        to[i] = (g[i] - mean - y[i] * slope) / deviations[line];
      }
    });
  }
}

template <class T>
void softmax_cross_entropy(const Lines& lines, int64_t first, int64_t last, const T* in, const T* labels,
                           T* losses, T* probabilities) {
  ScratchArray<T> made = room_for<T>(lines, 1);
  for (int64_t line = first; line < last; ++line) {
    make_line(lines, line, made.data(), probabilities, [&](T* to) {
      shift(dense_line(lines, line, in, to), lines.length, 1, to);
      const auto label = static_cast<int64_t>(labels[line]);
      const bool is_class = label >= 0 && label < lines.length;
      const T chosen = is_class ? to[label] : std::numeric_limits<T>::quiet_NaN();
      evaluate(Function::kExp, to, lines.length, to);
      const double sum = sum_of(to, lines.length);
      losses[line] = static_cast<T>(std::log(sum) - chosen);
      const T factor = static_cast<T>(1 / sum);
      for (int64_t i = 0; i < lines.length; ++i) {
        to[i] *= factor;
      }
    });
  }
}

template <class T>
void cross_entropy_gradient(const Lines& lines, const LabelOptions& options, int64_t first, int64_t last,
                            const T* probabilities, const T* labels, const T* factors, T* in_gradient) {
  ScratchArray<T> room = room_for<T>(lines, 2);
  const auto others = static_cast<double>(std::max<int64_t>(lines.length - 1, 1));
  const T low = static_cast<T>(options.smoothing / others);
  const T high = static_cast<T>(1 - options.smoothing);
  for (int64_t line = first; line < last; ++line) {
    const T* const p = dense_line(lines, line, probabilities, room.data());
    const auto label = static_cast<int64_t>(labels[line]);
    const bool is_ignored = options.ignores_some && static_cast<double>(labels[line]) == options.ignored;
    const T factor = is_ignored ? T{0} : static_cast<T>(options.scale) * (factors ? factors[line] : T{1});
    make_line(lines, line, room.data() + lines.length, in_gradient, [&](T* to) {
      for (int64_t i = 0; i < lines.length; ++i) {
        to[i] = factor * (p[i] - (i == label ? high : low));
      }
    });
  }
}

#define FOREBAY_INSTANTIATE(T)                                                                              \
  template void softmax(const Lines&, const SoftmaxOptions&, const T*, int64_t, int64_t, const T*, T*);     \
  template void softmax_gradient(const Lines&, const SoftmaxOptions&, const T*, int64_t, int64_t, const T*, \
                                 const T*, T*);                                                             \
  template void standardize(const Lines&, double, int64_t, int64_t, const T*, T*, T*, T*);                  \
  template void standardize_gradient(const Lines&, int64_t, int64_t, const T*, const T*, const T*, T*);     \
  template void softmax_cross_entropy(const Lines&, int64_t, int64_t, const T*, const T*, T*, T*);          \
  template void cross_entropy_gradient(const Lines&, const LabelOptions&, int64_t, int64_t, const T*,       \
                                       const T*, const T*, T*)
FOREBAY_INSTANTIATE(float);
FOREBAY_INSTANTIATE(double);
#undef FOREBAY_INSTANTIATE

}  // namespace forebay::kernels
