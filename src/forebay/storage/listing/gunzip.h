// Unpacks gzip (RFC 1952) a piece at a time, with zlib. Several members, one behind the other, are one text.
#pragma once

#include <zlib.h>

#include <functional>
#include <string_view>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::storage {

/// Not thread safe.
class Gunzip {
 public:
  using Take = std::function<Status(std::string_view text)>;

  Gunzip();
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  /// Passes on what the next bytes unpack to, in pieces of up to 64 KiB. data_loss for bytes that are no gzip
  /// or are damaged; an error of `take` ends it, too. Nothing may be added after an error.
  Status add(Bytes packed, const Take& take);

  /// data_loss unless the last member has ended.
  Status finish() const;

 private:
  /// The next member begins where one has ended.
  void begin_member();

  z_stream stream_{};
  bool has_ended_ = false;
};

/// Whether a file begins as gzip does.
bool begins_as_gzip(Bytes bytes);

}  // namespace forebay::storage
