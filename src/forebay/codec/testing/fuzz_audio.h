// Decodes arbitrary bytes as sound: all of it, then a part. Shared by the fuzzer and the test of its seeds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "forebay/codec/audio/audio_file.h"

namespace forebay::codec::testing {

/// Returns what opening, or reading all of it, says; ok if it was left out for its size.
inline Status fuzz_audio(const uint8_t* data, size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  (void)audio_scratch_bytes(bytes);
  FOREBAY_ASSIGN_OR_RETURN(const auto file, AudioFile::open(bytes));
  const AudioHeader& header = file->header();
  const auto dtype = size % 2 == 0 || header.is_float ? tensor::DType::kFloat : tensor::DType::kInt16;
  if (!file->check_limits(header.frames, dtype, {16 << 20}).ok()) {
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

}  // namespace forebay::codec::testing
