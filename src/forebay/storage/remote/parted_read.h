// One long range, read in parts at once into one piece of memory.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/range.h"

namespace forebay::storage {

/// Lives until its callback is called. The first part that fails ends the others.
class PartedRead : public std::enable_shared_from_this<PartedRead> {
 public:
  /// `request` has a length of at least `parts` bytes.
  static void start(std::shared_ptr<ObjectStore> store, ReadRequest request, const CallContext& context,
                    size_t parts, ReadCallback done);

  PartedRead(std::shared_ptr<ObjectStore> store, ReadRequest request, ReadTarget target, ReadCallback done);

 private:
  struct Stop {
    std::stop_source source;
    void operator()() { source.request_stop(); }
  };

  void run(CallContext context, size_t parts);
  void take(Result<ReadBytes> part);
  Status checked(const Result<ReadBytes>& part) FOREBAY_REQUIRES(mutex_);

  const std::shared_ptr<ObjectStore> store_;
  const ReadRequest request_;
  std::stop_source stop_;
  std::optional<std::stop_callback<Stop>> on_stop_;
  Mutex mutex_;
  ReadTarget target_ FOREBAY_GUARDED_BY(mutex_);
  ReadCallback done_ FOREBAY_GUARDED_BY(mutex_);
  size_t left_ FOREBAY_GUARDED_BY(mutex_) = 0;
  Status status_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::storage
