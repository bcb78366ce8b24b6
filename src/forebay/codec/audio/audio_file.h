// Decodes sound files that lie in memory: WAV and its relatives, AIFF, AU, CAF, FLAC, Ogg Vorbis, Ogg Opus
// and MP3, by libsndfile 1.2.
//
// A file is opened once: its header says length, channels and rate, then its samples are read in order, or
// from any frame on. A frame is one sample of each channel; channels are interleaved. Values are those of
// libsndfile, which are also DALI's: integers of a file become float by division by 2^(bits - 1), so full
// scale is 1, and integers keep their most significant bits. Files whose samples are floating numbers (float
// WAV, Vorbis, Opus, MP3) are read as float alone: of integers libsndfile would cut their fractions off, or
// let them overflow.
//
// Thread safety: one object belongs to one thread at a time; different objects are independent. Errors:
// data_loss for bytes that are no sound, are damaged or end early, and for headers that claim what the bytes
// cannot hold; unimplemented for kinds that libsndfile knows and cannot decode; resource_exhausted beyond
// `AudioLimits`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::codec {

/// What the header of a sound file says.
struct AudioHeader {
  int64_t frames = 0;     // samples of each channel
  int64_t rate_hz = 0;    // at least 1
  int channels = 0;       // at least 1
  bool is_float = false;  // its samples are floating numbers
};

struct AudioLimits {
  uint64_t max_bytes = uint64_t{2} << 30;  // of the decoded samples
};

/// Whether samples can be had as this type: float, int16 or int32.
bool can_decode_audio_to(tensor::DType dtype);

/// About how much memory libsndfile and its libraries take to decode these bytes, from the first of them; an
/// upper bound. Beside the samples themselves.
uint64_t audio_scratch_bytes(Bytes bytes);

class AudioFile {
 public:
  /// Reads the header. Borrows the bytes, which must stay while the object lives.
  static Result<std::unique_ptr<AudioFile>> open(Bytes bytes);
  ~AudioFile();
  AudioFile(const AudioFile&) = delete;
  AudioFile& operator=(const AudioFile&) = delete;

  const AudioHeader& header() const { return header_; }

  /// "WAV (Microsoft), Signed 16 bit PCM".
  std::string format_name() const;

  /// resource_exhausted if `frames` in each of `channels`, as this type, are more than the limit. `channels`:
  /// those that are held; 1 where the file's are mixed down on the way.
  static Status check_limits(int64_t frames, int channels, tensor::DType dtype, const AudioLimits& limits);

  /// Goes to frame `frame`, which is 0 at first; at most header().frames.
  Status seek(int64_t frame);

  /// Reads the next frames into `out`, of shape (frames, channels), or (frames) of one channel, and of float,
  /// or unless header().is_float of another type that can_decode_audio_to(). data_loss if there are fewer.
  Status read(const tensor::MutableTensorView& out);

 private:
  class Input;
  explicit AudioFile(Bytes bytes);

  Status check_header() const;
  /// The error of frames that are missing at `frame`.
  Status ended_early(int64_t frame) const;

  std::unique_ptr<Input> input_;
  AudioHeader header_;
  int format_ = 0;  // libsndfile's number
  int64_t next_frame_ = 0;
};

}  // namespace forebay::codec
