// The pages of an Ogg file in memory, by libogg: those whose checksum is wrong are passed over, as decoders
// do.
#pragma once

#include <ogg/ogg.h>

#include <cstddef>

#include "forebay/base/byte_source.h"

namespace forebay::codec {

/// Borrows the bytes. Source: RFC 3533.
class OggPages {
 public:
  explicit OggPages(Bytes bytes);
  ~OggPages();
  OggPages(const OggPages&) = delete;
  OggPages& operator=(const OggPages&) = delete;

  /// False at the end of the file. What `page` points to is this object's, until the next call.
  bool next(ogg_page* page);

 private:
  bool feed();

  const Bytes bytes_;
  size_t fed_ = 0;
  ogg_sync_state sync_{};
};

}  // namespace forebay::codec
