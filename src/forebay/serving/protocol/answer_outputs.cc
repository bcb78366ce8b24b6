// The outputs of an answer as a client asked for them: classes instead of values, tensors put into shared
// memory.
#include "forebay/serving/protocol/answer_outputs.h"

#include <algorithm>
#include <utility>

#include "forebay/serving/protocol/classify.h"

namespace forebay::serving {
namespace {

Status put_into_place(const SharedRegions* regions, AnswerOutput& output) {
  if (regions == nullptr) {
    return unimplemented("output '{}': this server puts no tensors into shared memory", output.tensor.name);
  }
  const Status status = regions->write(*output.place, output.tensor.bytes());
  output.place->size_bytes = output.tensor.size_bytes;
  return annotate(status, fmt::format("output '{}'", output.tensor.name));
}

Result<AnswerOutput> answer_output(NamedTensor tensor, const RequestedOutput& asked,
                                   const ModelMetadata* metadata, const SharedRegions* regions) {
  AnswerOutput output;
  output.tensor = std::move(tensor);
  output.is_binary = asked.is_binary;
  if (output.tensor.buffer != nullptr && !memory::is_host_accessible(output.tensor.buffer->kind())) {
    return internal_error("output '{}' lies in memory of a device", output.tensor.name);
  }
  if (asked.class_count > 0) {
    FOREBAY_ASSIGN_OR_RETURN(output.tensor, classify_output(output.tensor, asked.class_count, metadata));
  }
  if (asked.place) {
    output.place = asked.place;
    FOREBAY_RETURN_IF_ERROR(put_into_place(regions, output));
  }
  return output;
}

}  // namespace

Result<std::vector<AnswerOutput>> answer_outputs(std::vector<NamedTensor> outputs,
                                                 const std::vector<RequestedOutput>& asked, bool is_binary,
                                                 const ModelMetadata* metadata,
                                                 const SharedRegions* regions) {
  std::vector<AnswerOutput> answers;
  if (asked.empty()) {
    RequestedOutput any;
    any.is_binary = is_binary;
    for (NamedTensor& tensor : outputs) {
      FOREBAY_ASSIGN_OR_RETURN(answers.emplace_back(),
                               answer_output(std::move(tensor), any, metadata, regions));
    }
    return answers;
  }
  for (const RequestedOutput& wanted : asked) {
    const auto found = std::find_if(outputs.begin(), outputs.end(), [&wanted](const NamedTensor& tensor) {
      return tensor.name == wanted.name;
    });
    if (found == outputs.end()) {
      return internal_error("the model gave no output '{}', which was asked for", wanted.name);
    }
    FOREBAY_ASSIGN_OR_RETURN(answers.emplace_back(), answer_output(*found, wanted, metadata, regions));
  }
  return answers;
}

}  // namespace forebay::serving
