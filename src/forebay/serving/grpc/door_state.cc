// The token, the limit of requests, and the end of a door.
#include "forebay/serving/grpc/door_state.h"

#include <grpcpp/server_context.h>

#include <utility>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/sync/wait_until.h"
#include "forebay/net/server/field_values.h"

namespace forebay::serving {
namespace {

Status is_closing() {
  return unavailable("the server is stopping and takes no more requests");
}

}  // namespace

Status DoorState::check_token(const grpc::CallbackServerContext& context) const {
  if (options_.token.empty()) {
    return ok_status();
  }
  const auto [begin, end] = context.client_metadata().equal_range("authorization");
  if (begin != end && std::next(begin) == end) {
    if (net::is_bearer({begin->second.data(), begin->second.size()}, options_.token)) {
      return ok_status();
    }
  }
  return Status(StatusCode::kUnauthenticated,
                "the call needs the server's token, as metadata 'authorization: Bearer TOKEN'");
}

Status DoorState::check_open() const {
  const MutexLock lock(mutex_);
  return is_stopping_ ? is_closing() : ok_status();
}

Result<std::shared_ptr<void>> DoorState::take_place(const std::shared_ptr<DoorState>& self) {
  const MutexLock lock(mutex_);
  if (is_stopping_) {
    return is_closing();
  }
  if (requests_ >= options_.max_requests) {
    return resource_exhausted("{} requests are under way, which is this server's limit: send it again later",
                              requests_);
  }
  ++requests_;
  return std::shared_ptr<void>(nullptr, [self](void*) { self->give_place_back(); });
}

void DoorState::give_place_back() {
  const MutexLock lock(mutex_);
  --requests_;
}

Status DoorState::no_room_for(size_t bytes) const {
  return resource_exhausted(
      "there is no room for an answer of {} bytes: {} bytes of answers lie here that clients have not taken, "
      "of which {} are this server's limit; send the request again later",
      bytes, unwritten_->bytes(), options_.max_unread_bytes);
}

DoorState::BegunCall DoorState::begin_call(std::function<void()> drain) {
  const MutexLock lock(mutex_);
  calls_.emplace(next_call_, std::move(drain));
  return {next_call_++, is_stopping_};
}

void DoorState::end_call(uint64_t call) {
  std::function<void()> ended;  // what it owns must not end under the lock
  const MutexLock lock(mutex_);
  const auto found = calls_.find(call);
  ended = std::move(found->second);
  calls_.erase(found);
  if (calls_.empty()) {
    idle_.notify_all();
  }
}

void DoorState::begin_stop() {
  std::vector<std::function<void()>> drains;
  {
    const MutexLock lock(mutex_);
    is_stopping_ = true;
    for (const auto& [call, drain] : calls_) {
      if (drain != nullptr) {
        drains.push_back(drain);
      }
    }
  }
  for (const auto& drain : drains) {
    drain();
  }
}

void DoorState::wait_until_idle(int64_t deadline_ns) {
  UniqueMutexLock lock(mutex_);
  wait_until(idle_, lock, deadline_ns, [this]() FOREBAY_REQUIRES(mutex_) { return calls_.empty(); });
}

}  // namespace forebay::serving
