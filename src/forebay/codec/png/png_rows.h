// Converts rows of a PNG, as its decoder expands them, to a base form.
#pragma once

#include <cstdint>
#include <memory>

#include "forebay/codec/format_decoder.h"

namespace forebay::codec {

/// Converts RGB to grey like libpng in DALI's CPU decoder, bit for bit: weights 0.299, 0.587 and the rest in
/// 15 bits, truncated for 8 bits and rounded for 16; in linear light, through tables of the stored precision,
/// if the file gives a gamma other than 1.
class GreyWeights {
 public:
  /// `gamma` as in the gAMA chunk, times 100,000; 0 if the file has none. `white` is 255 or 65535.
  GreyWeights(uint32_t gamma, int white);
  ~GreyWeights();

  int operator()(int red, int green, int blue) const;

 private:
  struct Tables;
  bool is_wide_;
  std::shared_ptr<const Tables> tables_;
};

/// Converts `count` pixels of `channels` values (1 grey, 2 with alpha, 3 RGB, 4 with alpha) to `form`. Alpha
/// is dropped, not applied, unless the form is kAny.
struct PngRowMap {
  BaseForm form;
  int channels;
  bool is_wide;  // uint16 values
  const GreyWeights& weights;

  bool is_identity() const;
  void operator()(const void* in, void* out, int64_t count) const;
};

}  // namespace forebay::codec
