// Any bytes as a message: it is decoded, or refused; what was decoded is encoded to the same bytes.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "forebay/base/check.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/messages/host_messages.h"

namespace forebay::cache {
namespace {

bool is(const std::string& message, Bytes bytes) {
  return std::ranges::equal(bytes_of(message), bytes);
}

template <class Message>
void check(Bytes message, uint64_t number) {
  if (const Result<Message> decoded = decode<Message>(message); decoded.ok()) {
    // A message may be read as one of another kind; only what follows the header is its own.
    FOREBAY_CHECK(is(encode(*decoded, number).substr(1), message.subspan(1)));
  }
}

template <class Answer>
void check_answer(Bytes message, uint64_t number) {
  if (const Result<Answer> decoded = decode_answer<Answer>(message); decoded.ok()) {
    FOREBAY_CHECK(is(encode_answer(number, *decoded).substr(1), message.subspan(1)));
  } else {
    const Result<Answer> again = decode_answer<Answer>(bytes_of(encode_answer(number, decoded.status())));
    FOREBAY_CHECK(again.status().code() == decoded.status().code());
  }
}

void check_all(Bytes message) {
  const Result<HostHeader> header = decode_header(message);
  if (!header.ok()) {
    return;
  }
  check<Hello>(message, header->number);
  check<OpenStore>(message, header->number);
  check<StatRequest>(message, header->number);
  check<HostReadRequest>(message, header->number);
  check<ChangedObject>(message, header->number);
  check<DraftPart>(message, header->number);
  check<FollowPlan>(message, header->number);
  check<PlanTable>(message, header->number);
  check<PlanCursor>(message, header->number);
  check<PlanWindow>(message, header->number);
  check<HostListRequest>(message, header->number);
  check<HostNextPage>(message, header->number);
  check<HostWalk>(message, header->number);
  check<HostBringRequest>(message, header->number);
  check<HostBeginWrite>(message, header->number);
  check<HostWritePart>(message, header->number);
  check<HostCommitWrite>(message, header->number);
  check<HostChange>(message, header->number);
  check<HostBacklog>(message, header->number);
  check_answer<HostBrought>(message, header->number);
  check_answer<storage::ObjectStat>(message, header->number);
  check_answer<HostBytes>(message, header->number);
  check_answer<HostListPage>(message, header->number);
  check_answer<CacheWalked>(message, header->number);
  check_answer<std::string>(message, header->number);
}

}  // namespace
}  // namespace forebay::cache

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  forebay::cache::check_all(std::as_bytes(std::span(data, size)));
  return 0;
}
