// Decodes arbitrary bytes as sound: all of it, then a part; those of an Ogg with right checksums. Shared by
// the fuzzer and the test of its seeds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forebay/codec/audio/audio_file.h"
#include "forebay/codec/byte_text.h"
#include "forebay/codec/testing/ogg_pages.h"

namespace forebay::codec::testing {

inline Status decode_all_and_a_part(Bytes bytes) {
  (void)audio_scratch_bytes(bytes);
  FOREBAY_ASSIGN_OR_RETURN(const auto file, AudioFile::open(bytes));
  const AudioHeader& header = file->header();
  const auto dtype = bytes.size() % 2 == 0 || header.is_float ? tensor::DType::kFloat : tensor::DType::kInt16;
  if (!AudioFile::check_limits(header.frames, header.channels, dtype, {16 << 20}).ok()) {
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor all,
                           tensor::Tensor::allocate({{header.frames, header.channels}, dtype, {}}));
  const Status status = file->read(all.mutable_view());
  const int64_t first = header.frames / 3;
  if (file->seek(first).ok()) {
    const int64_t count = std::min<int64_t>(header.frames - first, 100);
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor part,
                             tensor::Tensor::allocate({{count, header.channels}, dtype, {}}));
    (void)file->read(part.mutable_view());
  }
  return status;
}

/// Returns what opening, or reading all of it, says; ok if it was left out for its size.
inline Status fuzz_audio(const uint8_t* data, size_t size) {
  std::vector<uint8_t> file(data, data + size);
  if (begins_with(std::as_bytes(std::span(file)), "OggS")) {
    set_ogg_checksums(file);
  }
  return decode_all_and_a_part(std::as_bytes(std::span(file)));
}

}  // namespace forebay::codec::testing
