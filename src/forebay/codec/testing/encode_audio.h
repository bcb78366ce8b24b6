// Sound files for tests, made by libsndfile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace forebay::codec::testing {

struct AudioOptions {
  std::string kind = "wav s16";  // one of audio_kinds()
  int rate_hz = 16000;
  int channels = 1;
};

/// "wav u8", "flac s16", "ogg vorbis"...
const std::vector<std::string>& audio_kinds();

/// Whether a kind gives back the samples that it got, to its number of bits.
bool is_lossless_audio(std::string_view kind);

/// Samples of a sum of two sines for each channel, between -0.9 and 0.9; interleaved.
std::vector<float> test_sound(int64_t frames, int channels);

/// `samples`: frames x channels.
std::vector<std::byte> encode_audio(std::span<const float> samples, const AudioOptions& options);

/// test_sound() in a file.
inline std::vector<std::byte> test_audio(int64_t frames, const AudioOptions& options) {
  return encode_audio(test_sound(frames, options.channels), options);
}

}  // namespace forebay::codec::testing
