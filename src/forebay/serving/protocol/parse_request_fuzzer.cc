// Parses arbitrary bytes as an inference request: the first byte says how many of the last are binary data,
// the second how the body lies in its buffer. What is taken is answered, and the answer holds what was given.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/serving/protocol/http_status.h"
#include "forebay/serving/protocol/parse_request.h"
#include "forebay/serving/protocol/write_response.h"

using namespace forebay;

namespace {

constexpr size_t kLead = 2;
constexpr uint8_t kWholeBody = 255;

void check_answer(const serving::ParsedRequest& parsed) {
  serving::InferResponse response;
  response.outputs = parsed.request.inputs;
  response.id = parsed.request.id;
  response.parameters = parsed.request.parameters;
  serving::AnswerForm form = parsed.form;
  const auto body = serving::write_response(response, form, nullptr, nullptr);
  if (!body.ok()) {
    FOREBAY_CHECK(serving::http_status_of(body.status().code()) >= 400);
  }
  // All as JSON: what came as JSON goes back so.
  form.outputs.clear();
  form.is_binary = false;
  const auto json = serving::write_response(std::move(response), form, nullptr, nullptr);
  FOREBAY_CHECK(!json.ok() || !json->header_length.has_value());
  if (json.ok()) {
    serving::read_request_json(json->json, {}).IgnoreError();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < kLead) {
    return 0;
  }
  serving::RequestBody body;
  body.offset_bytes = data[1] % 16;
  body.size_bytes = size - kLead;
  body.buffer = memory::Buffer::allocate(body.offset_bytes + body.size_bytes).value();
  std::copy(data + kLead, data + size, static_cast<uint8_t*>(body.buffer->data()) + body.offset_bytes);
  std::optional<uint64_t> header_length;
  if (data[0] != kWholeBody) {
    header_length = body.size_bytes - std::min<size_t>(data[0], body.size_bytes);
  }
  const auto parsed = serving::parse_request(body, header_length, {.model = "m"});
  if (!parsed.ok()) {
    FOREBAY_CHECK(parsed.status().code() != StatusCode::kInternal);
    serving::error_body(parsed.status());
    return 0;
  }
  for (const serving::NamedTensor& tensor : parsed->request.inputs) {
    FOREBAY_CHECK(serving::check_size(tensor).ok());
    const size_t element_bytes = std::max<size_t>(serving::size_of(tensor.datatype), 1);
    FOREBAY_CHECK(reinterpret_cast<uintptr_t>(tensor.bytes().data()) % element_bytes == 0);
  }
  check_answer(*parsed);
  return 0;
}
