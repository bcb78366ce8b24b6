// Whether a sound file ends where its header says: libsndfile takes what is there of a file that was cut off,
// and says nothing.
#pragma once

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::codec {

/// data_loss for a WAV (RIFF, RF64), AIFF or AU whose samples end before its header says, and for an Ogg
/// whose last page is cut off or is not marked as the last. A WAV or AU that was written as a stream, with
/// the largest possible length, ends where it ends; a WAV with a length of 0 and samples behind that is
/// data_loss. Other formats pass.
Status check_audio_extent(Bytes bytes);

}  // namespace forebay::codec
