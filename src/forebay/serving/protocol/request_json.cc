// The JSON of an inference request as events: elements go to their writer, all else becomes a tree.
#include "forebay/serving/protocol/request_json.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/serving/protocol/json_values.h"

namespace forebay::serving {
namespace {

using nlohmann::json;

// The stack at a member of an input: the request, the array `inputs`, the input.
constexpr size_t kInputDepth = 3;

// Handles the events of nlohmann's parser. What it returns says whether to go on; if not, status() says why.
class RequestEvents {
 public:
  // `inputs`: what is known of them from a first reading, or null.
  RequestEvents(size_t text_bytes, const RequestLimits& limits, const json* inputs, RequestJson* read,
                const std::stop_token& stop)
      : text_bytes_(text_bytes), limits_(limits), inputs_(inputs), read_(read), stop_(stop) {}

  const Status& status() const { return status_; }
  bool has_left_data() const { return has_left_data_; }

  bool null() { return in_data() ? fail_in_data("null") : add(json()); }
  bool boolean(bool value) { return in_data() ? put(value) : add(json(value)); }
  bool number_integer(int64_t value) { return in_data() ? put(value) : add(json(value)); }
  bool number_unsigned(uint64_t value) { return in_data() ? put(value) : add(json(value)); }
  bool number_float(double value, const std::string& text) {
    return in_data() ? put(value, text) : add(json(value));
  }
  bool string(std::string& value) {
    if (in_data()) {
      return put(std::string_view(value));
    }
    return check_text(value) && add(json(std::move(value)));
  }
  bool binary(json::binary_t&) { return fail(internal_error("JSON has no binary values")); }

  bool start_object(size_t) { return in_data() ? fail_in_data("an object") : open(json::object()); }
  bool end_object() { return close(); }
  bool start_array(size_t);
  bool end_array();
  bool key(std::string& name);
  bool parse_error(size_t position, const std::string& token, const nlohmann::detail::exception& error);

 private:
  bool in_data() const { return writer_.has_value() || left_depth_ > 0; }
  bool is_member_of_input() const {
    return stack_.size() == kInputDepth && root_key_ == "inputs" && stack_[1]->is_array() &&
           stack_.back()->is_object();
  }
  size_t place() const { return stack_[1]->size() - 1; }

  bool fail(Status status) {
    status_ = std::move(status);
    return false;
  }
  // Asked at whatever a request may have millions of.
  bool goes_on() {
    constexpr size_t kEventsBetweenLooks = 4096;
    return ++event_count_ % kEventsBetweenLooks != 0 || !stop_.stop_requested() ||
           fail(cancelled("the request was given up while its JSON was read"));
  }
  bool check(Status status) { return status.ok() || fail(std::move(status)); }
  bool fail_in_data(std::string_view found) {
    return fail(invalid_argument("{}: its data holds {}", input_label(place(), *stack_.back()), found));
  }
  bool check_text(const std::string& text);
  bool begin_data();
  template <class... Value>
  bool put(const Value&... value) {
    return goes_on() && (!writer_.has_value() || check(writer_->put(value...)));
  }
  bool add(json value);
  bool open(json value);
  bool close() {
    stack_.pop_back();
    return true;
  }

