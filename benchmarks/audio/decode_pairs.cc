// Sound from bytes in memory to floats, one thread: our codec and libsndfile used bare, round by round in one
// process. One program, no `run`: decode_pairs [SECONDS] prints for each format the median of the ratios of
// neighbouring rounds; above 1 ours is faster.
#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "forebay/codec/audio/audio_file.h"

namespace {

namespace codec = forebay::codec;

constexpr int kSeconds = 8;  // of sound
constexpr int kRounds = 41;

struct Memory {
  std::vector<std::byte> bytes;
  sf_count_t at = 0;
};

Memory& memory_of(void* self) {
  return *static_cast<Memory*>(self);
}

sf_count_t size_of_memory(void* self) {
  return static_cast<sf_count_t>(memory_of(self).bytes.size());
}

sf_count_t seek_in_memory(sf_count_t offset, int whence, void* self) {
  Memory& memory = memory_of(self);
  memory.at = offset + (whence == SEEK_CUR ? memory.at : whence == SEEK_END ? size_of_memory(self) : 0);
  return memory.at;
}

sf_count_t read_memory(void* to, sf_count_t count, void* self) {
  Memory& memory = memory_of(self);
  const sf_count_t taken = std::clamp<sf_count_t>(size_of_memory(self) - memory.at, 0, count);
  std::memcpy(to, memory.bytes.data() + memory.at, static_cast<size_t>(taken));
  memory.at += taken;
  return taken;
}

sf_count_t write_memory(const void* from, sf_count_t count, void* self) {
  Memory& memory = memory_of(self);
  const auto end = static_cast<size_t>(memory.at + count);
  memory.bytes.resize(std::max(memory.bytes.size(), end));
  std::memcpy(memory.bytes.data() + memory.at, from, static_cast<size_t>(count));
  memory.at += count;
  return count;
}

sf_count_t tell_memory(void* self) {
  return memory_of(self).at;
}

SF_VIRTUAL_IO calls{size_of_memory, seek_in_memory, read_memory, write_memory, tell_memory};

void check(bool holds, const std::string& what) {
  if (!holds) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::exit(1);
  }
}

/// Tones and noise at 16000 Hz; Opus knows other rates.
Memory encoded(int format) {
  const int rate = (format & SF_FORMAT_SUBMASK) == SF_FORMAT_OPUS ? 48000 : 16000;
  std::vector<float> sound(static_cast<size_t>(rate * kSeconds));
  uint32_t noise = 1;
  for (size_t i = 0; i < sound.size(); ++i) {
    noise = noise * 1664525u + 1013904223u;
    const double t = static_cast<double>(i);
    sound[i] = static_cast<float>(0.5 * std::sin(t * 0.03) + 0.2 * std::sin(t * 0.4) +
                                  0.02 * (static_cast<double>(noise) / 4294967296.0 - 0.5));
  }
  Memory memory;
  SF_INFO info{0, rate, 1, format, 0, 0};
  SNDFILE* const file = ::sf_open_virtual(&calls, SFM_WRITE, &info, &memory);
  check(file != nullptr, "libsndfile cannot write this format");
  ::sf_writef_float(file, sound.data(), static_cast<sf_count_t>(sound.size()));
  ::sf_close(file);
  return memory;
}

void decode_bare(Memory& memory, std::vector<float>& out) {
  memory.at = 0;
  SF_INFO info{};
  SNDFILE* const file = ::sf_open_virtual(&calls, SFM_READ, &info, &memory);
  check(file != nullptr, "libsndfile cannot open this");
  out.resize(static_cast<size_t>(info.frames * info.channels));
  check(::sf_readf_float(file, out.data(), info.frames) == info.frames, "libsndfile cannot read this");
  ::sf_close(file);
}

void decode_ours(const Memory& memory, std::vector<float>& out) {
  const auto file = codec::AudioFile::open(memory.bytes);
  check(file.ok(), file.status().ToString());
  const codec::AudioHeader& header = (*file)->header();
  out.resize(static_cast<size_t>(header.frames * header.channels));
  const forebay::Status status =
      (*file)->read({out.data(), {{header.frames, header.channels}, forebay::tensor::DType::kFloat, {}}});
  check(status.ok(), status.ToString());
}

/// Of this thread's work: what else runs on the machine counts less.
double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <class Work>
double seconds_of(int times, Work work) {
  const double begin = thread_seconds();
  for (int i = 0; i < times; ++i) {
    work();
  }
  return thread_seconds() - begin;
}

void compare(const char* name, int format, double seconds) {
  Memory memory = encoded(format);
  std::vector<float> bare;
  std::vector<float> ours;
  decode_bare(memory, bare);
  decode_ours(memory, ours);
  check(bare == ours, "not the same samples");
  const double once = seconds_of(3, [&] { decode_bare(memory, bare); }) / 3;
  const int times = std::max(1, static_cast<int>(seconds / (2 * kRounds * once)));
  std::vector<double> ratios;
  double least = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    // Either comes first in half of the rounds; both write to the same place, as copies depend on it.
    double theirs = 0;
    const auto run_bare = [&] { theirs = seconds_of(times, [&] { decode_bare(memory, bare); }); };
    if (round % 2 == 0) {
      run_bare();
    }
    const double mine = seconds_of(times, [&] { decode_ours(memory, bare); });
    if (round % 2 == 1) {
      run_bare();
    }
    ratios.push_back(theirs / mine);
    least = std::min(least, mine / times);
  }
  std::ranges::sort(ratios);
  std::printf("%-12s %7.3f of libsndfile bare (quartiles %.3f to %.3f), %8.1f us for %d s of sound\n", name,
              ratios[kRounds / 2], ratios[kRounds / 4], ratios[kRounds * 3 / 4], least * 1e6, kSeconds);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  compare("WAV, 16 bit", SF_FORMAT_WAV | SF_FORMAT_PCM_16, seconds);
  compare("WAV, 24 bit", SF_FORMAT_WAV | SF_FORMAT_PCM_24, seconds);
  compare("WAV, float", SF_FORMAT_WAV | SF_FORMAT_FLOAT, seconds);
  compare("FLAC", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, seconds);
  compare("Ogg Vorbis", SF_FORMAT_OGG | SF_FORMAT_VORBIS, seconds);
  compare("Ogg Opus", SF_FORMAT_OGG | SF_FORMAT_OPUS, seconds);
  compare("MP3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, seconds);
  return 0;
}
