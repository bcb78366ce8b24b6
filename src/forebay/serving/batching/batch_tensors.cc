// Rows lie one behind the other, so that joining is a copy of each request's bytes and splitting is none.
#include "forebay/serving/batching/batch_tensors.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "forebay/memory/copy.h"

namespace forebay::serving {
namespace {

constexpr size_t kElementLengthBytes = 4;

const NamedTensor& input_named(const InferRequest& request, const std::string& name) {
  return *std::find_if(request.inputs.begin(), request.inputs.end(),
                       [&](const NamedTensor& input) { return input.name == name; });
}

Result<NamedTensor> joined_input(const std::vector<WaitingRequestPtr>& batch, const NamedTensor& first) {
  NamedTensor joined;
  joined.name = first.name;
  joined.datatype = first.datatype;
  joined.shape = first.shape;
  joined.shape[0] = 0;
  for (const WaitingRequestPtr& each : batch) {
    joined.shape[0] += each->rows;
    joined.size_bytes += input_named(each->request, first.name).size_bytes;
  }
  if (joined.size_bytes == 0) {
    return joined;
  }
  FOREBAY_ASSIGN_OR_RETURN(joined.buffer, memory::Buffer::allocate(joined.size_bytes));
  std::byte* to = joined.buffer->mutable_bytes().data();
  for (const WaitingRequestPtr& each : batch) {
    const Bytes from = input_named(each->request, first.name).bytes();
    if (!from.empty()) {
      memory::copy(to, from.data(), from.size());
      to += from.size();
    }
  }
  return joined;
}

/// The outputs that any of the requests asks for; empty: all.
std::vector<RequestedOutput> joined_outputs(const std::vector<WaitingRequestPtr>& batch) {
  std::vector<RequestedOutput> outputs;
  for (const WaitingRequestPtr& each : batch) {
    if (each->request.outputs.empty()) {
      return {};
    }
    for (const RequestedOutput& wanted : each->request.outputs) {
      const auto has_name = [&](const RequestedOutput& output) { return output.name == wanted.name; };
      if (std::none_of(outputs.begin(), outputs.end(), has_name)) {
        outputs.emplace_back().name = wanted.name;
      }
    }
  }
  return outputs;
}

/// Where the elements [0, `count`) of `bytes` end, each a length and as many bytes. out_of_range if they are
/// not there.
Result<size_t> end_of_elements(Bytes bytes, int64_t count) {
  size_t end = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t length = 0;
    if (bytes.size() - end < kElementLengthBytes) {
      return out_of_range("its elements end too early");
    }
    std::memcpy(&length, bytes.data() + end, kElementLengthBytes);  // copy: a number of 4 bytes
    end += kElementLengthBytes;
    if (bytes.size() - end < length) {
      return out_of_range("its elements end too early");
    }
    end += length;
  }
  return end;
}

/// Takes rows off the front of an output, one request after the other.
class RowsOfOutput {
 public:
  explicit RowsOfOutput(const NamedTensor& output) : output_(output) {}

  /// internal_error unless the output has `rows` rows.
  Status check(int64_t rows) {
    if (output_.shape.empty() || output_.shape[0] != rows) {
      return internal_error("output '{}' of the batch has {} rows; its inputs have {}", output_.name,
                            output_.shape.empty() ? 0 : output_.shape[0], rows);
    }
    FOREBAY_ASSIGN_OR_RETURN(const int64_t volume, volume_of(output_.shape));
    elements_of_row_ = volume / rows;
    return output_.datatype == Datatype::kBytes ? ok_status() : check_size(output_);
  }

  Result<NamedTensor> take(int64_t rows) {
    NamedTensor part = output_;
    part.shape[0] = rows;
    part.offset_bytes += taken_;
    part.size_bytes = static_cast<size_t>(rows * elements_of_row_) * size_of(output_.datatype);
    if (output_.datatype == Datatype::kBytes) {
      const Result<size_t> end = end_of_elements(output_.bytes().subspan(taken_), rows * elements_of_row_);
      if (!end.ok()) {
        return internal_error("output '{}' of the batch: {}", output_.name, message(end.status()));
      }
      part.size_bytes = *end;
    }
    taken_ += part.size_bytes;
    return part;
  }

 private:
  const NamedTensor& output_;
  int64_t elements_of_row_ = 0;
  size_t taken_ = 0;
};

bool wants(const InferRequest& request, const std::string& output) {
  return request.outputs.empty() ||
         std::any_of(request.outputs.begin(), request.outputs.end(),
                     [&](const RequestedOutput& each) { return each.name == output; });
}

}  // namespace

Result<InferRequest> join_requests(const std::vector<WaitingRequestPtr>& batch) {
  const InferRequest& first = batch.front()->request;
  InferRequest joined;
  joined.model = first.model;
  joined.version = first.version;
  joined.parameters = first.parameters;
  joined.epoch = first.epoch;
  joined.outputs = joined_outputs(batch);
  joined.deadline_ns = 0;
  for (const WaitingRequestPtr& each : batch) {
    joined.deadline_ns = std::max(joined.deadline_ns, each->request.deadline_ns);
    const bool is_higher = joined.priority == 0 || each->request.priority < joined.priority;
    joined.priority = each->request.priority != 0 && is_higher ? each->request.priority : joined.priority;
  }
  for (const NamedTensor& input : first.inputs) {
    FOREBAY_ASSIGN_OR_RETURN(NamedTensor tensor, joined_input(batch, input));
    joined.inputs.push_back(std::move(tensor));
  }
  return joined;
}

Result<std::vector<InferResponse>> split_response(const InferResponse& response,
                                                  const std::vector<WaitingRequestPtr>& batch) {
  int64_t rows = 0;
  std::vector<InferResponse> parts;
  for (const WaitingRequestPtr& each : batch) {
    rows += each->rows;
    InferResponse& part = parts.emplace_back();
    part.model = response.model;
    part.version = response.version;
    part.id = each->request.id;
    part.parameters = response.parameters;
    part.timing = response.timing;
    part.steps = response.steps;
  }
  for (const NamedTensor& output : response.outputs) {
    RowsOfOutput rest(output);
    FOREBAY_RETURN_IF_ERROR(rest.check(rows));
    for (size_t i = 0; i < batch.size(); ++i) {
      FOREBAY_ASSIGN_OR_RETURN(NamedTensor part, rest.take(batch[i]->rows));
      if (wants(batch[i]->request, output.name)) {
        parts[i].outputs.push_back(std::move(part));
      }
    }
  }
  return parts;
}

}  // namespace forebay::serving