  size_t text_bytes_;
  const RequestLimits& limits_;
  const json* inputs_;
  RequestJson* read_;
  Status status_;
  std::vector<json*> stack_;  // the open arrays and objects of the tree
  std::string key_;           // of the member that comes
  std::string root_key_;      // of the request's member that is being read
  const std::stop_token& stop_;
  size_t event_count_ = 0;
  size_t value_count_ = 0;
  std::optional<ElementWriter> writer_;  // while data is read,
  size_t left_depth_ = 0;                // or left out: how many of its arrays are open
  bool has_left_data_ = false;
};

bool RequestEvents::check_text(const std::string& text) {
  if (text.size() <= limits_.max_text_bytes) {
    return true;
  }
  return fail(
      invalid_argument("a string of the request has {} bytes; at most {} are taken outside of data: {}",
                       text.size(), limits_.max_text_bytes, clipped(text)));
}

bool RequestEvents::add(json value) {
  if (++value_count_ > limits_.max_values) {
    return fail(invalid_argument("the request's JSON has more than {} values beside the elements of tensors",
                                 limits_.max_values));
  }
  if (stack_.empty()) {
    read_->head = std::move(value);
    return read_->head.is_object() || fail(invalid_argument("the request's JSON is not an object"));
  }
  json& parent = *stack_.back();
  if (parent.is_array()) {
    parent.push_back(std::move(value));
    return true;
  }
  if (key_ == "data" && is_member_of_input() && !value.is_null()) {
    return fail(invalid_argument("{}: 'data' must be an array", input_label(place(), parent)));
  }
  parent[key_] = std::move(value);
  return true;
}

bool RequestEvents::open(json value) {
  if (stack_.size() >= limits_.max_depth) {
    return fail(invalid_argument("the request's JSON is nested deeper than {} levels", limits_.max_depth));
  }
  if (!add(std::move(value))) {
    return false;
  }
  if (stack_.empty()) {
    stack_.push_back(&read_->head);
  } else {
    json& parent = *stack_.back();
    stack_.push_back(parent.is_array() ? &parent.back() : &parent[key_]);
  }
  return true;
}

bool RequestEvents::key(std::string& name) {
  if (!check_text(name)) {
    return false;
  }
  if (stack_.back()->contains(name)) {
    return fail(invalid_argument("the request's JSON has the member '{}' twice in one object", name));
  }
  key_ = std::move(name);
  if (stack_.size() == 1) {
    root_key_ = key_;
  }
  return true;
}

bool RequestEvents::begin_data() {
  const size_t at = place();
  json& input = *stack_.back();
  if (!add(json())) {
    return false;
  }
  if (inputs_ == nullptr && (!input.contains("datatype") || !input.contains("shape"))) {
    has_left_data_ = true;
    left_depth_ = 1;
    return true;
  }
  if (read_->data.contains(at)) {
    left_depth_ = 1;
    return true;
  }
  Result<TensorHead> head = input_head(at, inputs_ == nullptr ? input : (*inputs_)[at]);
  if (!head.ok()) {
    return fail(head.status());
  }
  Result<ElementWriter> writer = ElementWriter::make(*std::move(head), text_bytes_);
  if (!writer.ok()) {
    return fail(writer.status());
  }
  writer_.emplace(*std::move(writer));
  return check(writer_->begin_array());
}

bool RequestEvents::start_array(size_t) {
  if (!goes_on()) {
    return false;
  }
  if (writer_.has_value()) {
    return check(writer_->begin_array());
  }
  if (left_depth_ > 0) {
    ++left_depth_;
    return left_depth_ <= limits_.max_depth ||
           fail(invalid_argument("the request's JSON is nested deeper than {} levels", limits_.max_depth));
  }
  return key_ == "data" && is_member_of_input() ? begin_data() : open(json::array());
}

bool RequestEvents::end_array() {
  if (left_depth_ > 0) {
    --left_depth_;
    return true;
  }
  if (!writer_.has_value()) {
    return close();
  }
  if (!check(writer_->end_array())) {
    return false;
  }
  if (!writer_->is_open()) {
    Result<NamedTensor> tensor = std::move(*writer_).finish();
    writer_.reset();
    if (!tensor.ok()) {
      return fail(tensor.status());
    }
    read_->data.emplace(place(), *std::move(tensor));
  }
  return true;
}

bool RequestEvents::parse_error(size_t position, const std::string&,
                                const nlohmann::detail::exception& error) {
  std::string_view cause = error.what();
  cause.remove_prefix(std::min(cause.size(), cause.find("] ") + 2));
  return fail(invalid_argument(
      "the request's JSON is broken at byte {} of {}: {} (NaN and Infinity are sent as binary data only)",
      position, text_bytes_, clipped(cause)));
}

Status read_events(std::string_view text, RequestEvents& events) {
  const bool is_read = json::sax_parse(text.data(), text.data() + text.size(), &events);
  if (is_read) {
    return ok_status();
  }
  return events.status().ok() ? invalid_argument("the request's JSON is broken") : events.status();
}

}  // namespace

std::string input_label(size_t place, const json& input) {
  const json* const name = member_of(input, "name");
  return name != nullptr && name->is_string() ? fmt::format("input '{}'", name->get_ref<const std::string&>())
                                              : fmt::format("inputs[{}]", place);
}

Result<TensorHead> input_head(size_t place, const json& input) {
  TensorHead head;
  head.label = input_label(place, input);
  for (const char* member : {"datatype", "shape"}) {
    if (!input.is_object() || !input.contains(member)) {
      return invalid_argument("{} has no '{}'", head.label, member);
    }
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string name,
                           text_from_json(input["datatype"], head.label + ": 'datatype'"));
  const Result<Datatype> datatype = datatype_of(std::string_view(name));
  if (!datatype.ok()) {
    return annotate(datatype.status(), head.label);
  }
  head.datatype = *datatype;
  FOREBAY_ASSIGN_OR_RETURN(head.shape, shape_from_json(input["shape"], head.label + ": 'shape'"));
  return head;
}

Result<RequestJson> read_request_json(std::string_view text, const RequestLimits& limits,
                                      const std::stop_token& stop) {
  RequestJson first;
  RequestEvents events(text.size(), limits, nullptr, &first, stop);
  FOREBAY_RETURN_IF_ERROR(read_events(text, events));
  if (!events.has_left_data()) {
    return first;
  }
  RequestJson second;
  second.data = std::move(first.data);
  RequestEvents again(text.size(), limits, &first.head["inputs"], &second, stop);
  FOREBAY_RETURN_IF_ERROR(read_events(text, again));
  return second;
}

}  // namespace forebay::serving
