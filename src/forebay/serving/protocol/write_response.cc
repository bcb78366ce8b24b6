// The body of an answer over HTTP. Elements are appended as text, so that no tree of them is built.
#include "forebay/serving/protocol/write_response.h"

#include <utility>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "forebay/serving/protocol/elements_text.h"
#include "forebay/serving/protocol/json_values.h"
#include "forebay/serving/protocol/timing_json.h"

namespace forebay::serving {
namespace {

using nlohmann::json;

json response_parameters(const InferResponse& response, bool has_timing) {
  json parameters = has_timing ? timing_json(response.timing) : json::object();
  if (has_timing && !response.steps.empty()) {
    parameters["steps"] = steps_json(response);
  }
  for (const auto& [name, value] : response.parameters) {
    parameters[name] = to_json_value(value);
  }
  return parameters;
}

// Everything before the outputs, with the brace that opens the response.
std::string response_head(const InferResponse& response, bool has_timing) {
  json head = {{"model_name", response.model}, {"model_version", response.version}};
  if (!response.id.empty()) {
    head["id"] = response.id;
  }
  json parameters = response_parameters(response, has_timing);
  if (!parameters.empty()) {
    head["parameters"] = std::move(parameters);
  }
  std::string text = to_text(head);
  text.pop_back();
  return text;
}

Status append_output(AnswerOutput output, ResponseBody& body) {
  const NamedTensor& tensor = output.tensor;
  body.json += fmt::format(R"({{"name":{},"datatype":"{}","shape":[{}])", to_text(tensor.name),
                           name_of(tensor.datatype), fmt::join(tensor.shape, ","));
  if (output.place) {
    // Triton's client in C++ takes any "parameters" here for those of bytes behind the JSON.
    body.json += '}';
  } else if (output.is_binary) {
    body.json += fmt::format(R"(,"parameters":{{"binary_data_size":{}}}}})", tensor.size_bytes);
    body.pieces.push_back(std::move(output.tensor));
  } else {
    body.json += R"(,"data":)";
    FOREBAY_RETURN_IF_ERROR(append_elements(tensor, body.json));
    body.json += '}';
  }
  return ok_status();
}

}  // namespace

size_t ResponseBody::size_bytes() const {
  size_t size = json.size();
  for (const NamedTensor& piece : pieces) {
    size += piece.size_bytes;
  }
  return size;
}

Result<ResponseBody> write_response(InferResponse response, const AnswerForm& form,
                                    const ModelMetadata* metadata, const SharedRegions* regions) {
  FOREBAY_ASSIGN_OR_RETURN(
      std::vector<AnswerOutput> outputs,
      answer_outputs(std::move(response.outputs), form.outputs, form.is_binary, metadata, regions));
  ResponseBody body;
  body.json = response_head(response, form.has_timing) + R"(,"outputs":[)";
  for (size_t i = 0; i < outputs.size(); ++i) {
    body.json += i == 0 ? "" : ",";
    FOREBAY_RETURN_IF_ERROR(append_output(std::move(outputs[i]), body));
  }
  body.json += "]}";
  if (!body.pieces.empty()) {
    body.header_length = body.json.size();
  }
  return body;
}

}  // namespace forebay::serving
