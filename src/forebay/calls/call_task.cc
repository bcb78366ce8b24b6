#include "forebay/calls/call_task.h"

#include <algorithm>
#include <deque>

#include "forebay/base/caught.h"
#include "forebay/base/clock.h"
#include "forebay/base/error_context.h"
#include "forebay/engine/engine.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/pipeline/jobs/batch_kind.h"
#include "forebay/pipeline/jobs/slots.h"
#include "forebay/pipeline/samples/split_items.h"

namespace forebay::calls {
namespace {

using operators::Sample;
using operators::Scope;
using pipeline::kind_of;
using pipeline::OutputSlots;
using pipeline::SampleKind;
using pipeline::split_items;
using tensor::Tensor;

// Samples whose work together takes less are not worth the other workers' while.
constexpr int64_t kWorthSharingNs = 100'000;

/// What the operator gets besides its inputs: results go into the slots of their batch.
class CallServices final : public operators::SampleServices {
 public:
  CallServices(std::deque<OutputSlots>& slots, int index) : slots_(slots), index_(index) {}

  Result<Tensor> allocate_output(int output, const tensor::TensorSpec& spec) override {
    const auto make = [](const tensor::TensorSpec& wanted) { return Tensor::allocate(wanted); };
    return slots_[static_cast<size_t>(output)].acquire(index_, spec, make);
  }
  Result<MutableBytes> scratch(size_t bytes) override {
    FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef buffer, memory::Buffer::allocate(bytes));
    scratch_.push_back(std::move(buffer));
    return scratch_.back()->mutable_bytes();
  }
  Status reserve(size_t) override { return ok_status(); }
  void parallel_for(int64_t count, const std::function<void(int64_t)>& function) override {
    split_items(count, function, memory::scratch_resource());
  }

 private:
  std::deque<OutputSlots>& slots_;
  int index_;
  std::vector<memory::BufferRef> scratch_;
};

/// One sample at the operator, and all that the `Sample` refers to.
struct CallPlace {
  operators::SampleIdentity identity;
  std::vector<Tensor> inputs;
  std::vector<Tensor> arguments;
  std::vector<Tensor> outputs;
};

// The sample of a call has its number for a name, where there are several.
Status of_sample(const Status& status, int64_t index, int size) {
  const Status cause = without_context(status);
  return size == 1 ? cause : annotate(cause, fmt::format("sample {}", index));
}

Result<Tensor> sample_of(const FutureBatch& batch, int index) {
  return batch.sample(batch.size() == 1 ? 0 : index);
}

class CallRun {
 public:
  explicit CallRun(const CallTask& call)
      : call_(call),
        key_(call.op->random_key(call.seed, call.draw)),
        places_(static_cast<size_t>(call.size)) {}

  Status run() {
    FOREBAY_RETURN_IF_ERROR(collect());
    FOREBAY_RETURN_IF_ERROR(check_inputs());
    FOREBAY_RETURN_IF_ERROR(run_operator());
    FOREBAY_RETURN_IF_ERROR(check_outputs());
    FOREBAY_RETURN_IF_ERROR(copy_borrowed());
    deliver();
    return ok_status();
  }

 private:
  const operators::Operator& op() const { return call_.op->op(); }
  CallPlace& place(int index) { return places_[static_cast<size_t>(index)]; }
  Sample sample(int index, CallServices& services) {
    CallPlace& at = place(index);
    return Sample(at.identity, key_, at.inputs, at.arguments, at.outputs, services);
  }

  Status collect() {
    for (int index = 0; index < call_.size; ++index) {
      CallPlace& at = place(index);
      at.identity = {.epoch = static_cast<int64_t>(call_.draw),
                     .position = index,
                     .stream_index = index,
                     .index_in_batch = index};
      at.outputs.resize(call_.outputs.size());
      for (const FutureBatchRef& batch : call_.inputs) {
        FOREBAY_ASSIGN_OR_RETURN(Tensor input, sample_of(*batch, index));
        at.inputs.push_back(std::move(input));
      }
      for (const FutureBatchRef& batch : call_.arguments) {
        FOREBAY_ASSIGN_OR_RETURN(Tensor argument, sample_of(*batch, index));
        at.arguments.push_back(std::move(argument));
      }
      if (call_.op->needs_origin() && !call_.inputs.empty()) {
        const FutureBatch& first = *call_.inputs[0];
        at.identity.origin = first.origin(first.size() == 1 ? 0 : index);
      }
    }
    for (size_t output = 0; output < call_.outputs.size(); ++output) {
      slots_.emplace_back().open(call_.size, std::nullopt, true);
    }
    return ok_status();
  }

  Status run_operator() {
    switch (op().scope()) {
      case Scope::kBatch:
        return run_batch();
      case Scope::kGroup:
        return run_groups();
      default:
        return run_samples();
    }
  }

