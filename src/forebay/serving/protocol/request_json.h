// The JSON of an inference request, read in one go: `data` of inputs lands in tensors, the rest in a tree. A
// tree of millions of numbers is never built, and nothing recurses, however deep the JSON is nested.
#pragma once

#include <cstddef>
#include <map>
#include <stop_token>
#include <string_view>

#include <nlohmann/json.hpp>

#include "forebay/serving/inference/inference.h"
#include "forebay/serving/protocol/element_writer.h"

namespace forebay::serving {

struct RequestLimits {
  size_t max_depth = 64;         // of arrays and objects in each other
  size_t max_values = 1 << 16;   // in the JSON, beside the elements of tensors
  size_t max_inputs = 4096;      // and as many outputs
  size_t max_text_bytes = 4096;  // of a name or parameter
};

struct RequestJson {
  nlohmann::json head;                 // an object; `data` of inputs is null in it
  std::map<size_t, NamedTensor> data;  // by the place of the input; without a name
};

/// invalid_argument for what is not JSON (RFC 8259, UTF-8), members that are given twice, limits, and
/// elements that do not fit their tensor. `text` is read a second time only where an input has its `data`
/// before its `shape` or `datatype`. cancelled soon after `stop` says so.
Result<RequestJson> read_request_json(std::string_view text, const RequestLimits& limits,
                                      const std::stop_token& stop = {});

/// How messages call an input, by its place in the request and its JSON.
std::string input_label(size_t place, const nlohmann::json& input);
/// Its datatype and shape.
Result<TensorHead> input_head(size_t place, const nlohmann::json& input);

}  // namespace forebay::serving
