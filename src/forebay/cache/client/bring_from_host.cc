#include "forebay/cache/client/bring_from_host.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "forebay/cache/entries/object_name.h"

namespace forebay::cache {
namespace {

using storage::BringOutcome;
using storage::BringRequest;

constexpr size_t kMaxMessageNameBytes = 2 * kMaxNameBytes;  // with numbers and prefix less than a message
constexpr size_t kMaxVersionTextBytes = 1024;

/// One call: its requests, and whom to answer.
struct Call {
  std::vector<BringRequest> requests;
  Mutex mutex;
  storage::BringManyCallback each FOREBAY_GUARDED_BY(mutex);

  void answer(size_t request, Result<BringOutcome> outcome) {
    const MutexLock lock(mutex);
    each(request, std::move(outcome));
  }
};

/// Requests of one message: numbers of the call's requests, and what their keys begin with.
struct Batch {
  std::vector<size_t> numbers;
  std::string_view prefix;
  size_t name_bytes = 0;
  bool is_verified = false;
};

std::string_view folder_of(std::string_view key) {
  return key.substr(0, key.rfind('/') + 1);
}

/// What both begin with, up to a slash.
std::string_view shared_folder(std::string_view prefix, std::string_view key) {
  const size_t length = static_cast<size_t>(
      std::mismatch(prefix.begin(), prefix.end(), key.begin(), key.end()).first - prefix.begin());
  return folder_of(prefix.substr(0, length));
}

bool fits(const Batch& batch, const BringRequest& request) {
  return batch.numbers.size() < kMaxBroughtTogether && batch.is_verified == request.is_verified &&
         batch.name_bytes + request.key.size() + request.version.size() <= kMaxMessageNameBytes;
}

void add(Batch* batch, size_t number, const BringRequest& request) {
  batch->prefix = batch->numbers.empty() ? folder_of(request.key) : shared_folder(batch->prefix, request.key);
  batch->numbers.push_back(number);
  batch->name_bytes += request.key.size() + request.version.size();
  batch->is_verified = request.is_verified;
}

HostBringRequest message_of(const Call& call, const Batch& batch, const storage::ObjectStore& names,
                            uint32_t store) {
  HostBringRequest message = {
      .store = store, .uri = names.uri_of(batch.prefix), .is_verified = batch.is_verified};
  for (const size_t number : batch.numbers) {
    const BringRequest& request = call.requests[number];
    message.ranges.push_back({.name = request.key.substr(batch.prefix.size()),
                              .version = request.version,
                              .object_bytes = request.object_bytes,
                              .offset_bytes = request.offset_bytes,
                              .length_bytes = request.length_bytes});
  }
  return message;
}

void take_answer(Call& call, const std::vector<size_t>& numbers, Result<HostBrought> brought) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!brought.ok() || !brought->ranges[i].status.ok()) {
      call.answer(numbers[i], brought.ok() ? brought->ranges[i].status : brought.status());
    } else {
      call.answer(numbers[i], brought->ranges[i].was_there ? BringOutcome::kWasThere : BringOutcome::kCame);
    }
  }
}

/// Whether the daemon would know the object by its URI, and the message would have room.
bool can_be_named(const storage::ObjectStore& names, const BringRequest& request) {
  return request.key.size() <= kMaxNameBytes / 4 && request.version.size() <= kMaxVersionTextBytes &&
         !may_hide_a_part(names.uri_of(request.key), request.key);
}

}  // namespace

void bring_from_host(const StoreAtHost::Place& host, const std::shared_ptr<storage::ObjectStore>& names,
                     std::vector<BringRequest> requests, const storage::CallContext& context,
                     storage::BringManyCallback each) {
  if (!host.client) {
    for (size_t i = 0; i < requests.size(); ++i) {
      each(i, daemon_gone("no daemon serves this host's cache"));
    }
    return;
  }
  const auto call = std::make_shared<Call>();
  call->requests = std::move(requests);
  {
    const MutexLock lock(call->mutex);
    call->each = std::move(each);
  }
  Batch batch;
  const auto send = [&] {
    if (!batch.numbers.empty()) {
      host.client->bring(message_of(*call, batch, *names, host.store), context,
                         [call, numbers = batch.numbers](Result<HostBrought> brought) {
                           take_answer(*call, numbers, std::move(brought));
                         });
    }
    batch = {};
  };
  for (size_t i = 0; i < call->requests.size(); ++i) {
    const BringRequest& request = call->requests[i];
    if (!can_be_named(*names, request)) {
      call->answer(i,
                   failed_precondition("{}: its name is too long, or has a part that may be secret, so the "
                                       "host's cache cannot be asked for it",
                                       names->uri_of(request.key)));
      continue;
    }
    if (!fits(batch, request)) {
      send();
    }
    add(&batch, i, request);
  }
  send();
}

}  // namespace forebay::cache
