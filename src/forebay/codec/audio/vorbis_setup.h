// The cost of a Vorbis stream's codebooks: libvorbis makes room for all entries that a header of a few bytes
// names, on the stack as well.
#pragma once

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::codec {

/// data_loss for an Ogg file whose first stream is Vorbis and has codebooks larger than any encoder makes:
/// more than 2^16 entries, or 2^20 numbers, in one; more than 2^22 numbers in all. Other files pass, and so
/// do headers that are broken in another way, which libvorbis refuses itself. Source: "Vorbis I
/// specification" (Xiph.Org), sections 3.2.1 and 4.2; RFC 3533 for pages.
Status check_vorbis_codebooks(Bytes bytes);

}  // namespace forebay::codec
