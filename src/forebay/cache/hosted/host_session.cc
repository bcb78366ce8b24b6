#include "forebay/cache/hosted/host_session.h"

#include <limits>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "forebay/base/clock.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/hosted/host_status.h"
#include "forebay/cache/messages/cache_trouble.h"
#include "forebay/cache/messages/host_network.h"
#include "forebay/storage/remote/open_stores.h"

namespace forebay::cache {
namespace {

using storage::CallContext;
using storage::kNoDeadline;
using storage::Priority;
using storage::ReadBytes;

int64_t deadline_after(int64_t time_left_ns) {
  const int64_t now = steady_clock().now_ns();
  return time_left_ns > std::numeric_limits<int64_t>::max() - now ? kNoDeadline : now + time_left_ns;
}

}  // namespace

Status HostSession::take(net::LocalMessage message) {
  const Bytes bytes = message.bytes;
  FOREBAY_ASSIGN_OR_RETURN(const HostHeader header, decode_header(bytes));
  if (!has_greeted_ && header.kind != HostMessage::kHello) {
    return invalid_argument("a process that does not say which protocol it speaks");
  }
  const bool looks = header.kind == HostMessage::kStatistics;
  has_looked_ = has_looked_ || looks;
  has_worked_ = has_worked_ || (!looks && header.kind != HostMessage::kHello);
  switch (header.kind) {
    case HostMessage::kHello:
      return take_hello(bytes);
    case HostMessage::kOpenStore:
      return take_open_store(bytes);
    case HostMessage::kStat:
      return take_stat(header.number, bytes);
    case HostMessage::kRead:
      return take_read(header.number, bytes);
    case HostMessage::kChanged:
      return take_changed(std::move(message));
    case HostMessage::kCancel:
      take_cancel(header.number);
      return ok_status();
    case HostMessage::kRelease:
      take_release(header.number);
      return ok_status();
    case HostMessage::kStatistics:
      return connection_->send(bytes_of(encode_answer(header.number, host_status(*stores_))));
    case HostMessage::kBring:
      return take_bring(header.number, bytes);
    case HostMessage::kList:
      return take_list(header.number, bytes);
    case HostMessage::kNextPage:
      return take_next_page(header.number, bytes);
    case HostMessage::kEndList:
      listings_.erase(header.number);
      return ok_status();
    case HostMessage::kWalk:
      return take_walk(header.number, bytes);
    case HostMessage::kRules:
      take_rules(header.number);
      return ok_status();
    case HostMessage::kDraftPart:
      return take_draft_part(header.number, std::move(message));
    case HostMessage::kEndDraft:
      drafts_.drop(header.number);
      return ok_status();
    case HostMessage::kBeginWrite:
    case HostMessage::kWritePart:
    case HostMessage::kCommitWrite:
    case HostMessage::kDropWrite:
    case HostMessage::kChange:
    case HostMessage::kBacklog:
      return take_write_message(header, std::move(message));
    case HostMessage::kPlan:
    case HostMessage::kTable:
    case HostMessage::kPlanWindow:
    case HostMessage::kCursor:
    case HostMessage::kEndPlan:
      return take_plan_message(header, std::move(message));
    case HostMessage::kForgetRange:
      ranges_->forget(header.number);
      return ok_status();
    case HostMessage::kAnswer:
    case HostMessage::kWantTable:
      break;
  }
  return invalid_argument("a message that only the daemon sends");
}

Status HostSession::take_plan_message(HostHeader header, net::LocalMessage message) {
  switch (header.kind) {
    case HostMessage::kPlan:
      return take_plan(header.number, message.bytes);
    case HostMessage::kTable: {
      FOREBAY_ASSIGN_OR_RETURN(const PlanTable table, decode<PlanTable>(message.bytes));
      plans_.take_table(header.number, table, std::move(message.descriptors));
      return ok_status();
    }
    case HostMessage::kPlanWindow: {
      FOREBAY_ASSIGN_OR_RETURN(const PlanWindow window, decode<PlanWindow>(message.bytes));
      return plans_.take_window(header.number, window);
    }
    case HostMessage::kCursor: {
      FOREBAY_ASSIGN_OR_RETURN(const PlanCursor cursor, decode<PlanCursor>(message.bytes));
      plans_.take_cursor(header.number, cursor.cursor);
      return ok_status();
    }
    default:
      plans_.take_end(header.number);
      return ok_status();
  }
}

Status HostSession::take_plan(uint64_t number, Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(FollowPlan plan, decode<FollowPlan>(message));
  const Result<std::shared_ptr<const OpenStore>> settings = settings_of(plan.store, plan.uri);
  if (settings.ok()) {
    plans_.take_plan(number, std::move(plan), **settings);
  }
  return ok_status();
}

// A process of another version, or of another network, is told ours, and goes its way without the cache.
Status HostSession::take_hello(Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(const Hello hello, decode<Hello>(message));
  if (has_greeted_) {
    return invalid_argument("a process that greets twice");
  }
  const Hello ours{.network = network_of_process()};
  has_greeted_ = hello.protocol == ours.protocol && hello.network == ours.network;
  if (!has_greeted_) {
    return connection_->send(bytes_of(encode(ours)));
  }
  FOREBAY_ASSIGN_OR_RETURN(ReaderToken token, ReaderToken::make());
  FOREBAY_ASSIGN_OR_RETURN(std::vector<FileDescriptor> tokens, stores_->cache().core()->reader_tokens());
  token_ = std::move(token.of_daemon);
  tokens.push_back(std::move(token.of_process));
  std::vector<int> numbers;
  for (const FileDescriptor& each : tokens) {
    numbers.push_back(each.get());
  }
  return connection_->send(bytes_of(encode(ours)), numbers);
}

Status HostSession::take_open_store(Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(OpenStore open, decode<OpenStore>(message));
  open.use.identity = storage::settings_identity(open.use.options, *open.use.variables);
  const MutexLock lock(mutex_);
  if (settings_.size() >= kMaxStores) {
    return resource_exhausted("more than {} stores of one process", kMaxStores);
  }
  const uint32_t store = open.store;
  settings_.insert_or_assign(store, std::make_shared<const OpenStore>(std::move(open)));
  return ok_status();
}

Result<std::shared_ptr<const OpenStore>> HostSession::settings_of(uint32_t store, const std::string& uri) {
  const MutexLock lock(mutex_);
  const auto found = settings_.find(store);
  if (found == settings_.end()) {
    return failed_precondition("{}: its store was not opened", uri);
  }
  return found->second;
}

Result<CachedAddress> HostSession::find(uint32_t store, const std::string& uri) {
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<const OpenStore> settings, settings_of(store, uri));
  return stores_->find(uri, *settings);
}

