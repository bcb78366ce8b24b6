// What a process asks its daemon about objects: stats, reads, listings, and what is to be brought near.
#include <utility>

#include "forebay/cache/client/host_client.h"
#include "forebay/cache/client/time_left.h"
#include "forebay/cache/disk/word_codec.h"

namespace forebay::cache {

using storage::CallContext;
using storage::ReadBytes;

void HostClient::stat(StatRequest request, const CallContext& context, storage::StatCallback done) {
  request.time_left_ns = time_left(context);
  request.is_for_read = context.is_for_read;
  const uint64_t number = next_number();
  ask(number, encode(request, number), context, request.uri,
      [done = std::move(done)](Result<net::LocalMessage> message) mutable {
        done(message.ok() ? decode_answer<storage::ObjectStat>(message->bytes) : message.status());
      });
}

void HostClient::read(HostReadRequest request, const CallContext& context, storage::ReadCallback done) {
  request.time_left_ns = time_left(context);
  request.priority = static_cast<uint8_t>(context.priority);
  const uint64_t number = next_number();
  ask(number, encode(request, number), context, request.uri,
      [self = shared_from_this(), number, done = std::move(done)](Result<net::LocalMessage> message) mutable {
        done(message.ok() ? self->view_of(number, *std::move(message)) : message.status());
      });
}

void HostClient::list(uint64_t listing, HostListRequest request, const CallContext& context,
                      PageCallback done) {
  request.time_left_ns = time_left(context);
  request.is_for_read = context.is_for_read;
  ask(listing, encode(request, listing), context, request.uri,
      [done = std::move(done)](Result<net::LocalMessage> message) mutable {
        done(message.ok() ? decode_answer<HostListPage>(message->bytes) : message.status());
      });
}

void HostClient::next_page(uint64_t listing, const std::string& uri, const CallContext& context,
                           PageCallback done) {
  const uint64_t number = next_number();
  ask(number, encode(HostNextPage{listing, time_left(context), context.is_for_read}, number), context, uri,
      [done = std::move(done)](Result<net::LocalMessage> message) mutable {
        done(message.ok() ? decode_answer<HostListPage>(message->bytes) : message.status());
      });
}

void HostClient::bring(HostBringRequest request, const CallContext& context, BroughtCallback done) {
  request.time_left_ns = time_left(context);
  request.priority = static_cast<uint8_t>(context.priority);
  const uint64_t number = next_number();
  const size_t expected = request.ranges.size();
  ask(number, encode(request, number), context, request.uri,
      [expected, done = std::move(done)](Result<net::LocalMessage> message) mutable {
        Result<HostBrought> brought =
            message.ok() ? decode_answer<HostBrought>(message->bytes) : message.status();
        if (brought.ok() && brought->ranges.size() != expected) {
          brought = invalid_argument("the cache's daemon answered for {} of {} objects",
                                     brought->ranges.size(), expected);
        }
        done(std::move(brought));
      });
}

void HostClient::end_list(uint64_t listing) {
  if (is_usable()) {
    connection_->send(bytes_of(encode_header(HostMessage::kEndList, listing))).IgnoreError();
  }
}

Result<ReadBytes> HostClient::view_of(uint64_t number, net::LocalMessage message) {
  FOREBAY_ASSIGN_OR_RETURN(HostBytes bytes, decode_answer<HostBytes>(message.bytes));
  return memory_.view_of(std::move(bytes), std::move(message.descriptors),
                         [self = shared_from_this(), number] { self->release(number); });
}

}  // namespace forebay::cache
