#include "forebay/cache/store/flights.h"

#include <algorithm>
#include <stop_token>

#include "forebay/storage/answer.h"

namespace forebay::cache {

using storage::CallContext;
using storage::ReadBytes;
using storage::ReadRequest;

struct Flights::Flight {
  Wanted wanted;
  ByteRange range;
  bool is_chunked = false;
  CallContext context;  // of the read that is under way; under the lock while that waits at the gate
  // Under the lock of the flights:
  enum class Phase { kNew, kAtGate, kUnderWay };
  Phase phase = Phase::kNew;
  std::stop_source stop;
  storage::Priority priority = storage::Priority::kDemand;
  std::optional<CallContext> raised;  // to begin again with
  std::vector<std::shared_ptr<Waiter>> waiters;

  uint64_t expected_bytes() const {
    return range.length_bytes == storage::kToEnd ? kChunkBytes : range.length_bytes;
  }
};

/// A waiter is answered by whoever takes it out of its flight.
struct Flights::Waiter {
  struct Cancel {
    std::shared_ptr<Flights> flights;
    Waiter* waiter;
    void operator()() const { flights->cancel(waiter); }
  };

  std::shared_ptr<Flight> flight;  // null before it has boarded, and once it is answered
  bool is_cancelled = false;       // before it had boarded
  ByteRange wanted;
  CallContext context;
  size_t part = 0;
  PartCallback done;
  std::optional<std::stop_callback<Cancel>> on_stop;
};

bool Flights::covers(const Wanted& wanted, ByteRange range) {
  const MutexLock lock(mutex_);
  return covering(wanted, range) != nullptr;
}

/// A flight that brings all of the range.
std::shared_ptr<Flights::Flight> Flights::covering(const Wanted& wanted, ByteRange range) {
  const ObjectId& object = wanted.object.id;
  for (const uint64_t start : {range.offset_bytes, range.offset_bytes / kChunkBytes * kChunkBytes}) {
    const auto found = flights_.find({object, start});
    if (found == flights_.end()) {
      continue;
    }
    const ByteRange& flown = found->second->range;
    const bool is_to_end = flown.length_bytes == storage::kToEnd;
    const bool is_tail = !is_to_end && found->second->wanted.object_bytes == flown.end_bytes();
    if (is_tail && range.length_bytes == storage::kToEnd) {
      if (range.offset_bytes >= flown.offset_bytes && range.offset_bytes <= flown.end_bytes()) {
        return found->second;
      }
    } else if (is_to_end && wanted.object_bytes && range.end_bytes() <= *wanted.object_bytes) {
      // The size has become known since this one began.
      if (range.offset_bytes >= flown.offset_bytes) {
        return found->second;
      }
    } else if (is_to_end || range.length_bytes == storage::kToEnd) {
      // Whether the one holds the other is not known before it has landed.
      if (flown.offset_bytes == range.offset_bytes && flown.length_bytes == range.length_bytes) {
        return found->second;
      }
    } else if (range.offset_bytes >= flown.offset_bytes && range.end_bytes() <= flown.end_bytes()) {
      return found->second;
    }
  }
  return nullptr;
}

/// A new flight for the part, or the last new one made longer by it.
std::shared_ptr<Flights::Flight> Flights::open_flight(const Wanted& wanted, const WantedPart& part,
                                                      Departures* departures) {
  std::shared_ptr<Flight> flight;
  if (!departures->new_flights.empty() && part.is_chunk) {
    flight = departures->new_flights.back();
  }
  if (flight && flight->range.end_bytes() == part.fetched.offset_bytes) {
    flight->range.length_bytes += part.fetched.length_bytes;
  } else {
    flight = std::make_shared<Flight>(Flight{.wanted = wanted, .range = part.fetched});
    flight->is_chunked = part.is_chunk;
    departures->new_flights.push_back(flight);
  }
  flights_[{wanted.object.id, part.fetched.offset_bytes}] = flight;
  return flight;
}

void Flights::board(const Wanted& wanted, const WantedPart& part, const std::shared_ptr<Waiter>& waiter,
                    Departures* departures) {
  if (waiter->is_cancelled) {
    departures->cancelled.push_back(waiter->part);
    return;
  }
  std::shared_ptr<Flight> flight = covering(wanted, part.wanted);
  if (!flight) {
    // It may have landed since the reader looked.
    Found found;
    if (!wanted.must_go_upstream) {
      found = core_->find(wanted.object, part.wanted, LookUp::kResident);
    }
    if (found) {
      departures->ready.emplace_back(waiter->part, *std::move(found.bytes));
      return;
    }
    flight = open_flight(wanted, part, departures);
    flight->priority = waiter->context.priority;
  }
  if (waiter->context.priority < flight->priority) {
    raise(flight, waiter->context, departures);
  }
  waiter->flight = flight;
  flight->waiters.push_back(waiter);
}

/// What bulk work has read so far is lost; it is a few chunks at most, and often nothing.
void Flights::raise(const std::shared_ptr<Flight>& flight, const CallContext& context,
                    Departures* departures) {
  if (flight->raised || flight->phase == Flight::Phase::kNew) {
    flight->raised = context;  // for when it starts
  } else if (flight->phase == Flight::Phase::kAtGate) {
    flight->context = context;
    flight->context.cancellation = flight->stop.get_token();
    departures->raised.push_back(flight);
  } else if (flight->priority == storage::Priority::kBulk) {
    departures->outdated.push_back(std::exchange(flight->stop, std::stop_source()));
    flight->raised = context;
  } else {
    return;
  }
  flight->priority = context.priority;
}

void Flights::read(const Wanted& wanted, const std::vector<WantedPart>& parts, const CallContext& context,
                   const PartCallback& done) {
  std::vector<std::shared_ptr<Waiter>> waiters;
  for (size_t i = 0; i < parts.size(); ++i) {
    waiters.push_back(std::make_shared<Waiter>());
    Waiter& waiter = *waiters.back();
    waiter.wanted = parts[i].wanted;
    waiter.context = context;
    waiter.part = i;
    waiter.done = done;
    if (context.cancellation.stop_possible()) {
      waiter.on_stop.emplace(context.cancellation, Waiter::Cancel{shared_from_this(), &waiter});
    }
  }
  Departures departures;
  {
    const MutexLock lock(mutex_);
    for (size_t i = 0; i < parts.size(); ++i) {
      board(wanted, parts[i], waiters[i], &departures);
    }
  }
  waiters.clear();
  for (auto& [part, bytes] : departures.ready) {
    done(part, std::move(bytes));
  }
  for (const size_t part : departures.cancelled) {
    done(part, not_wanted(context, wanted.object.uri));
  }
  for (std::stop_source& outdated : departures.outdated) {
    outdated.request_stop();
  }
  for (const std::shared_ptr<Flight>& flight : departures.raised) {
    enter_gate(flight);
  }
  for (const std::shared_ptr<Flight>& flight : departures.new_flights) {
    start(flight, context);
  }
}

void Flights::start(const std::shared_ptr<Flight>& flight, const CallContext& context) {
  {
    const MutexLock lock(mutex_);
    flight->context = flight->raised ? *std::exchange(flight->raised, std::nullopt) : context;
    flight->context.cancellation = flight->stop.get_token();
    flight->phase = Flight::Phase::kAtGate;
  }
  enter_gate(flight);
}

void Flights::enter_gate(const std::shared_ptr<Flight>& flight) {
  const std::shared_ptr<ReadGate>& gate = core_->options().read_gate;
  if (!gate) {
    take_off(flight, {});
    return;
  }
  storage::Priority priority;
  {
    const MutexLock lock(mutex_);
    priority = flight->context.priority;
  }
  gate->enter(flight->expected_bytes(), priority,
              [self = shared_from_this(), flight](ReadGate::Ticket ticket) {
                self->take_off(flight, std::move(ticket));
              });
}

void Flights::take_off(const std::shared_ptr<Flight>& flight, ReadGate::Ticket ticket) {
  CallContext context;
  {
    const MutexLock lock(mutex_);
    if (flight->phase != Flight::Phase::kAtGate) {
      return;  // it was raised, and its other turn came first
    }
    flight->phase = Flight::Phase::kUnderWay;
    context = flight->context;
  }
  ReadRequest request = {.key = flight->wanted.key,
                         .offset_bytes = flight->range.offset_bytes,
                         .length_bytes = flight->range.length_bytes,
                         .if_version = flight->wanted.object.version,
                         .padding_bytes = kZerosBehind,
                         .resource = core_->options().read_into};
  const uint64_t demanded_bytes =
      context.priority == storage::Priority::kDemand ? flight->expected_bytes() : 0;
  demanded_bytes_ += demanded_bytes;
  upstream_->read(std::move(request), context,
                  [self = shared_from_this(), flight, ticket = std::move(ticket),
                   demanded_bytes](Result<ReadBytes> result) {
                    self->note_landed_demand(demanded_bytes, result);
                    self->landed(flight, std::move(result));
                  });
}

void Flights::note_landed_demand(uint64_t bytes, const Result<ReadBytes>& result) {
  demanded_bytes_ -= bytes;
  if (bytes > 0 && result.ok()) {
    demanded_landed_bytes_ += result->size_bytes();
  }
}

void Flights::unregister(const Flight& flight) {
  const uint64_t chunks = flight.is_chunked ? (flight.range.length_bytes + kChunkBytes - 1) / kChunkBytes : 1;
  for (uint64_t chunk = 0; chunk < chunks; ++chunk) {
    const uint64_t start = flight.range.offset_bytes + chunk * kChunkBytes;
    const auto found = flights_.find({flight.wanted.object.id, start});
    if (found != flights_.end() && found->second.get() == &flight) {
      flights_.erase(found);
    }
  }
}

/// Gives what has come to the cache; an error if it is not what was asked for.
Status Flights::keep(const Flight& flight, const ReadBytes& bytes) {
  const bool is_to_end = flight.range.length_bytes == storage::kToEnd;
  if (bytes.version != flight.wanted.object.version ||
      (!is_to_end && bytes.size_bytes() != flight.range.length_bytes)) {
    return unavailable("{}: the store answered {} bytes of version '{}' to a read of {} of version '{}'",
                       flight.wanted.object.uri, bytes.size_bytes(), bytes.version, flight.range.length_bytes,
                       flight.wanted.object.version);
  }
  core_->count_upstream(bytes.size_bytes());
  if (bytes.has_weak_version) {
    return ok_status();
  }
  const uint64_t begin = flight.range.offset_bytes;
  const uint64_t end = begin + bytes.size_bytes();
  Brought brought = {.start_bytes = begin};
  brought.object_bytes = is_to_end ? std::optional(end) : flight.wanted.object_bytes;
  if (!flight.is_chunked && bytes.size_bytes() <= kChunkBytes) {
    core_->insert(flight.wanted.object, brought, part_of(bytes, 0, bytes.size_bytes()));
    return ok_status();
  }
  brought.is_chunk = true;
  for (uint64_t start = begin; start < end && begin % kChunkBytes == 0; start += kChunkBytes) {
    brought.start_bytes = start;
    core_->insert(flight.wanted.object, brought, part_of(bytes, start - begin, kChunkBytes));
  }
  return ok_status();
}

/// If the read ended so that it could be more urgent, it begins again.
bool Flights::start_raised(const std::shared_ptr<Flight>& flight, const Status& error) {
  CallContext raised;
  {
    const MutexLock lock(mutex_);
    if (error.code() != StatusCode::kCancelled || !flight->raised || flight->waiters.empty()) {
      return false;
    }
    raised = *flight->raised;
  }
  start(flight, raised);
  return true;
}

/// If the read ended for the sake of the one who began it, it goes on for the others.
bool Flights::start_again(const std::shared_ptr<Flight>& flight, const Status& error) {
  if (error.code() != StatusCode::kDeadlineExceeded || is_wanted(flight->context)) {
    return false;
  }
  std::vector<std::shared_ptr<Waiter>> late;
  CallContext next;
  {
    const MutexLock lock(mutex_);
    std::vector<std::shared_ptr<Waiter>>& waiters = flight->waiters;
    const auto first_late = std::stable_partition(
        waiters.begin(), waiters.end(), [](const auto& waiter) { return is_wanted(waiter->context); });
    if (first_late == waiters.begin()) {
      return false;
    }
    late.assign(first_late, waiters.end());
    waiters.erase(first_late, waiters.end());
    for (const std::shared_ptr<Waiter>& waiter : late) {
      waiter->flight = nullptr;
    }
    const auto last = std::max_element(waiters.begin(), waiters.end(), [](const auto& a, const auto& b) {
      return a->context.deadline_ns < b->context.deadline_ns;
    });
    next = (*last)->context;
    for (const std::shared_ptr<Waiter>& waiter : waiters) {
      next.priority = std::min(next.priority, waiter->context.priority);
    }
    flight->priority = next.priority;
  }
  for (const std::shared_ptr<Waiter>& waiter : late) {
    waiter->done(waiter->part, not_wanted(waiter->context, flight->wanted.object.uri));
  }
  start(flight, next);
  return true;
}

void Flights::landed(const std::shared_ptr<Flight>& flight, Result<ReadBytes> result) {
  if (!result.ok() && (start_raised(flight, result.status()) || start_again(flight, result.status()))) {
    return;
  }
  if (result.ok()) {
    result->has_weak_version = result->has_weak_version && !is_immutable_;
    if (Status status = keep(*flight, *result); !status.ok()) {
      result = std::move(status);
    }
  }
  std::vector<std::shared_ptr<Waiter>> waiters;
  {
    const MutexLock lock(mutex_);
    unregister(*flight);
    waiters.swap(flight->waiters);
    for (const std::shared_ptr<Waiter>& waiter : waiters) {
      waiter->flight = nullptr;
    }
  }
  for (std::shared_ptr<Waiter>& waiter : waiters) {
    const std::shared_ptr<Waiter> answered = std::move(waiter);
    const ByteRange& range = answered->wanted;
    const uint64_t end = flight->range.offset_bytes + (result.ok() ? result->size_bytes() : 0);
    if (result.ok() && range.length_bytes != storage::kToEnd && range.end_bytes() > end) {
      answered->done(answered->part,
                     unavailable("{}: the store answered {} bytes to a read to the end, which is at {}",
                                 flight->wanted.object.uri, result->size_bytes(), range.end_bytes()));
    } else if (result.ok()) {
      const uint64_t offset = answered->wanted.offset_bytes - flight->range.offset_bytes;
      answered->done(answered->part, part_of(*result, offset, answered->wanted.length_bytes));
    } else {
      answered->done(answered->part, result.status());
    }
  }
  core_->help_writing();
}

void Flights::cancel(Waiter* waiter) {
  std::shared_ptr<Waiter> answered;
  std::shared_ptr<Flight> flight;
  std::optional<std::stop_source> outdated;
  {
    const MutexLock lock(mutex_);
    flight = std::move(waiter->flight);
    if (!flight) {
      waiter->is_cancelled = true;
      return;
    }
    const auto place = std::find_if(flight->waiters.begin(), flight->waiters.end(),
                                    [&](const auto& known) { return known.get() == waiter; });
    answered = std::move(*place);
    flight->waiters.erase(place);
    if (flight->waiters.empty()) {
      outdated = flight->stop;
      unregister(*flight);
    }
  }
  answered->done(answered->part, not_wanted(answered->context, flight->wanted.object.uri));
  if (outdated) {
    outdated->request_stop();
  }
}

}  // namespace forebay::cache
