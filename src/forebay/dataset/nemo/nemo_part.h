// The part of a sound that an entry of a manifest is: in frames, and of a WAV in bytes, so that of a long
// recording no more is read than that.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

struct FramePart {
  int64_t first = 0;
  int64_t count = 0;
};

/// The frames from `offset_s` on, `duration_s` long; negative: from the beginning, to the end. Rounded down,
/// as NeMo counts them; what a rounded duration has too much is left out. data_loss for a part that begins
/// behind the end.
Result<FramePart> frames_of_part(int64_t frames, int64_t rate_hz, double offset_s, double duration_s);

/// A WAV of the frames of a part alone: a header of its own, and where its samples are in the file.
struct WavPart {
  std::string header;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
};

/// `head`: the first bytes of a file of `file_bytes`. Nothing if that cannot be told from them, or is not as
/// it should be: another format, samples of no fixed width, a length that the file does not have, a part
/// behind its end. Who then reads all of it finds out.
std::optional<WavPart> wav_part(Bytes head, uint64_t file_bytes, double offset_s, double duration_s);

}  // namespace forebay::dataset