Result<CallContext> HostSession::begin(uint64_t number, int64_t time_left_ns, Priority priority,
                                       const std::string& what) {
  const MutexLock lock(mutex_);
  if (calls_.size() >= kMaxCalls || leases_.size() >= kMaxLeases) {
    return resource_exhausted("one process has {} calls under way and looks at the bytes of {} reads",
                              calls_.size(), leases_.size());
  }
  CallContext context;
  UnderWay& call = calls_[number];
  call.since_ns = steady_clock().now_ns();
  call.what = what;
  context.cancellation = call.stop.get_token();
  context.priority = priority;
  context.deadline_ns = deadline_after(time_left_ns);
  context.who = caller_;
  return context;
}

void HostSession::answer(uint64_t number, const std::string& message) {
  {
    const MutexLock lock(mutex_);
    calls_.erase(number);
  }
  connection_->send(bytes_of(message))
      .IgnoreError();  // a connection that has ended is taken care of by end()
}

std::optional<HostSession::Call> HostSession::take_on(uint64_t number, uint32_t store, const std::string& uri,
                                                      int64_t time_left_ns, Priority priority,
                                                      bool may_go_past) {
  Result<CachedAddress> address = find(store, uri);
  Result<CallContext> context = begin(number, time_left_ns, priority, uri);
  if (!address.ok() || !context.ok()) {
    // What keeps the daemon from opening a store may be no trouble of the process's.
    const Status refusal = address.ok() ? context.status() : address.status();
    answer(number, encode_answer(number, may_go_past ? cache_trouble(refusal) : refusal));
    return std::nullopt;
  }
  return Call{*std::move(address), *std::move(context)};
}

