// Uploads whose parts go one after the other, for stores that take no others.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/remote/gathering_writer.h"

namespace forebay::storage {

/// Parts behind a failure are not sent: there will be no object.
class SequentialUpload : public PartedUpload, public std::enable_shared_from_this<SequentialUpload> {
 public:
  /// `uri` names what is written. `failure`: why nothing can be.
  explicit SequentialUpload(std::string uri, const Status& failure = ok_status())
      : uri_(std::move(uri)), failure_(failure) {}

  size_t parts() const override;
  void add(Bytes content, const CallContext& context, StatusCallback done) override;
  void abort() override;

 protected:
  struct Part {
    Bytes content;
    CallContext context;
    bool is_last = false;
    StatusCallback done = nullptr;
    size_t number = 0;  // from 0, of those that were sent
  };

  const std::string& uri() const { return uri_; }
  /// Puts a part behind those that wait.
  void enqueue(Part part);
  /// Why complete() cannot go on; ok if it can.
  Status failure() const;

  /// Sends a part, whose `done` is empty; one at a time. `done` keeps the upload. Errors need not name the
  /// object.
  virtual void send_part(Part part, StatusCallback done) = 0;
  /// Removes what the store has of it; called once, after abort(), when nothing is under way. Not called
  /// where no part was sent.
  virtual void remove_parts() = 0;

 private:
  void send_next();
  void finish(const Status& status, StatusCallback done);

  const std::string uri_;
  mutable Mutex mutex_;
  std::deque<Part> waiting_ FOREBAY_GUARDED_BY(mutex_);
  Status failure_ FOREBAY_GUARDED_BY(mutex_);  // the first
  size_t parts_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t sent_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;  // parts that are not done
  bool is_sending_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool aborts_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_removed_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::storage
