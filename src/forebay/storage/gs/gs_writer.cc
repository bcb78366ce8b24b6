#include "forebay/storage/gs/gs_writer.h"

#include <algorithm>
#include <utility>

#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"
#include "forebay/storage/gs/gs_object.h"
#include "forebay/storage/gs/gs_upload.h"

namespace forebay::storage {

class GsWriter::State : public std::enable_shared_from_this<State> {
 public:
  State(std::shared_ptr<GsConnection> connection, std::string key, WriteOptions options)
      : connection_(std::move(connection)),
        key_(std::move(key)),
        options_(std::move(options)),
        upload_(std::make_shared<GsUpload>(connection_, key_, options_)) {}

  uint64_t chunk_bytes() const { return connection_->options().chunk_bytes; }
  void append(Bytes part, const CallContext& context, StatusCallback done);
  void commit(const CallContext& context, StatCallback done);
  void abandon();

 private:
  std::string uri() const { return connection_->uri_of(key_); }
  Bytes gathered() const;
  Status gather(Bytes& part);
  /// Sends what of `part` makes whole units, and keeps the rest.
  void send_in_place(Bytes part, const CallContext& context, StatusCallback done);

  const std::shared_ptr<GsConnection> connection_;
  const std::string key_;
  const WriteOptions options_;
  const std::shared_ptr<GsUpload> upload_;
  memory::BufferRef gathered_;  // null: nothing was gathered yet
  uint64_t gathered_bytes_ = 0;
  bool has_sent_ = false;
  bool is_committed_ = false;
  Status failure_;  // content was lost: there will be no object
};

void GsWriter::State::abandon() {
  if (!is_committed_) {
    upload_->cancel();
  }
}

Bytes GsWriter::State::gathered() const {
  return gathered_ == nullptr ? Bytes() : gathered_->bytes().first(gathered_bytes_);
}

/// Copies as much of `part` as fits, and leaves the rest in it.
Status GsWriter::State::gather(Bytes& part) {
  if (part.empty()) {
    return ok_status();
  }
  if (gathered_ == nullptr) {
    Result<memory::BufferRef> buffer = memory::Buffer::allocate(chunk_bytes());
    FOREBAY_RETURN_IF_ERROR(annotate(buffer.status(), connection_->uri_of(key_)));
    gathered_ = *std::move(buffer);
  }
  const size_t taken = std::min<size_t>(part.size(), gathered_->size_bytes() - gathered_bytes_);
  memory::copy(gathered_->mutable_bytes().data() + gathered_bytes_, part.data(), taken);
  gathered_bytes_ += taken;
  part = part.subspan(taken);
  return ok_status();
}

void GsWriter::State::append(Bytes part, const CallContext& context, StatusCallback done) {
  if (failure_.ok() && !is_wanted(context)) {
    failure_ = not_wanted(context, uri());
  }
  if (!failure_.ok()) {
    done(failure_);
    return;
  }
  if (gathered_bytes_ == 0) {
    send_in_place(part, context, std::move(done));
    return;
  }
  failure_ = gather(part);
  if (!failure_.ok() || gathered_bytes_ < gathered_->size_bytes()) {
    done(failure_);
    return;
  }
  has_sent_ = true;
  upload_->send(
      gathered(), context,
      [self = shared_from_this(), part, context, done = std::move(done)](const Status& status) mutable {
        self->gathered_bytes_ = 0;
        if (status.ok()) {
          self->send_in_place(part, context, std::move(done));
        } else {
          self->failure_ = status;
          done(status);
        }
      });
}

void GsWriter::State::send_in_place(Bytes part, const CallContext& context, StatusCallback done) {
  const size_t whole = part.size() < chunk_bytes() ? 0 : part.size() / kGsChunkUnit * kGsChunkUnit;
  Bytes rest = part.subspan(whole);
  failure_ = gather(rest);
  if (!failure_.ok() || whole == 0) {
    done(failure_);
    return;
  }
  has_sent_ = true;
  upload_->send(part.first(whole), context,
                [self = shared_from_this(), done = std::move(done)](const Status& status) mutable {
                  self->failure_ = status;
                  done(status);
                });
}

// From here on the upload ends by itself, also if the writer goes meanwhile.
void GsWriter::State::commit(const CallContext& context, StatCallback done) {
  const bool is_second = std::exchange(is_committed_, true);
  if (is_second || !failure_.ok()) {
    upload_->cancel();
    done(is_second ? failed_precondition("{}: was committed", uri()) : failure_);
    return;
  }
  auto end = [self = shared_from_this(), done = std::move(done)](Result<ObjectStat> stat) mutable {
    if (!stat.ok()) {
      self->upload_->cancel();
    }
    done(std::move(stat));
  };
  if (has_sent_) {
    upload_->finish(gathered(), context, std::move(end));
  } else {
    put_gs_object(connection_, key_, gathered(), options_, context, std::move(end));
  }
}

GsWriter::GsWriter(std::shared_ptr<GsConnection> connection, std::string key, WriteOptions options)
    : state_(std::make_shared<State>(std::move(connection), std::move(key), std::move(options))) {
}

GsWriter::~GsWriter() {
  state_->abandon();
}

PartLimits GsWriter::limits() const {
  return {.in_flight = 1, .best_bytes = state_->chunk_bytes()};
}

void GsWriter::append(Bytes part, const CallContext& context, StatusCallback done) {
  state_->append(part, context, std::move(done));
}

void GsWriter::commit(const CallContext& context, StatCallback done) {
  state_->commit(context, std::move(done));
}

}  // namespace forebay::storage
