// What a session tells the stores of its readers: what it will read and how far its consumer is; with each
// read who asks, how urgent it is, and whether it is still wanted.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/dataset/planning/read_ahead.h"
#include "forebay/pipeline/samples/open_reader.h"
#include "forebay/storage/context.h"

namespace forebay::pipeline {

/// Thread safe. Calls no store with its mutex held.
class SessionReads {
 public:
  /// `caller`: the name of the session, for the limits and reports of stores.
  explicit SessionReads(std::string caller);

  /// Sends each reader's plan, whose position k is the k-th sample of the session's stream, from `first` on.
  /// `window`: about how many samples the session itself reads ahead. Only the first call has an effect.
  void begin(const std::vector<OpenReader>& readers, uint64_t first, uint64_t window)
      FOREBAY_EXCLUDES(mutex_);
  /// Notes that everything before that place of the stream was delivered.
  void advance(uint64_t stream_index) FOREBAY_EXCLUDES(mutex_);
  /// Retracts the plans and cancels reads in flight, permanently.
  void end() FOREBAY_EXCLUDES(mutex_);

  /// The context of a read for the session's stream.
  storage::CallContext context(storage::Priority priority) const;
  /// The context of a read that its caller waits for; closing the session does not cancel it.
  storage::CallContext context_of_waiter() const { return {.who = who_}; }

 private:
  using Plans = std::vector<std::unique_ptr<dataset::ReadAhead>>;  // by reader

  const std::shared_ptr<const storage::Caller> who_;
  std::stop_source stop_;

  Mutex mutex_;
  bool has_begun_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool has_ended_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::shared_ptr<const Plans> plans_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::pipeline
