// The headers of a Vorbis stream, before libsndfile sees them: libvorbis makes room for all entries of
// codebooks that a header of a few bytes names, on the stack as well, and libsndfile forgets some KiB of a
// header that is refused.
#pragma once

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::codec {

/// data_loss for an Ogg file whose first stream is Vorbis and whose headers are missing or broken, or have
/// codebooks larger than any encoder makes: more than 2^16 entries, or 2^20 numbers, in one; more than 2^22
/// numbers in all. Other files pass. Source: "Vorbis I specification" (Xiph.Org), sections 3.2.1 and 4.2; RFC
/// 3533 for pages.
Status check_vorbis_headers(Bytes bytes);

}  // namespace forebay::codec
