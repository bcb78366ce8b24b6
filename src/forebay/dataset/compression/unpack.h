// Data that was compressed as a whole, in the ways that shards and pages of columns are.
#pragma once

#include <cstdint>
#include <string_view>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

enum class Compression : uint8_t {
  kNone,
  kSnappy,  // a raw block, without framing
  kGzip,    // members of RFC 1952, one behind the other
  kBrotli,
  kZstd,
  kLz4,  // a raw block, without framing
  kBzip2,
};

std::string_view name_of(Compression compression);

/// Fills all of `out`. data_loss if the packed bytes are damaged, or hold fewer or more bytes than `out` has
/// room for. Allocates no more than the state of the decoder. Thread safe.
Status unpack(Compression compression, Bytes packed, MutableBytes out);

}  // namespace forebay::dataset
