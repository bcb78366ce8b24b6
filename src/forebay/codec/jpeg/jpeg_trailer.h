// What telephones put behind the image data of a JPEG without an end marker. All of it is told by itself, not
// by where decoding stops: so it can be kept from the decoder, and never passes for image data.
#pragma once

#include <cstddef>

#include "forebay/base/byte_source.h"

namespace forebay::codec {

/// Where the first known trailer behind `first` begins, where the first scan's image data does; the size of
/// the file if there is none.
size_t begin_of_trailer(Bytes jpeg, size_t first);

/// Where the image data ends at the latest that is not before `first`: in front of zeros, and of runs of 0xFF
/// in front of zeros, as erased or empty memory has them.
size_t end_before_filling(Bytes jpeg, size_t first);

/// Whether these bytes, taken for the last of the image data, look like the end of a trailer that is not
/// known, or of filling: a text, a zero. Image data looks like that in one file of fifty.
bool ends_like_a_trailer(Bytes image_data);

/// Whether the last byte is a 0xFF of the image data, with the zero that tells it from a marker. Filling may
/// look like that, too.
bool ends_in_stuffing(Bytes image_data);

/// Whether what follows image data cannot belong to its image: nothing, fill bytes, or the begin of another
/// image.
bool is_nothing_of_the_image(Bytes behind);

}  // namespace forebay::codec
