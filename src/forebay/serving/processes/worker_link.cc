// Requests to the process of a model, and its answers, checked.
#include "forebay/serving/processes/worker_link.h"

#include <algorithm>
#include <utility>

#include "forebay/base/round_up.h"
#include "forebay/memory/copy.h"

namespace forebay::serving {
namespace {

std::string_view text_of_message(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

uint64_t slab_bytes_for(const InferRequest& request) {
  uint64_t bytes = 0;
  for (const NamedTensor& input : request.inputs) {
    bytes = round_up(bytes, kSlabAlignment) + input.size_bytes;
  }
  return bytes;
}

bool fits_declared(const std::vector<int64_t>& shape, const std::vector<int64_t>& declared) {
  return std::equal(shape.begin(), shape.end(), declared.begin(), declared.end(),
                    [](int64_t extent, int64_t wanted) { return wanted < 0 || extent == wanted; });
}

/// That an output has the datatype and shape that the model has declared.
Status check_declared(const PlacedTensor& tensor, const ModelMetadata& metadata) {
  const auto declared = std::find_if(metadata.outputs.begin(), metadata.outputs.end(),
                                     [&](const TensorMetadata& one) { return one.name == tensor.name; });
  if (declared == metadata.outputs.end()) {
    return internal_error("the model gave an output '{}', which it does not declare", tensor.name);
  }
  if (declared->datatype != tensor.datatype || !fits_declared(tensor.shape, declared->shape)) {
    return internal_error("the model's output '{}' is {} of shape [{}]; it is declared {} of [{}]",
                          tensor.name, name_of(tensor.datatype), fmt::join(tensor.shape, ", "),
                          name_of(declared->datatype), fmt::join(declared->shape, ", "));
  }
  return ok_status();
}

/// That an output lies within its slab.
Status check_place(const PlacedTensor& placed, const memory::BufferRef& slab) {
  const uint64_t there = slab == nullptr ? 0 : slab->size_bytes();
  const bool is_within = placed.size_bytes <= there && placed.offset_bytes <= there - placed.size_bytes;
  if (!is_within || (placed.size_bytes > 0 && placed.offset_bytes % kSlabAlignment != 0)) {
    return invalid_argument("output '{}' of {} bytes lies at {} of a slab of {}", placed.name,
                            placed.size_bytes, placed.offset_bytes, there);
  }
  return ok_status();
}

Result<NamedTensor> copied_out(NamedTensor tensor) {
  FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef own, memory::Buffer::allocate(tensor.size_bytes));
  memory::copy(own->data(), tensor.bytes().data(), tensor.size_bytes);
  tensor.buffer = std::move(own);
  tensor.offset_bytes = 0;
  return tensor;
}

}  // namespace

WorkerLink::WorkerLink(const ProcessModelOptions& options, WorkerProcess process)
    : most_shared_bytes_(options.most_shared_bytes),
      process_(std::move(process)),
      outputs_(std::make_shared<WorkerSlabs>(options.most_shared_bytes)) {
}

Result<std::unique_ptr<WorkerLink>> WorkerLink::start(const ProcessModelOptions& options, std::string who) {
  WorkerCommand command = options.command;
  command.environment.push_back(fmt::format("{}={}", kWorkerSharedBytes, options.most_shared_bytes));
  FOREBAY_ASSIGN_OR_RETURN(WorkerProcess process,
                           WorkerProcess::start(command, std::move(who), options.memory_limit_bytes));
  return std::unique_ptr<WorkerLink>(new WorkerLink(options, std::move(process)));
}

// Grows by half at least, so that requests of growing size do not need a new slab each.
Status WorkerLink::make_room(uint64_t bytes) {
  if (bytes > most_shared_bytes_) {
    return resource_exhausted("the inputs have {} bytes, and the model takes at most {} in a request", bytes,
                              most_shared_bytes_);
  }
  const uint64_t had = inputs_.size_bytes();
  if (bytes > had) {
    const uint64_t wanted = std::min(most_shared_bytes_, std::max(bytes, had + had / 2));
    inputs_ = SharedSlab();
    FOREBAY_ASSIGN_OR_RETURN(inputs_, SharedSlab::create(wanted));
    is_slab_sent_ = false;
  }
  return ok_status();
}

std::vector<PlacedTensor> WorkerLink::copy_inputs(const InferRequest& request) {
  std::vector<PlacedTensor> placed;
  uint64_t offset = 0;
  for (const NamedTensor& input : request.inputs) {
    offset = round_up(offset, kSlabAlignment);
    if (input.size_bytes > 0) {
      memory::copy(inputs_.mutable_bytes().data() + offset, input.bytes().data(), input.size_bytes);
    }
    placed.push_back(
        {input.name, input.datatype, input.shape, input.size_bytes > 0 ? offset : 0, input.size_bytes});
    offset += input.size_bytes;
  }
  return placed;
}

Status WorkerLink::prepare(const InferRequest& request) {
  FOREBAY_RETURN_IF_ERROR(check_finite(request.parameters));
  const uint64_t bytes = slab_bytes_for(request);
  FOREBAY_RETURN_IF_ERROR(make_room(bytes));
  asked_.clear();
  for (const RequestedOutput& output : request.outputs) {
    asked_.push_back(output.name);
  }
  const std::vector<uint64_t> freed = outputs_->take_freed();
  freed_.insert(freed_.end(), freed.begin(), freed.end());
  InferMessage message = {.number = ++number_,
                          .id = request.id,
                          .inputs = copy_inputs(request),
                          .outputs = asked_,
                          .parameters = request.parameters,
                          .slab_bytes = is_slab_sent_ ? 0 : inputs_.size_bytes(),
                          .freed = freed_};
  prepared_ = to_json(message);
  if (prepared_.size() > net::kMaxLocalBytes) {
    return resource_exhausted("names, shapes and parameters of the request take {} bytes; {} are possible",
                              prepared_.size(), net::kMaxLocalBytes);
  }
  return ok_status();
}

Status WorkerLink::send() {
  const int slab = inputs_.file();
  const bool has_slab = !is_slab_sent_ && inputs_.size_bytes() > 0;
  FOREBAY_ASSIGN_OR_RETURN(
      const bool is_sent,
      net::send_locally(process_.socket(), std::as_bytes(std::span(prepared_)),
                        has_slab ? std::span<const int>(&slab, 1) : std::span<const int>()));
  if (!is_sent) {
    return unavailable("the model's process does not read");
  }
  is_slab_sent_ = is_slab_sent_ || has_slab;
  freed_.clear();
  return ok_status();
}

Result<std::optional<HeardMessage>> WorkerLink::hear() {
  net::LocalMessage message;
  FOREBAY_ASSIGN_OR_RETURN(const bool is_there, net::receive_locally(process_.socket(), &message));
  if (!is_there) {
    return std::optional<HeardMessage>();
  }
  FOREBAY_ASSIGN_OR_RETURN(WorkerMessage parsed, parse_worker_message(text_of_message(message.bytes)));
  HeardMessage heard = {std::move(parsed), {}};
  if (message.descriptors.size() == 1) {
    heard.descriptor = std::move(message.descriptors.front());
  } else if (!message.descriptors.empty()) {
    return invalid_argument("a message came with {} descriptors", message.descriptors.size());
  }
  return std::optional<HeardMessage>(std::move(heard));
}

// Elements of BYTES are copied out, since their lengths, once checked, must not change any more.
Result<NamedTensor> WorkerLink::output_of(PlacedTensor& placed, const memory::BufferRef& slab) {
  NamedTensor tensor;
  tensor.name = std::move(placed.name);
  tensor.datatype = placed.datatype;
  tensor.shape = std::move(placed.shape);
  if (placed.size_bytes > 0) {
    tensor.buffer = slab;
    tensor.offset_bytes = placed.offset_bytes;
    tensor.size_bytes = placed.size_bytes;
    if (tensor.datatype == Datatype::kBytes || outputs_->is_scarce()) {
      FOREBAY_ASSIGN_OR_RETURN(tensor, copied_out(std::move(tensor)));
    }
  }
  if (const Status status = check_size(tensor); !status.ok()) {
    return internal_error("the model's output has a wrong size: {}", message(status));
  }
  return tensor;
}

Result<std::vector<NamedTensor>> WorkerLink::outputs_of(AnswerMessage& answer, const memory::BufferRef& slab,
                                                        const ModelMetadata& metadata) {
  std::vector<NamedTensor> outputs;
  for (PlacedTensor& placed : answer.outputs) {
    FOREBAY_RETURN_IF_ERROR(check_declared(placed, metadata));
    FOREBAY_ASSIGN_OR_RETURN(NamedTensor output, output_of(placed, slab));
    outputs.push_back(std::move(output));
  }
  for (const std::string& name : asked_) {
    if (std::none_of(outputs.begin(), outputs.end(),
                     [&](const NamedTensor& one) { return one.name == name; })) {
      return internal_error("the model gave no output '{}', which the request asks for", name);
    }
  }
  return outputs;
}

Result<memory::BufferRef> WorkerLink::slab_of(const AnswerMessage& answer, FileDescriptor descriptor) {
  FOREBAY_RETURN_IF_ERROR(outputs_->drop(answer.dropped));
  if ((answer.slab_bytes > 0) != descriptor.is_valid()) {
    return invalid_argument("an answer names a new slab, and none came with it, or the reverse");
  }
  if (descriptor.is_valid()) {
    FOREBAY_RETURN_IF_ERROR(outputs_->add(answer.slab, std::move(descriptor), answer.slab_bytes));
  }
  return answer.slab == 0 ? Result<memory::BufferRef>(nullptr) : outputs_->use(answer.slab);
}

Status WorkerLink::read(AnswerMessage& answer, FileDescriptor descriptor, const ModelMetadata& metadata,
                        Result<std::vector<NamedTensor>>* outputs) {
  if (answer.number != number_) {
    return invalid_argument("an answer came to request {}, while {} was asked", answer.number, number_);
  }
  const Result<memory::BufferRef> slab = slab_of(answer, std::move(descriptor));
  if (absl::IsInvalidArgument(slab.status())) {
    return slab.status();
  }
  if (!answer.status.ok() || !slab.ok()) {
    *outputs = answer.status.ok() ? slab.status() : answer.status;
    return ok_status();
  }
  for (const PlacedTensor& placed : answer.outputs) {
    FOREBAY_RETURN_IF_ERROR(check_place(placed, *slab));
  }
  *outputs = outputs_of(answer, *slab, metadata);
  return ok_status();
}

}  // namespace forebay::serving
