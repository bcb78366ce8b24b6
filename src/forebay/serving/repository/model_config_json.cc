// The configuration as JSON. Protobuf writes 64-bit numbers as strings; Triton writes numbers, and so do we.
#include <google/protobuf/util/json_util.h>

#include <nlohmann/json.hpp>
#include <string>

#include "forebay/base/check.h"
#include "forebay/serving/repository/model_config_message.h"

namespace forebay::serving {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using nlohmann::ordered_json;

void set_numbers(const Descriptor& type, ordered_json* object);

void set_number(const FieldDescriptor& field, ordered_json* value) {
  if (value->is_array()) {
    for (ordered_json& each : *value) {
      set_number(field, &each);
    }
  } else if (field.message_type() != nullptr) {
    set_numbers(*field.message_type(), value);
  } else if (!value->is_string()) {
    return;
  } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
    *value = std::stoll(value->get<std::string>());
  } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
    *value = std::stoull(value->get<std::string>());
  }
}

void set_numbers(const Descriptor& type, ordered_json* object) {
  for (auto& [key, value] : object->items()) {
    const FieldDescriptor* const field = type.FindFieldByName(key);
    if (field == nullptr || value.is_null()) {
      continue;
    }
    if (!field->is_map()) {
      set_number(*field, &value);
      continue;
    }
    for (auto& entry : value.items()) {
      set_number(*field->message_type()->map_value(), &entry.value());
    }
  }
}

}  // namespace

std::string to_json(const ModelConfig& config) {
  const ::inference::ModelConfig message = message_of(config);
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok()) {
    return "{}";  // names that are no UTF-8, which parsing refuses
  }
  ordered_json object = ordered_json::parse(text, nullptr, false);
  if (object.is_discarded()) {
    return "{}";  // the same
  }
  set_numbers(*message.GetDescriptor(), &object);
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace forebay::serving
