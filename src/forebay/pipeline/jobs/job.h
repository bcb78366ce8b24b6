// The state of one batch in progress, and of each of its samples.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "forebay/base/budget/budget.h"
#include "forebay/dataset/source.h"
#include "forebay/engine/engine.h"
#include "forebay/operators/sample.h"
#include "forebay/pipeline/jobs/batch_kind.h"
#include "forebay/pipeline/jobs/groups.h"
#include "forebay/pipeline/jobs/position.h"
#include "forebay/pipeline/jobs/slots.h"
#include "forebay/pipeline/session/border.h"
#include "forebay/tensor/tensor.h"

namespace forebay::pipeline {

class DeviceWork;
struct Action;

/// SampleIdentity::stream_index of a sample that belongs to another rank and is replayed here.
inline constexpr int64_t kNotInStream = -1;

/// Of one sample, in a block of memory of their own only where there are many.
using Tensors = absl::InlinedVector<tensor::Tensor, 2>;

/// An error that did not end the batch, and how it was handled.
struct SampleFault {
  Status error;
  std::string action;
};

/// What a function of the user gave one sample.
struct GivenKind {
  const Action* action = nullptr;  // of the plan
  int value = 0;
  SampleKind kind;
};

/// The inputs of an expand operator for one sample; its copies are made from them one at a time, when they
/// are needed.
struct Expansion {
  Tensors inputs;
  Tensors arguments;
};

/// What a reader's source has read, of which its operator could not make a sample for want of memory.
struct KeptRecord {
  const Action* action = nullptr;  // the reader's
  dataset::Record record;
};

/// Owned by whoever runs the sample at the moment: a task, a read or a device's work under way, or the
/// session while it is parked.
struct SampleJob {
  operators::SampleIdentity identity;
  bool is_padding = false;
  bool is_replacement = false;
  std::vector<SampleOrigin> origins;               // origins of the readers' records, by reader number
  Tensors values;                                  // by value number; invalid if not computed (yet)
  std::vector<std::pair<int, SampleKind>> merged;  // the results of merges of conditionals: node, kind
  std::vector<GivenKind> given;                    // what functions of the user gave it
  size_t step = 0;                                 // of its phase; ahead of its batch between two barriers
  size_t next_action = 0;                          // within that step
  Status error;                                    // permanently broken
  bool ends_batch = false;  // the error is the whole batch's, or not the sample's own: no policy skips it
  // Errors of samples that this one replaces, and of samples dropped before it.
  std::vector<SampleFault> faults;
  std::optional<Result<dataset::Record>> arrived;  // the result of a read, until the reader's action takes it
  std::optional<KeptRecord> kept;  // while it is parked, unless others need its memory: it is not read again
  bool is_not_resident = false;    // what is being read: that it lies in memory was asked, and is not so
  int64_t copies = 0;  // at the end of a phase: how many samples the expand operator makes of this one
  int64_t copy = 0;    // in the next phase: which of these copies this is
  // In the next phase: where the batch that it comes from begins, and how many samples that batch let through
  // before its first copy.
  std::shared_ptr<const Position> origin;
  int64_t let_through_before = 0;
  bool has_more = false;                       // other copies of the first phase's sample follow it
  std::shared_ptr<const Expansion> expansion;  // shared by the copies
  std::shared_ptr<DeviceWork> device;          // what is under way on its queue of the device
  int64_t waiting_since_ns = 0;                // while parked or reading
};

struct BatchJob {
  BatchJob(int samples, int num_values, size_t num_outputs) : samples(samples), slots(num_outputs) {
    for (SampleJob& sample : this->samples) {
      sample.values.resize(num_values);
    }
  }

  int phase = 0;
  int64_t iteration = 0;     // in its phase
  Position before;           // to make this batch again
  Position after;            // once it was delivered; with feeds, known when they have given their data
  int64_t stream_begin = 0;  // in the first phase's stream; for errors and the order of tasks
  int64_t stream_end = 0;
  size_t step = 0;                              // of its phase: the last barrier, or the first step behind it
  std::atomic<int> remaining{0};                // samples that have not come to the next barrier
  std::vector<std::unique_ptr<Groups>> groups;  // by step; there from the first sample task before it on
  std::atomic<bool> has_run_in_order{false};    // a function of the user has seen some of its samples
  std::vector<SampleJob> samples;
  std::vector<OutputSlots> slots;  // by delivered output
  Status error;                    // an error of the whole batch: a barrier failed
  bool is_end = false;             // a feed's data ended here: there is nothing to deliver
  // Guarded by the schedule's mutex; the batch ends the epoch in any case, because a new one was begun.
  bool is_past_end = false;
  bool has_begun = false;               // guarded by the schedule's mutex; its first step was started
  std::atomic<bool> is_awaited{false};  // it is the next to be handed over, or what that is made of
  bool is_complete = false;             // guarded by the schedule's mutex
  engine::Variable ready;
  engine::Completion done;
};

using BatchRef = std::shared_ptr<BatchJob>;

}  // namespace forebay::pipeline
