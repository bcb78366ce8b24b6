// Which ranges of this daemon's memory one process maps, and how it is told where bytes lie.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cache/messages/gone_ranges.h"
#include "forebay/cache/messages/host_messages.h"
#include "forebay/net/local/local_connection.h"

namespace forebay::cache {

/// Thread safe. Owns nothing but its connection, so that whoever drops it last has nothing to wait for.
class ToldRanges final : public RangeHolder {
 public:
  explicit ToldRanges(net::LocalConnectionRef connection) : connection_(std::move(connection)) {}

  /// Sends the answer to request `number`, and with it the range's file where the process has not got that.
  /// The file goes before every message that counts on it. False if the process was told that it cannot be
  /// had, or nothing.
  /// With `whole`, that is sent instead, and not counted upon.
  bool send(uint64_t number, HostBytes answer, const FileDescriptor* whole = nullptr);
  /// The process has not got the file, or does not map it any more.
  void forget(uint64_t range);
  void forget_gone_ranges() override;
  /// The connection has ended.
  void end();

 private:
  const net::LocalConnectionRef connection_;
  Mutex mutex_;
  std::set<uint64_t> known_ FOREBAY_GUARDED_BY(mutex_);  // whose files the process was sent
};

}  // namespace forebay::cache
