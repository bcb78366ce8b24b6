// What a process writes through the daemon, because it is written back.
#include <utility>

#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/hosted/host_session.h"
#include "forebay/cache/hosted/host_status.h"
#include "forebay/cache/messages/shared_memory.h"

namespace forebay::cache {

using storage::CallContext;
using storage::ObjectStat;
using storage::Priority;

Status HostSession::take_write_message(HostHeader header, net::LocalMessage message) {
  switch (header.kind) {
    case HostMessage::kBeginWrite:
      return take_begin_write(header.number, message.bytes);
    case HostMessage::kWritePart:
      return take_write_part(header.number, std::move(message));
    case HostMessage::kCommitWrite:
      return take_commit_write(header.number, message.bytes);
    case HostMessage::kChange:
      return take_change(header.number, message.bytes);
    case HostMessage::kBacklog:
      return take_backlog(header.number, message.bytes);
    default:
      writes_.drop(header.number);
      return ok_status();
  }
}

// An error is told with the first part, or at the end.
Status HostSession::take_begin_write(uint64_t number, Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(const HostBeginWrite begin, decode<HostBeginWrite>(message));
  auto write = std::make_shared<HostWrite>();
  write->uri = begin.uri;
  Result<CachedAddress> address = find(begin.store, begin.uri);
  if (writes_.size() >= kMaxWrites) {
    write->error = resource_exhausted("one process writes {} objects", writes_.size());
  } else if (!address.ok()) {
    write->error = address.status();
  } else {
    write->key = address->key;
    Result<std::unique_ptr<storage::ObjectWriter>> writer = address->front->open_writer(
        std::move(address->key), {.if_absent = begin.if_absent, .if_version = begin.if_version});
    write->error = writer.status();
    write->writer = writer.ok() ? *std::move(writer) : nullptr;
  }
  return writes_.add(number, std::move(write)) ? ok_status()
                                               : invalid_argument("an object with the number of another");
}

Status HostSession::take_write_part(uint64_t number, net::LocalMessage message) {
  FOREBAY_ASSIGN_OR_RETURN(const HostWritePart part, decode<HostWritePart>(message.bytes));
  const HostWriteRef write = writes_.find(part.write);
  if (!write || message.descriptors.empty() || write->is_busy.exchange(true)) {
    return invalid_argument("a part of nothing, without bytes, or before the one in front was taken");
  }
  FOREBAY_ASSIGN_OR_RETURN(storage::ReadBytes content,
                           open_sealed(std::move(message.descriptors.front()), part.length_bytes));
  const Result<CallContext> context = begin(number, part.time_left_ns, Priority::kDemand, write->uri);
  const Status refused = !write->error.ok() ? write->error : context.status();
  const auto end = [self = shared_from_this(), number, write](const Status& status) {
    write->is_busy = false;
    self->answer(number, status.ok() ? encode_answer(number, std::string()) : encode_answer(number, status));
  };
  if (!refused.ok()) {
    end(refused);
    return ok_status();
  }
  const Bytes bytes = content.bytes;
  write->writer->append(bytes, *context,
                        [end, content = std::move(content)](const Status& status) { end(status); });
  return ok_status();
}

Status HostSession::take_commit_write(uint64_t number, Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(const HostCommitWrite commit, decode<HostCommitWrite>(message));
  const HostWriteRef write = writes_.find(commit.write);
  if (!write || write->is_busy.exchange(true)) {
    return invalid_argument("nothing is written with this number, or a part of it is under way");
  }
  writes_.drop(commit.write);
  const Result<CallContext> context = begin(number, commit.time_left_ns, Priority::kDemand, write->uri);
  const Status refused = !write->error.ok() ? write->error : context.status();
  if (!refused.ok()) {
    answer(number, encode_answer(number, refused));
    return ok_status();
  }
  write->writer->commit(*context, [self = shared_from_this(), number, write](const Result<ObjectStat>& stat) {
    self->answer(number, encode_answer(number, stat));
  });
  return ok_status();
}

Status HostSession::take_change(uint64_t number, Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(HostChange change, decode<HostChange>(message));
  const bool has_target = change.kind == ChangeKind::kRename || change.kind == ChangeKind::kCopy;
  const Result<CachedAddress> to = find(change.store, has_target ? change.to : change.uri);
  std::optional<Call> call = take_on(number, change.store, change.uri, change.time_left_ns, Priority::kDemand,
                                     /*may_go_past=*/false);
  if (!call) {
    return ok_status();
  }
  if (!to.ok() || to->front != call->address.front) {
    const Status why =
        to.ok() ? invalid_argument("{} and {} are in two stores", change.uri, change.to) : to.status();
    answer(number, encode_answer(number, why));
    return ok_status();
  }
  storage::MoveRequest move = {.from = call->address.key,
                               .to = to->key,
                               .if_version = std::move(change.if_version),
                               .if_absent = change.if_absent};
  auto start = [self = shared_from_this(), number, kind = change.kind, store = call->address.front,
                context = call->context, move = std::move(move)]() mutable {
    self->make_change(number, kind, *store, std::move(move), context);
  };
  if (stores_->journal()) {
    stores_->journal()->run_on_journal(std::move(start));  // a store of this host would keep the loop waiting
  } else {
    start();
  }
  return ok_status();
}

void HostSession::make_change(uint64_t number, ChangeKind kind, storage::ObjectStore& store,
                              storage::MoveRequest move, const CallContext& context) {
  auto done = [self = shared_from_this(), number](const Result<ObjectStat>& stat) {
    self->answer(number, encode_answer(number, stat));
  };
  auto gone = [done](const Status& status) { done(status.ok() ? Result<ObjectStat>(ObjectStat()) : status); };
  switch (kind) {
    case ChangeKind::kRemove:
      store.remove(std::move(move.from), context, gone);
      break;
    case ChangeKind::kRename:
      store.rename(std::move(move), context, done);
      break;
    case ChangeKind::kCopy:
      store.copy(std::move(move), context, done);
      break;
    case ChangeKind::kMakeDirectory:
      store.make_directory(std::move(move.from), context, gone);
      break;
    case ChangeKind::kSettle:
      store.settle(std::move(move.from), context, gone);
      break;
  }
}

Status HostSession::take_backlog(uint64_t number, Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(const HostBacklog asked, decode<HostBacklog>(message));
  if (asked.hurries && stores_->journal()) {
    stores_->journal()->hurry();
  }
  return connection_->send(bytes_of(encode_answer(number, backlog_status(*stores_, asked.uri))));
}

}  // namespace forebay::cache
