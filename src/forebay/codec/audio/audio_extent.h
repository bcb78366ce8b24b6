// Whether a sound file ends where its header says: libsndfile takes what is there of a file that was cut off,
// and says nothing.
#pragma once

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::codec {

/// data_loss for a WAV (RIFF, RIFX, RF64), Wave64, AIFF, AU or CAF whose samples end before its header says,
/// and for an Ogg whose last page is cut off or is not marked as the last. One that was written as a stream,
/// with the largest possible length, ends where it ends; a WAV with a length of 0 and samples behind that is
/// data_loss. Other formats pass: their decoders miss what is not there.
Status check_audio_extent(Bytes bytes);

}  // namespace forebay::codec
