// One version of one object, and parts of it, as whoever asks the cache names them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/cache/entries/entry_key.h"

namespace forebay::cache {

/// The names behind an ObjectId. The version has a hash behind it where the URI does not say all
/// (object_name.h).
struct ObjectText {
  std::string_view uri;
  std::string_view version;
};

/// One version of one object, as callers name it.
struct ObjectVersion {
  /// `apart` tells objects apart whose URIs are the same.
  ObjectVersion(std::string uri_text, std::string version_text, std::string_view apart = {})
      : uri(std::move(uri_text)),
        version(std::move(version_text)),
        full_version(apart.empty() ? std::string() : fmt::format("{}#{}", version, apart)),
        id(object_id(uri, text().version)) {}

  /// What is kept on disk, and compared.
  ObjectText text() const { return {uri, full_version.empty() ? version : full_version}; }

  std::string uri;
  std::string version;
  std::string full_version;  // empty: the version
  ObjectId id;
};

/// A part of an object that is wanted, or brought.
struct ByteRange {
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // storage::kToEnd: to the end of the object

  /// At most 2^64 - 1, also of a range that makes no sense.
  uint64_t end_bytes() const {
    return offset_bytes + std::min(length_bytes, std::numeric_limits<uint64_t>::max() - offset_bytes);
  }
};

}  // namespace forebay::cache
