// Borrowed images with interleaved channels ("HWC") and a row pitch, such as windows of larger images.
#pragma once

#include <cstddef>

namespace forebay::kernels {

/// Read-only. Element (y, x, c) is data[y * pitch + x * channels + c].
template <class T>
struct ImageView {
  const T* data = nullptr;
  int height = 0;
  int width = 0;
  int channels = 0;
  ptrdiff_t pitch = 0;  // elements from one row to the next

  const T* row(int y) const { return data + y * pitch; }
};

/// Writable, otherwise like ImageView.
template <class T>
struct MutableImageView {
  T* data = nullptr;
  int height = 0;
  int width = 0;
  int channels = 0;
  ptrdiff_t pitch = 0;

  T* row(int y) const { return data + y * pitch; }
  operator ImageView<T>() const { return {data, height, width, channels, pitch}; }
};

}  // namespace forebay::kernels
