// Hands rows of a format's own channels on in the base form that was asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forebay/codec/format_decoder.h"

namespace forebay::codec {

/// How colours become grey: 0.299 red, 0.587 green and 0.114 blue in all, rounded. The precision is that of
/// DALI's decoder of the same format, so that the values are the same.
enum class Luma { k14Bits, k15Bits, kFloat };

class BaseRows {
 public:
  /// For rows of `channels` values (1 grey, 2 with alpha, 3 RGB, 4 with alpha) of the type of base rows.
  /// `request` must outlive it.
  BaseRows(const ImageHeader& header, const BaseRequest& request, int channels, Luma luma);

  /// Where row `y` of the window may be written because it needs no conversion; null if it is to be put().
  std::byte* place(int64_t y) const;

  /// Hands row `y` of the window on; `pixels` are those of its columns.
  Status put(int64_t y, const std::byte* pixels);

  /// Bytes of one pixel of the rows that are put.
  int64_t pixel_bytes() const { return pixel_bytes_; }

 private:
  void convert(const std::byte* pixels, std::byte* target) const;

  const BaseRequest& request_;
  const int channels_;
  const Luma luma_;
  const tensor::DType dtype_;
  const int64_t pixel_bytes_;
  const bool is_in_form_;
  std::vector<std::byte> converted_;
};

}  // namespace forebay::codec
