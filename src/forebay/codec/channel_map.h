// Converts rows of a format's own channels to a base form.
#pragma once

#include <cstdint>

#include "forebay/codec/format_decoder.h"

namespace forebay::codec {

/// Whether rows of `channels` values (1 grey, 2 with alpha, 3 RGB, 4 with alpha) are in the form already.
inline bool is_in_form(BaseForm form, int channels) {
  return form == BaseForm::kAny || form == BaseForm::kIndex || (form == BaseForm::kGray && channels == 1) ||
         (form == BaseForm::kRgb && channels == 3);
}

/// Converts `count` pixels of `channels` values to grey, RGB or BGR. Alpha is dropped, not applied.
/// `grey(red, green, blue)` weighs colours.
template <class T, class Grey>
void map_channels(BaseForm form, int channels, const T* source, T* target, int64_t count, const Grey& grey) {
  const bool is_grey = channels <= 2;
  for (int64_t i = 0; i < count; ++i, source += channels) {
    const T red = source[0];
    const T green = source[is_grey ? 0 : 1];
    const T blue = source[is_grey ? 0 : 2];
    if (form == BaseForm::kGray) {
      *target++ = is_grey ? red : static_cast<T>(grey(red, green, blue));
      continue;
    }
    target[0] = form == BaseForm::kRgb ? red : blue;
    target[1] = green;
    target[2] = form == BaseForm::kRgb ? blue : red;
    target += 3;
  }
}

}  // namespace forebay::codec