Status HostSession::take_stat(uint64_t number, Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(const StatRequest request, decode<StatRequest>(message));
  std::optional<Call> call =
      take_on(number, request.store, request.uri, request.time_left_ns, Priority::kDemand);
  if (call) {
    call->context.is_for_read = request.is_for_read;
    call->address.front->stat(std::move(call->address.key), call->context,
                              [self = shared_from_this(), number](Result<storage::ObjectStat> stat) {
                                self->answer(number, encode_answer(number, stat));
                              });
  }
  return ok_status();
}

Status HostSession::take_read(uint64_t number, Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(HostReadRequest request, decode<HostReadRequest>(message));
  std::optional<Call> call =
      take_on(number, request.store, request.uri, request.time_left_ns, priority_of(request.priority));
  if (!call) {
    return ok_status();
  }
  storage::ReadRequest read = {.key = std::move(call->address.key),
                               .offset_bytes = request.offset_bytes,
                               .length_bytes = request.length_bytes,
                               .if_version = std::move(request.if_version)};
  read.only_resident = request.only_resident;
  read.wants_file = request.wants_file;
  read.object_bytes = request.object_bytes;
  call->address.front->read(
      std::move(read), call->context,
      [self = shared_from_this(), number, is_lease = request.only_resident](Result<ReadBytes> bytes) {
        self->answer_read(number, is_lease, std::move(bytes));
      });
  return ok_status();
}

Status HostSession::take_list(uint64_t number, Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(const HostListRequest request, decode<HostListRequest>(message));
  if (listings_.contains(number)) {
    return invalid_argument("a listing with the number of another");
  }
  std::optional<Call> call =
      take_on(number, request.store, request.uri, request.time_left_ns, Priority::kDemand);
  if (!call) {
    return ok_status();
  }
  if (listings_.size() >= kMaxListings) {
    answer(number, encode_answer(number, resource_exhausted("{} listings of one process", kMaxListings)));
    return ok_status();
  }
  const auto listing = std::make_shared<HostListing>(std::move(call->address), request);
  listings_.emplace(number, listing);
  call->context.is_for_read = request.is_for_read;
  list_on(number, *listing, call->context);
  return ok_status();
}

Status HostSession::take_next_page(uint64_t number, Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(const HostNextPage request, decode<HostNextPage>(message));
  const auto listing = listings_.find(request.listing);
  Result<CallContext> context = begin(number, request.time_left_ns, Priority::kDemand, "a page of a listing");
  if (listing == listings_.end() || !context.ok()) {
    const Status why = context.ok() ? failed_precondition("a listing that was not opened") : context.status();
    answer(number, encode_answer(number, why));
  } else {
    context->is_for_read = request.is_for_read;
    list_on(number, *listing->second, *context);
  }
  return ok_status();
}

void HostSession::list_on(uint64_t number, HostListing& listing, const CallContext& context) {
  listing.next(context, [self = shared_from_this(), number](const Result<HostListPage>& page) {
    self->answer(number, encode_answer(number, page));
  });
}

void HostSession::take_cancel(uint64_t number) {
  std::stop_source stop(std::nostopstate);
  {
    const MutexLock lock(mutex_);
    const auto found = calls_.find(number);
    if (found == calls_.end()) {
      return;
    }
    stop = found->second.stop;
  }
  stop.request_stop();
}

void HostSession::end() {
  plans_.end();
  ranges_->end();
  drafts_.drop_all();
  writes_.drop_all();
  std::unordered_map<uint64_t, UnderWay> calls;
  std::unordered_map<uint64_t, std::shared_ptr<const void>> leases;
  {
    const MutexLock lock(mutex_);
    has_ended_ = true;
    calls.swap(calls_);
    leases.swap(leases_);
  }
  for (auto& [number, call] : calls) {
    call.stop.request_stop();
  }
  KeptLeases::Leases owners;
  for (auto& [number, owner] : leases) {
    owners.push_back(std::move(owner));
  }
  stores_->kept_leases().keep(std::move(token_), std::move(owners));
}

}  // namespace forebay::cache
