// Sessions whose sources or functions ask each other for batches, along any chain of them. Where the chain
// comes back, nobody would ever go on: who closes it is told, and the sessions of the ring end. (If they went
// on with their next batches, which they make ahead, each would ask the others for theirs, for ever.)
//
// Sources and functions see a session's batches in order. So a batch that is asked for needs the one that a
// source or function is working on, if that is no later; and this one needs whatever batch the source or
// function waits for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::pipeline {

/// A session as others wait for it. Must be there as long as a UserWork or BatchWait of its batches is.
class WaitedSession {
 public:
  virtual std::shared_ptr<WaitedSession> kept() = 0;
  /// It makes no batch any more; who asks for one gets `error`. Does not wait. Any thread may call it, also
  /// one that runs a source or function of this session, and more than once.
  virtual void end(const Status& error) = 0;

 protected:
  ~WaitedSession() = default;
};

/// One batch of a session.
struct SessionBatch {
  WaitedSession* session = nullptr;
  int phase = 0;
  int64_t iteration = 0;     // in its phase
  int64_t stream_begin = 0;  // in the first phase's stream

  bool operator==(const SessionBatch&) const = default;
  /// Whether what sources and functions do for `other` comes before this batch is done.
  bool needs(const SessionBatch& other) const {
    if (session != other.session || phase < other.phase) {
      return false;
    }
    return phase == other.phase ? other.iteration <= iteration : other.stream_begin <= stream_begin;
  }
};

/// While it lives, the calling thread runs a source or function for that batch. Belongs to one thread; nests.
class UserWork {
 public:
  explicit UserWork(SessionBatch batch);
  ~UserWork();
  UserWork(const UserWork&) = delete;
  UserWork& operator=(const UserWork&) = delete;

 private:
  friend class BatchWait;

  const SessionBatch batch_;
  UserWork* const outer_;
};

/// While it lives, the calling thread waits for a batch of a session. Belongs to one thread. If that closes a
/// ring, its sessions end, each with status().
class BatchWait {
 public:
  explicit BatchWait(SessionBatch awaited);
  ~BatchWait();
  BatchWait(const BatchWait&) = delete;
  BatchWait& operator=(const BatchWait&) = delete;

  /// failed_precondition if the batch waits, over others, for the source or function that runs on this
  /// thread.
  const Status& status() const { return status_; }

 private:
  std::vector<SessionBatch> waiting_;  // what this thread works for
  SessionBatch awaited_;
  Status status_;
};

}  // namespace forebay::pipeline