  // The first sample alone tells whether it is worth while to share the others.
  Status run_samples() {
    const Clock& clock = steady_clock();
    const int64_t begin_ns = clock.now_ns();
    FOREBAY_RETURN_IF_ERROR(run_sample(0));
    const int rest = call_.size - 1;
    if ((clock.now_ns() - begin_ns) * rest >= kWorthSharingNs) {
      return engine::parallel_for(static_cast<size_t>(rest),
                                  [&](size_t item) { return run_sample(static_cast<int>(item) + 1); });
    }
    for (int index = 1; index < call_.size; ++index) {
      FOREBAY_RETURN_IF_ERROR(run_sample(index));
    }
    return ok_status();
  }

  Status run_sample(int index) {
    const Status status = caught([&] {
      CallServices services(slots_, index);
      Sample one = sample(index, services);
      return op().run(one);
    });
    return of_sample(status, index, call_.size);
  }

  Status run_groups() {
    const int most = std::max(op().group_size(), 1);
    const int groups = (call_.size + most - 1) / most;
    return engine::parallel_for(static_cast<size_t>(groups), [&](size_t group) {
      const int first = static_cast<int>(group) * most;
      return run_group(first, std::min(first + most, call_.size));
    });
  }

  Status run_group(int first, int last) {
    std::vector<Status> results(static_cast<size_t>(last - first));
    FOREBAY_RETURN_IF_ERROR(caught([&] {
      std::deque<CallServices> services;
      std::vector<Sample> samples = samples_of(first, last, services);
      op().run_group(samples, results);
      return ok_status();
    }));
    for (size_t i = 0; i < results.size(); ++i) {
      FOREBAY_RETURN_IF_ERROR(of_sample(results[i], first + static_cast<int>(i), call_.size));
    }
    return ok_status();
  }

  Status run_batch() {
    const Status status = caught([&] {
      std::deque<CallServices> services;
      std::vector<Sample> samples = samples_of(0, call_.size, services);
      return op().run_batch(samples);
    });
    const auto context = context_of(status);
    return context ? of_sample(status, context->position, call_.size) : status;
  }

  std::vector<Sample> samples_of(int first, int last, std::deque<CallServices>& services) {
    std::vector<Sample> samples;
    for (int index = first; index < last; ++index) {
      services.emplace_back(slots_, index);
      samples.push_back(sample(index, services.back()));
    }
    return samples;
  }

  // The samples that one batch has at `tensors` of each place must be of one kind.
  Status check_kinds(std::vector<Tensor> CallPlace::*tensors, size_t number) const {
    std::vector<std::pair<int, SampleKind>> kinds;
    kinds.reserve(places_.size());
    for (const CallPlace& at : places_) {
      kinds.emplace_back(at.identity.index_in_batch, kind_of((at.*tensors)[number]));
    }
    return check_one_kind(kinds);
  }

  Status check_inputs() const {
    for (size_t input = 0; input < call_.inputs.size() && call_.size > 1; ++input) {
      FOREBAY_RETURN_IF_ERROR(check_kinds(&CallPlace::inputs, input));
    }
    return ok_status();
  }

  Status check_outputs() const {
    for (size_t output = 0; output < call_.outputs.size(); ++output) {
      for (const CallPlace& at : places_) {
        if (!at.outputs[output].is_valid()) {
          return internal_error("the operator gave no output {}", output);
        }
      }
      FOREBAY_RETURN_IF_ERROR(check_kinds(&CallPlace::outputs, output));
    }
    return ok_status();
  }

  // An output that is an input, handed on, must not change when somebody writes that memory.
  Status copy_borrowed() {
    for (size_t input = 0; input < call_.inputs.size(); ++input) {
      if (call_.inputs[input]->ownership() == Ownership::kOwn) {
        continue;
      }
      for (CallPlace& at : places_) {
        FOREBAY_RETURN_IF_ERROR(copy_if_shared(at.inputs[input], at.outputs));
      }
    }
    return ok_status();
  }

  static Status copy_if_shared(const Tensor& input, std::vector<Tensor>& outputs) {
    for (Tensor& output : outputs) {
      if (output.buffer() == input.buffer()) {
        FOREBAY_ASSIGN_OR_RETURN(const Tensor copy, Tensor::allocate(output.spec()));
        memory::copy(copy.mutable_data(), output.data(), output.size_bytes());
        output = copy;
      }
    }
    return ok_status();
  }

  void deliver() {
    for (size_t output = 0; output < call_.outputs.size(); ++output) {
      slots_[output].close();
      std::vector<Tensor> samples;
      for (CallPlace& at : places_) {
        samples.push_back(std::move(at.outputs[output]));
      }
      call_.outputs[output]->set(std::move(samples));
    }
  }

  const CallTask& call_;
  const uint64_t key_;
  std::vector<CallPlace> places_;
  std::deque<OutputSlots> slots_;  // by output
};

}  // namespace

Status CallTask::run() const {
  return CallRun(*this).run();
}

}  // namespace forebay::calls
