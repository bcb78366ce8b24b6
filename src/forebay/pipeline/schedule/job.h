// The state of one batch under way, and of each of its samples.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/budget.h"
#include "forebay/dataset/source.h"
#include "forebay/engine/engine.h"
#include "forebay/operators/sample.h"
#include "forebay/pipeline/border.h"
#include "forebay/pipeline/delivery/batch_kind.h"
#include "forebay/pipeline/delivery/slots.h"
#include "forebay/pipeline/schedule/groups.h"
#include "forebay/tensor/tensor.h"

namespace forebay::pipeline {

class DeviceWork;
struct Action;

/// SampleIdentity::stream_index of a sample that another rank reads, replayed here.
inline constexpr int64_t kNotInStream = -1;

/// An error that did not end the batch, and what was done about it.
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

/// What an expand operator was given: its copies are made of this, one by one, when they are wanted.
struct Expansion {
  std::vector<tensor::Tensor> inputs;
  std::vector<tensor::Tensor> arguments;
};

/// Owned by whoever runs the sample at the moment: a task, a read or a device's work under way, or the
/// session while it is parked.
struct SampleJob {
  operators::SampleIdentity identity;
  bool is_padding = false;
  bool is_replacement = false;
  std::vector<SampleOrigin> origins;               // of each reader's record, by the reader's number
  std::vector<tensor::Tensor> values;              // by value number; invalid when not (yet) there
  std::vector<std::pair<int, SampleKind>> merged;  // what the merges of conditionals gave: node, kind
  std::vector<GivenKind> given;                    // what functions of the user gave it
  size_t step = 0;                                 // of its phase; ahead of its batch between two barriers
  size_t next_action = 0;                          // within that step
  Status error;                                    // broken for good
  bool ends_batch = false;                         // its error is one of a whole batch, which no policy skips
  std::vector<SampleFault> faults;  // errors of samples it stands in for, and of those left out before it
  std::optional<Result<dataset::Record>> arrived;  // what a read brought, until the reader's action takes it
  bool is_not_resident = false;  // what is being read: that it lies in memory was asked, and is not so
  int64_t copies = 0;  // at the end of a phase: how many samples its expand operator makes of this one
  int64_t copy = 0;    // in the phase behind: which of them this is
  std::shared_ptr<const Expansion> expansion;  // of both
  std::shared_ptr<DeviceWork> device;          // what is under way on its queue of the device
  int64_t waiting_since_ns = 0;                // parked, or reading
};

struct BatchJob {
  BatchJob(int samples, int num_values, size_t num_outputs) : samples(samples), slots(num_outputs) {
    for (SampleJob& sample : this->samples) {
      sample.values.resize(num_values);
    }
  }

  int phase = 0;
  int64_t iteration = 0;     // within its phase
  int64_t stream_begin = 0;  // of the first phase's stream; for state and errors
  int64_t stream_end = 0;
  size_t step = 0;                              // of its phase: the last barrier, or the first step behind it
  std::atomic<int> remaining{0};                // samples that have not come to the next barrier
  std::vector<std::unique_ptr<Groups>> groups;  // by step; there from the first sample task before it on
  std::atomic<bool> has_run_in_order{false};    // a function of the user has seen some of its samples
  std::vector<SampleJob> samples;
  std::vector<OutputSlots> slots;  // by delivered output
  Status error;                    // of the batch as a whole: a barrier failed
  FeedRequest feed_after;          // with feeds: the request that comes after this batch
  bool is_end = false;             // a feed's data ended here: nothing to deliver
  bool is_past_end = false;        // under the session's lock: ends so in any case, as a new epoch was begun
  bool has_begun = false;          // under the session's lock: its first step was started
  std::atomic<bool> is_awaited{false};  // it is the next to be handed over, or what that is made of
  bool is_complete = false;             // under the session's lock
  engine::Variable ready;
  engine::Completion done;
};

using BatchRef = std::shared_ptr<BatchJob>;

}  // namespace forebay::pipeline
