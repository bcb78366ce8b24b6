// Reading samples. Bytes that are at hand come inline; otherwise the worker is given back, and the read's
// completion has the sample resumed.
//
// Where a store has bytes in memory they are used where they lie: no copy is made, and none of the session's
// memory is reserved. Only when they are not there is memory reserved, and the sample read.
#include <algorithm>
#include <atomic>

#include "forebay/memory/copy.h"
#include "forebay/pipeline/samples/sample_runner.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/uri.h"

namespace forebay::pipeline {
namespace {

// Delivered fields up to this size, labels and the like, are written into the batch's slot instead of being
// shared.
constexpr size_t kSmallFieldBytes = 64;

// The caller of read() and its completion: whichever comes second must continue.
struct ReadFlight {
  std::atomic<bool> is_half_done{false};
  bool is_second() { return is_half_done.exchange(true); }
};

// A sample is identified by what the first reader gave, and so is its position.
void note_origin(SampleJob* job, const Action& action, SampleOrigin origin) {
  origin.object = storage::uri_for_message(origin.object);
  const auto reader = static_cast<size_t>(action.reader);
  job->origins.resize(std::max(job->origins.size(), reader + 1));
  if (reader == 0) {
    job->identity.origin = origin;
  }
  job->origins[reader] = std::move(origin);
}

// Of the moment at which the read is started: a batch that is ahead now may be awaited before its bytes come.
storage::Priority priority_of(const BatchJob& batch) {
  const bool is_awaited = batch.is_awaited.load(std::memory_order_relaxed);
  return is_awaited ? storage::Priority::kDemand : storage::Priority::kPrefetch;
}

bool asks_for_lease(const SampleJob& job, const OpenReader& reader) {
  return reader.may_lease && !job.is_not_resident;
}

bool says_not_resident(const Status& status) {
  return status.code() == StatusCode::kFailedPrecondition || status.code() == StatusCode::kUnimplemented;
}

}  // namespace

Status SampleRunner::open() {
  // Otherwise more has to be known than what is read first: which sample stands in for a broken one, when two
  // readers end, when an epoch has let nothing through.
  const bool may_grow = plan_.sources().size() == 1 && plan_.expands().empty() && plan_.feeds().empty() &&
                        options_.on_error == OnError::kRaise;
  FOREBAY_ASSIGN_OR_RETURN(readers_, open_readers(plan_, may_grow));
  return ok_status();
}

void SampleRunner::set_orders(const std::vector<dataset::Order>& orders) {
  for (size_t i = 0; i < readers_.size(); ++i) {
    readers_[i].whole_order = orders[i];
  }
}

uint64_t SampleRunner::index_to_read(const SampleJob& job, const OpenReader& reader) const {
  const operators::SampleIdentity& identity = job.identity;
  dataset::StreamItem item{static_cast<uint64_t>(identity.epoch), static_cast<uint64_t>(identity.position),
                           0};
  if (identity.stream_index != kNotInStream) {
    item = reader.item_at(static_cast<uint64_t>(identity.stream_index));
  } else {
    item.index = reader.order().index_at(item.epoch, item.position);
  }
  return identity.attempt == 0
             ? item.index
             : reader.order().replacement_index(item.epoch, item.position, identity.attempt);
}

Result<SampleRunner::ReadProgress> SampleRunner::read(const BatchRef& batch, int index, const Action& action,
                                                      SampleOwner& owner) {
  SampleJob& job = batch->samples[index];
  if (job.kept && job.kept->action == &action) {
    dataset::Record record = std::move(job.kept->record);
    job.kept.reset();
    FOREBAY_RETURN_IF_ERROR(take_record(batch.get(), index, action, std::move(record)));
    return ReadProgress::kThere;
  }
  job.kept.reset();  // of a reader that comes later: beside it, this one's might never fit
  for (;;) {
    if (!job.arrived) {
      FOREBAY_ASSIGN_OR_RETURN(const ReadProgress progress, start_read(batch, index, action, owner));
      if (progress == ReadProgress::kUnderWay) {
        return progress;
      }
    }
    Result<dataset::Record> record = *std::exchange(job.arrived, std::nullopt);
    if (asks_for_lease(job, reader_of(action)) && says_not_resident(record.status())) {
      job.is_not_resident = true;
      continue;
    }
    job.is_not_resident = false;
    times_of(action).count.fetch_add(1, std::memory_order_relaxed);
    FOREBAY_RETURN_IF_ERROR(record.status());
    FOREBAY_RETURN_IF_ERROR(take_record(batch.get(), index, action, *std::move(record)));
    return ReadProgress::kThere;
  }
}

// When it is there, job.arrived has it.
Result<SampleRunner::ReadProgress> SampleRunner::start_read(const BatchRef& batch, int index,
                                                            const Action& action, SampleOwner& owner) {
  SampleJob& job = batch->samples[index];
  const OpenReader& reader = reader_of(action);
  const auto wanted = static_cast<int64_t>(index_to_read(job, reader));
  FOREBAY_ASSIGN_OR_RETURN(const dataset::SampleLocation location, reader.source->locate(wanted));
  note_origin(&job, action, location.origin());
  dataset::ReadFlags flags;
  flags.may_be_view = true;
  flags.only_resident = asks_for_lease(job, reader);
  flags.context = reads_.context(priority_of(*batch));
  Reservation reservation;
  if (!flags.only_resident) {
    FOREBAY_ASSIGN_OR_RETURN(reservation, gate_.reserve(location.head_bytes.value_or(location.length_bytes)));
  }
  const bool is_for_head = location.head_bytes.has_value();
  if (is_for_head) {
    flags.reserve = [this](uint64_t bytes) { return gate_.reserve(bytes); };
  }
  job.waiting_since_ns = now_ns();
  auto flight = std::make_shared<ReadFlight>();
  reader.source->read(wanted, flags,
                      [this, owner = owner.shared_from_this(), batch, index, flight, &action, is_for_head,
                       reservation = std::move(reservation)](Result<dataset::Record> record) mutable {
                        SampleJob& job = batch->samples[index];
                        const int64_t taken_ns = now_ns() - job.waiting_since_ns;
                        if (!is_for_head && record.ok() && !record->fields.empty()) {
                          record->fields[0].buffer()->attach(std::exchange(reservation, {}));
                        }
                        reservation.release();  // before another worker goes on with the sample
                        job.arrived = std::move(record);
                        if (flight->is_second()) {
                          read_wait_ns_.fetch_add(taken_ns, std::memory_order_relaxed);
                          owner->resume(batch, index);
                        } else {
                          times_of(action).time_ns.fetch_add(taken_ns, std::memory_order_relaxed);
                        }
                      });
  return flight->is_second() ? ReadProgress::kThere : ReadProgress::kUnderWay;
}

Status SampleRunner::take_record(BatchJob* batch, int index, const Action& action, dataset::Record record) {
  SampleJob& job = batch->samples[index];
  if (action.op->decodes_records()) {
    note_origin(&job, action, record.origin);
    const Status decoded = decode_record(batch, index, action, record);
    if (is_memory_refusal(decoded)) {
      job.kept = {&action, std::move(record)};
    }
    return decoded;
  }
  if (record.fields.size() != action.outputs.size()) {
    return internal_error("the reader gave {} fields for {} outputs", record.fields.size(),
                          action.outputs.size());
  }
  note_origin(&job, action, std::move(record.origin));
  for (size_t field = 0; field < record.fields.size(); ++field) {
    tensor::Tensor& from = record.fields[field];
    const int slot = output_slot(batch->phase, action.outputs[field]);
    if (slot >= 0 && from.size_bytes() <= kSmallFieldBytes) {
      const auto make = [this](const tensor::TensorSpec& spec) { return gate_.make_tensor(spec); };
      FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor placed, batch->slots[slot].acquire(index, from.spec(), make));
      std::ranges::copy(from.bytes(), static_cast<std::byte*>(placed.mutable_data()));
      from = std::move(placed);
    } else if (slot >= 0 && from.buffer()->is_read_only()) {
      FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor own, gate_.make_tensor(from.spec()));
      memory::copy(own.mutable_data(), from.data(), from.size_bytes());
      from = std::move(own);
    }
    job.values[action.outputs[field]] = std::move(from);
  }
  return ok_status();
}

}  // namespace forebay::pipeline
