#include "forebay/plugin/call_tensors.h"

#include <algorithm>
#include <cstring>

namespace forebay::plugin {
namespace {

static_assert(kForebayPluginMaxRank == tensor::kMaxRank);
static_assert(kForebayPluginLayoutBytes > tensor::kMaxRank);
static_assert(static_cast<int>(tensor::DType::kUint8) == kForebayPluginUint8);
static_assert(static_cast<int>(tensor::DType::kFloat16) == kForebayPluginFloat16);
static_assert(static_cast<int>(tensor::DType::kBool) == kForebayPluginBool);

// More than any machine can address; what is less may still be refused, by its size.
constexpr int64_t kMaxTensorBytes = int64_t{1} << 47;

ForebayPluginTensor view_of(const tensor::TensorSpec& spec, const void* data) {
  ForebayPluginTensor view = {};
  view.struct_bytes = sizeof(view);
  view.dtype = static_cast<int32_t>(spec.dtype);
  view.rank = spec.shape.rank();
  std::ranges::copy(spec.shape.extents(), view.shape);
  std::ranges::copy(spec.layout.view(), view.layout);
  view.data = const_cast<void*>(data);
  return view;
}

ForebayPluginTensor nothing_yet() {
  ForebayPluginTensor view = {};
  view.struct_bytes = sizeof(view);
  view.dtype = static_cast<int32_t>(tensor::DType::kNone);
  return view;
}

Result<tensor::Layout> layout_of(const ForebayPluginTensor& tensor, size_t output) {
  const std::string_view text(tensor.layout, ::strnlen(tensor.layout, sizeof(tensor.layout)));
  if (text.size() == sizeof(tensor.layout)) {
    return invalid_argument("output {}: the layout does not end", output);
  }
  if (!std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; })) {
    return invalid_argument("output {}: the layout '{}' is not made of letters", output, readable(text));
  }
  if (!text.empty() && text.size() != static_cast<size_t>(tensor.rank)) {
    return invalid_argument("output {}: the layout '{}' does not fit {} axes", output, text, tensor.rank);
  }
  return tensor::Layout(text);
}

Status check_bytes(const tensor::TensorSpec& spec, size_t output) {
  const std::optional<int64_t> volume = spec.shape.checked_volume();
  if (!volume || *volume > kMaxTensorBytes / static_cast<int64_t>(tensor::size_of(spec.dtype))) {
    return invalid_argument(
        "output {}: a tensor of {} with {} elements has more bytes than any machine can address", output,
        tensor::name_of(spec.dtype), spec.shape.to_string());
  }
  return ok_status();
}

}  // namespace

Result<tensor::TensorSpec> spec_of(const ForebayPluginTensor& tensor, size_t output) {
  if (tensor.dtype == static_cast<int32_t>(tensor::DType::kNone)) {
    return invalid_argument("output {}: the library did not say what it will be", output);
  }
  if (tensor.dtype < kForebayPluginUint8 || tensor.dtype > kForebayPluginBool) {
    return invalid_argument("output {}: there is no element type {}", output, tensor.dtype);
  }
  if (tensor.rank < 0 || tensor.rank > kForebayPluginMaxRank) {
    return invalid_argument("output {}: {} axes are not 0 to {}", output, tensor.rank,
                            int{kForebayPluginMaxRank});
  }
  tensor::TensorSpec spec;
  spec.dtype = static_cast<tensor::DType>(tensor.dtype);
  for (int axis = 0; axis < tensor.rank; ++axis) {
    if (tensor.shape[axis] < 0) {
      return invalid_argument("output {}: axis {} has a negative extent, {}", output, axis,
                              tensor.shape[axis]);
    }
    spec.shape.push_back(tensor.shape[axis]);
  }
  FOREBAY_ASSIGN_OR_RETURN(spec.layout, layout_of(tensor, output));
  FOREBAY_RETURN_IF_ERROR(check_bytes(spec, output));
  return spec;
}

CallTensors::CallTensors(ForebayPluginCall* call, size_t num_outputs) {
  const operators::Sample& sample = call->sample;
  const auto num_inputs = static_cast<size_t>(sample.num_inputs());
  const size_t num_arguments = call->slots.size();
  const size_t count = num_inputs + num_arguments + num_outputs;
  views_.reserve(count);
  pointers_.reserve(count);
  const auto add = [this](const ForebayPluginTensor& view) {
    views_.push_back(view);
    pointers_.push_back(&views_.back());
  };
  for (const operators::Tensor& input : sample.inputs()) {
    add(view_of(input.spec(), input.data()));
  }
  for (const int slot : call->slots) {
    if (slot < 0) {
      pointers_.push_back(nullptr);
    } else {
      add(view_of(sample.argument(slot).spec(), sample.argument(slot).data()));
    }
  }
  for (size_t output = 0; output < num_outputs; ++output) {
    add(nothing_yet());
  }
  outputs_ = std::span(pointers_).subspan(num_inputs + num_arguments);
  sample_.struct_bytes = sizeof(sample_);
  sample_.input_count = static_cast<uint32_t>(num_inputs);
  sample_.argument_count = static_cast<uint32_t>(num_arguments);
  sample_.output_count = static_cast<uint32_t>(num_outputs);
  sample_.inputs = pointers_.data();
  sample_.arguments = pointers_.data() + num_inputs;
  sample_.outputs = outputs_.data();
  sample_.epoch = sample.identity().epoch;
  sample_.position = sample.identity().position;
  sample_.sample_index = sample.identity().sample_index;
  sample_.host = &host_functions();
  sample_.call = call;
}

void CallTensors::set_output(size_t index, const tensor::MutableTensorView& view) {
  *outputs_[index] = view_of(view.spec, view.data);
}

}  // namespace forebay::plugin
