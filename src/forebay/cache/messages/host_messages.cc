#include "forebay/cache/messages/host_messages.h"

#include <algorithm>
#include <utility>

#include "forebay/cache/messages/host_message_codec.h"

namespace forebay::cache {
namespace {

// The fields of each message. Encoding and decoding both go through these lists.

void list_fields(auto& fields, Lists<Hello> auto& hello) {
  fields(hello.protocol, hello.network);
}

void list_fields(auto& fields, Lists<OpenStore> auto& open) {
  auto& use = open.use;
  fields(open.store, open.trusted_ns, use.is_immutable, use.options, use.variables, use.write_back_mount,
         use.write_back_bytes);
}

void list_fields(auto& fields, Lists<StatRequest> auto& request) {
  fields(request.store, request.time_left_ns, request.is_for_read, request.uri);
}

void list_fields(auto& fields, Lists<HostReadRequest> auto& request) {
  fields(request.store, request.offset_bytes, request.length_bytes, request.only_resident, request.wants_file,
         request.priority, request.time_left_ns, request.uri, request.if_version, request.object_bytes);
}

void list_fields(auto& fields, Lists<ChangedObject> auto& changed) {
  fields(changed.store, changed.uri, changed.stat, changed.draft);
}

void list_fields(auto& fields, Lists<DraftPart> auto& part) {
  fields(part.store, part.uri, part.draft, part.offset_bytes, part.length_bytes);
}

void list_fields(auto& fields, Lists<HostBeginWrite> auto& write) {
  fields(write.store, write.uri, write.if_version, write.if_absent);
}

void list_fields(auto& fields, Lists<HostWritePart> auto& part) {
  fields(part.write, part.length_bytes, part.time_left_ns);
}

void list_fields(auto& fields, Lists<HostCommitWrite> auto& commit) {
  fields(commit.write, commit.time_left_ns);
}

void list_fields(auto& fields, Lists<HostChange> auto& change) {
  fields(change.store, change.kind, change.uri, change.to, change.if_version, change.if_absent,
         change.time_left_ns);
}

void list_fields(auto& fields, Lists<HostBacklog> auto& backlog) {
  fields(backlog.uri, backlog.hurries);
}

void list_fields(auto& fields, Lists<HostBytes> auto& bytes) {
  fields(bytes.version, bytes.inline_bytes, bytes.range, bytes.range_bytes, bytes.range_zeros,
         bytes.offset_bytes, bytes.length_bytes, bytes.readable_behind, bytes.has_file, bytes.is_whole_file,
         bytes.has_weak_version);
}

void list_fields(auto& fields, Lists<FollowPlan> auto& plan) {
  fields(plan.store, plan.uri, plan.table, plan.begin, plan.end, plan.reader_window, plan.order);
}

void list_fields(auto& fields, Lists<PlanTable> auto& table) {
  fields(table.bytes);
}

void list_fields(auto& fields, Lists<PlanCursor> auto& cursor) {
  fields(cursor.cursor);
}

void list_fields(auto& fields, Lists<PlanWindow> auto& window) {
  fields(window.first, window.count, window.ranges);
}

void list_fields(auto& fields, Lists<HostListRequest> auto& request) {
  fields(request.store, request.uri, request.delimiter, request.start_after, request.page_entries,
         request.names_only, request.time_left_ns, request.is_for_read);
}

void list_fields(auto& fields, Lists<HostNextPage> auto& request) {
  fields(request.listing, request.time_left_ns, request.is_for_read);
}

void list_fields(auto& fields, Lists<HostListPage> auto& page) {
  fields(page.objects, page.prefixes, page.is_last);
}

void list_fields(auto& fields, Lists<HostWalk> auto& walk) {
  fields(walk.piece.kind, walk.piece.uri, walk.piece.begin, walk.piece.end);
}

void list_fields(auto& fields, Lists<CacheWalked> auto& walked) {
  fields(walked.next, walked.end, walked.entries, walked.bytes, walked.dropped, walked.dropped_bytes,
         walked.pinned, walked.unreadable);
}

void list_fields(auto& fields, Lists<HostBringRequest> auto& request) {
  fields(request.store, request.uri, request.is_verified, request.priority, request.time_left_ns,
         request.ranges);
}

void list_fields(auto& fields, Lists<HostBrought> auto& brought) {
  fields(brought.ranges);
}

void list_fields(auto& fields, Lists<std::string> auto& text) {
  fields(text);
}

}  // namespace

storage::Priority priority_of(uint8_t number) {
  constexpr auto kLeast = static_cast<uint8_t>(storage::Priority::kBulk);
  return static_cast<storage::Priority>(std::min(number, kLeast));
}

Result<HostHeader> decode_header(Bytes message) {
  if (message.size() < kHostHeaderBytes) {
    return invalid_argument("a message of {} bytes", message.size());
  }
  WordReader words(message);
  const auto kind = words.take<uint8_t>();
  if (kind < static_cast<uint8_t>(HostMessage::kHello) || kind > static_cast<uint8_t>(kLastHostMessage)) {
    return invalid_argument("a message of the unknown kind {}", kind);
  }
  return HostHeader{static_cast<HostMessage>(kind), words.take<uint64_t>()};
}

std::string encode_header(HostMessage kind, uint64_t number) {
  return MessageWriter(kind, number).take();
}

template <class Message>
std::string encode(const Message& message, uint64_t number) {
  MessageWriter writer(Message::kKind, number);
  list_fields(writer, message);
  return writer.take();
}

template <class Message>
Result<Message> decode(Bytes message) {
  MessageReader reader(message);
  Message decoded;
  list_fields(reader, decoded);
  FOREBAY_RETURN_IF_ERROR(reader.end());
  return decoded;
}

std::string encode_answer(uint64_t number, const Status& status) {
  MessageWriter writer(HostMessage::kAnswer, number);
  writer(status);
  return writer.take();
}

template <class Answer>
std::string encode_answer(uint64_t number, const Answer& answer) {
  MessageWriter writer(HostMessage::kAnswer, number);
  writer(ok_status());
  list_fields(writer, answer);
  return writer.take();
}

template <class Answer>
Result<Answer> decode_answer(Bytes message) {
  MessageReader reader(message);
  Status status;
  Answer answer;
  reader(status);
  if (status.ok()) {
    list_fields(reader, answer);
  }
  FOREBAY_RETURN_IF_ERROR(reader.end());
  FOREBAY_RETURN_IF_ERROR(status);
  return answer;
}

#define FOREBAY_HOST_MESSAGE(Message)                    \
  template std::string encode(const Message&, uint64_t); \
  template Result<Message> decode(Bytes)

#define FOREBAY_HOST_ANSWER(Answer)                            \
  template std::string encode_answer(uint64_t, const Answer&); \
  template Result<Answer> decode_answer(Bytes)

FOREBAY_HOST_MESSAGE(Hello);
FOREBAY_HOST_MESSAGE(OpenStore);
FOREBAY_HOST_MESSAGE(StatRequest);
FOREBAY_HOST_MESSAGE(HostReadRequest);
FOREBAY_HOST_MESSAGE(ChangedObject);
FOREBAY_HOST_MESSAGE(DraftPart);
FOREBAY_HOST_MESSAGE(FollowPlan);
FOREBAY_HOST_MESSAGE(PlanTable);
FOREBAY_HOST_MESSAGE(PlanCursor);
FOREBAY_HOST_MESSAGE(PlanWindow);
FOREBAY_HOST_MESSAGE(HostListRequest);
FOREBAY_HOST_MESSAGE(HostNextPage);
FOREBAY_HOST_MESSAGE(HostWalk);
FOREBAY_HOST_MESSAGE(HostBringRequest);
FOREBAY_HOST_MESSAGE(HostBeginWrite);
FOREBAY_HOST_MESSAGE(HostWritePart);
FOREBAY_HOST_MESSAGE(HostCommitWrite);
FOREBAY_HOST_MESSAGE(HostChange);
FOREBAY_HOST_MESSAGE(HostBacklog);

FOREBAY_HOST_ANSWER(storage::ObjectStat);
FOREBAY_HOST_ANSWER(HostBytes);
FOREBAY_HOST_ANSWER(HostListPage);
FOREBAY_HOST_ANSWER(CacheWalked);
FOREBAY_HOST_ANSWER(HostBrought);
FOREBAY_HOST_ANSWER(std::string);

}  // namespace forebay::cache
