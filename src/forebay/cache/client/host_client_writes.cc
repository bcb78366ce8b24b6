// What a process has its daemon write, and what it tells the daemon of its own writes.
#include <utility>

#include "forebay/cache/client/host_client.h"
#include "forebay/cache/client/time_left.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/messages/shared_memory.h"

namespace forebay::cache {

using storage::CallContext;

void HostClient::changed(const ChangedObject& object, Bytes content) {
  if (!is_usable()) {
    return;
  }
  Result<FileDescriptor> copy = FileDescriptor();
  if (!content.empty() && content.size() <= kMaxGivenBytes) {
    copy = sealed_copy(content);
  }
  const bool has_copy = copy.ok() && copy->is_valid();
  const int number = has_copy ? copy->get() : -1;
  connection_->send(bytes_of(encode(object)), {&number, has_copy ? size_t{1} : 0}).IgnoreError();
}

void HostClient::send_content(uint64_t number, const std::string& message, Bytes content,
                              const CallContext& context, const std::string& uri,
                              storage::StatusCallback done) {
  const Result<FileDescriptor> copy = is_usable() ? sealed_copy(content) : daemon_gone();
  if (!copy.ok()) {
    done(copy.status());
    return;
  }
  auto answered = [done = std::move(done)](Result<net::LocalMessage> message) mutable {
    done(message.ok() ? decode_answer<std::string>(message->bytes).status() : message.status());
  };
  ask(number, message, context, uri, std::move(answered), *copy);
}

void HostClient::give_part(const DraftPart& part, Bytes content, const CallContext& context,
                           storage::StatusCallback done) {
  const uint64_t number = next_number();
  send_content(number, encode(part, number), content, context, part.uri, std::move(done));
}

void HostClient::end_draft(uint64_t draft) {
  if (is_usable()) {
    connection_->send(bytes_of(encode_header(HostMessage::kEndDraft, draft))).IgnoreError();
  }
}

Result<uint64_t> HostClient::begin_write(const HostBeginWrite& write) {
  if (!is_usable()) {
    return daemon_gone();
  }
  const uint64_t number = next_number();
  if (!connection_->send(bytes_of(encode(write, number))).ok()) {
    return daemon_gone();
  }
  return number;
}

void HostClient::write_part(uint64_t write, const std::string& uri, Bytes content, const CallContext& context,
                            storage::StatusCallback done) {
  const uint64_t number = next_number();
  const HostWritePart part = {
      .write = write, .length_bytes = content.size(), .time_left_ns = time_left(context)};
  send_content(number, encode(part, number), content, context, uri, std::move(done));
}

void HostClient::commit_write(uint64_t write, const std::string& uri, const CallContext& context,
                              storage::StatCallback done) {
  const uint64_t number = next_number();
  const HostCommitWrite commit = {.write = write, .time_left_ns = time_left(context)};
  ask(number, encode(commit, number), context, uri,
      [done = std::move(done)](Result<net::LocalMessage> message) mutable {
        done(message.ok() ? decode_answer<storage::ObjectStat>(message->bytes) : message.status());
      });
}

void HostClient::drop_write(uint64_t write) {
  if (is_usable()) {
    connection_->send(bytes_of(encode_header(HostMessage::kDropWrite, write))).IgnoreError();
  }
}

void HostClient::change(HostChange change, const CallContext& context, storage::StatCallback done) {
  change.time_left_ns = time_left(context);
  const uint64_t number = next_number();
  ask(number, encode(change, number), context, change.uri,
      [done = std::move(done)](Result<net::LocalMessage> message) mutable {
        done(message.ok() ? decode_answer<storage::ObjectStat>(message->bytes) : message.status());
      });
}

}  // namespace forebay::cache
