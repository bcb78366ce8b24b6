#include "forebay/codec/testing/encode_audio.h"

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "forebay/base/check.h"

namespace forebay::codec::testing {
namespace {

const std::map<std::string, int, std::less<>>& audio_formats() {
  static const std::map<std::string, int, std::less<>> formats{
      {"wav u8", SF_FORMAT_WAV | SF_FORMAT_PCM_U8},
      {"wav s16", SF_FORMAT_WAV | SF_FORMAT_PCM_16},
      {"wav s24", SF_FORMAT_WAV | SF_FORMAT_PCM_24},
      {"wav s32", SF_FORMAT_WAV | SF_FORMAT_PCM_32},
      {"wav float", SF_FORMAT_WAV | SF_FORMAT_FLOAT},
      {"wav double", SF_FORMAT_WAV | SF_FORMAT_DOUBLE},
      {"wav ulaw", SF_FORMAT_WAV | SF_FORMAT_ULAW},
      {"wav ima", SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM},
      {"wavex s16", SF_FORMAT_WAVEX | SF_FORMAT_PCM_16},
      {"rf64 s16", SF_FORMAT_RF64 | SF_FORMAT_PCM_16},
      {"rifx s16", SF_FORMAT_WAV | SF_FORMAT_PCM_16 | SF_ENDIAN_BIG},
      {"au little", SF_FORMAT_AU | SF_FORMAT_PCM_16 | SF_ENDIAN_LITTLE},
      {"caf alac", SF_FORMAT_CAF | SF_FORMAT_ALAC_16},
      {"w64 s16", SF_FORMAT_W64 | SF_FORMAT_PCM_16},
      {"aiff s16", SF_FORMAT_AIFF | SF_FORMAT_PCM_16},
      {"au s16", SF_FORMAT_AU | SF_FORMAT_PCM_16},
      {"caf s16", SF_FORMAT_CAF | SF_FORMAT_PCM_16},
      {"flac s16", SF_FORMAT_FLAC | SF_FORMAT_PCM_16},
      {"flac s24", SF_FORMAT_FLAC | SF_FORMAT_PCM_24},
      {"ogg vorbis", SF_FORMAT_OGG | SF_FORMAT_VORBIS},
      {"ogg opus", SF_FORMAT_OGG | SF_FORMAT_OPUS},
      {"mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III}};
  return formats;
}

struct WrittenAudio {
  std::vector<std::byte> bytes;
  size_t at = 0;
};

WrittenAudio& written_of(void* self) {
  return *static_cast<WrittenAudio*>(self);
}

sf_count_t seek_written(sf_count_t offset, int whence, void* self) {
  WrittenAudio& file = written_of(self);
  const size_t origin = whence == SEEK_CUR ? file.at : whence == SEEK_END ? file.bytes.size() : 0;
  file.at = origin + static_cast<size_t>(offset);
  return static_cast<sf_count_t>(file.at);
}

sf_count_t read_written(void* to, sf_count_t count, void* self) {
  WrittenAudio& file = written_of(self);
  const size_t rest = file.bytes.size() - std::min(file.at, file.bytes.size());
  const size_t taken = std::min(rest, static_cast<size_t>(count));
  std::copy_n(file.bytes.begin() + static_cast<std::ptrdiff_t>(file.at), taken, static_cast<std::byte*>(to));
  file.at += taken;
  return static_cast<sf_count_t>(taken);
}

sf_count_t write_written(const void* from, sf_count_t count, void* self) {
  WrittenAudio& file = written_of(self);
  file.bytes.resize(std::max(file.bytes.size(), file.at + static_cast<size_t>(count)));
  std::copy_n(static_cast<const std::byte*>(from), count,
              file.bytes.begin() + static_cast<std::ptrdiff_t>(file.at));
  file.at += static_cast<size_t>(count);
  return count;
}

}  // namespace

const std::vector<std::string>& audio_kinds() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> names;
    for (const auto& [name, format] : audio_formats()) {
      names.push_back(name);
    }
    return names;
  }();
  return kinds;
}

bool is_lossless_audio(std::string_view kind) {
  return !kind.starts_with("ogg") && kind != "mp3" && kind != "wav ulaw" && kind != "wav ima";
}

std::vector<float> test_sound(int64_t frames, int channels) {
  std::vector<float> samples;
  samples.reserve(static_cast<size_t>(frames * channels));
  for (int64_t frame = 0; frame < frames; ++frame) {
    for (int channel = 0; channel < channels; ++channel) {
      const double t = static_cast<double>(frame) * (1 + 0.25 * channel);
      samples.push_back(static_cast<float>(0.6 * std::sin(t * 0.07) + 0.3 * std::sin(t * 0.93)));
    }
  }
  return samples;
}

std::vector<std::byte> encode_audio(std::span<const float> samples, const AudioOptions& options) {
  const auto found = audio_formats().find(options.kind);
  FOREBAY_CHECK(found != audio_formats().end());
  WrittenAudio written;
  SF_VIRTUAL_IO calls{[](void* self) { return static_cast<sf_count_t>(written_of(self).bytes.size()); },
                      seek_written, read_written, write_written,
                      [](void* self) { return static_cast<sf_count_t>(written_of(self).at); }};
  SF_INFO info{0, options.rate_hz, options.channels, found->second, 0, 0};
  // MP3 and some others ask what they have written.
  SNDFILE* const file = ::sf_open_virtual(&calls, SFM_WRITE, &info, &written);
  FOREBAY_CHECK(file != nullptr);
  const auto frames = static_cast<sf_count_t>(samples.size()) / options.channels;
  FOREBAY_CHECK(::sf_writef_float(file, samples.data(), frames) == frames);
  ::sf_close(file);
  return std::move(written.bytes);
}

}  // namespace forebay::codec::testing
