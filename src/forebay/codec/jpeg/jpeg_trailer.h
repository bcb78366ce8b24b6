// What telephones put behind the image data of a JPEG without an end marker. All of it is told by itself, not
// by where decoding stops: so it can be kept from the decoder, and never passes for image data.
#pragma once

#include <cstddef>

#include "forebay/base/byte_source.h"

namespace forebay::codec {

/// Where the trailer begins that Samsung's directory at the end of the file lists; the size of the file if it
/// has none.
size_t begin_of_listed_trailer(Bytes jpeg);

/// Where the image data ends at the latest, whose first scan begins at `first`: in front of a known trailer
/// and of zeros.
size_t end_before_trailer(Bytes jpeg, size_t first);

/// Whether these bytes, taken for the last of the image data, look like the end of a trailer that is not
/// known: a text. Image data looks like that in one file of fifty.
bool ends_like_a_trailer(Bytes image_data);

/// Whether what follows image data cannot belong to its image: nothing, fill bytes, or the begin of another
/// image.
bool is_nothing_of_the_image(Bytes behind);

}  // namespace forebay::codec
