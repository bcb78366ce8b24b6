// Fields of a JSON message, read by name and type; what is missing or of another type is an error that names
// the field. Only worker_message.cc includes it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

/// Borrows a JSON object.
class MessageFields {
 public:
  explicit MessageFields(const nlohmann::json& object) : object_(object) {}

  bool has(const char* name) const { return object_.contains(name); }

  Result<std::string> text(const char* name) const {
    const nlohmann::json* const value = find(name);
    if (value == nullptr || !value->is_string()) {
      return wrong(name, "a string");
    }
    return value->get<std::string>();
  }

  /// Without `fallback` it must be there. Negative and too large ones are refused where T cannot hold them.
  template <class T>
  Result<T> number(const char* name, std::optional<T> fallback = std::nullopt) const {
    const nlohmann::json* const value = find(name);
    if (value == nullptr && fallback) {
      return *fallback;
    }
    const std::optional<T> got = value == nullptr ? std::nullopt : whole<T>(*value);
    return got ? Result<T>(*got) : wrong(name, "a whole number");
  }

  /// None where the field is missing.
  template <class T>
  Result<std::vector<T>> numbers(const char* name) const {
    std::vector<T> all;
    FOREBAY_RETURN_IF_ERROR(for_each(name, [&](const nlohmann::json& value) -> Status {
      const std::optional<T> got = whole<T>(value);
      if (!got) {
        return wrong(name, "an array of whole numbers");
      }
      all.push_back(*got);
      return ok_status();
    }));
    return all;
  }

  Result<std::vector<std::string>> texts(const char* name) const {
    std::vector<std::string> all;
    FOREBAY_RETURN_IF_ERROR(for_each(name, [&](const nlohmann::json& value) -> Status {
      if (!value.is_string()) {
        return wrong(name, "an array of strings");
      }
      all.push_back(value.get<std::string>());
      return ok_status();
    }));
    return all;
  }

  /// The objects of an array, each read by `read`.
  template <class T>
  Result<std::vector<T>> each(const char* name, Result<T> (*read)(const MessageFields&)) const {
    std::vector<T> all;
    FOREBAY_RETURN_IF_ERROR(for_each(name, [&](const nlohmann::json& value) -> Status {
      if (!value.is_object()) {
        return wrong(name, "an array of objects");
      }
      FOREBAY_ASSIGN_OR_RETURN(T one, read(MessageFields(value)));
      all.push_back(std::move(one));
      return ok_status();
    }));
    return all;
  }

  Result<Datatype> datatype(const char* name) const {
    FOREBAY_ASSIGN_OR_RETURN(const std::string word, text(name));
    return datatype_of(std::string_view(word).substr(0, 100));
  }

  Result<Parameters> parameters(const char* name) const {
    Parameters all;
    const nlohmann::json* const value = find(name);
    if (value == nullptr) {
      return all;
    }
    if (!value->is_object()) {
      return wrong(name, "an object");
    }
    for (const auto& [key, one] : value->items()) {
      if (one.is_boolean()) {
        all[key] = one.get<bool>();
      } else if (const std::optional<int64_t> number = whole<int64_t>(one)) {
        all[key] = *number;
      } else if (one.is_number()) {
        all[key] = one.get<double>();
      } else if (one.is_string()) {
        all[key] = one.get<std::string>();
      } else {
        return wrong(name, "an object of numbers, strings and booleans");
      }
    }
    return all;
  }

 private:
  const nlohmann::json* find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  static Status wrong(const char* name, const char* what) {
    return invalid_argument("the field '{}' of a message is not {}", name, what);
  }

  template <class T>
  static std::optional<T> whole(const nlohmann::json& value) {
    if (value.is_number_unsigned()) {
      const auto number = value.get<uint64_t>();
      return std::in_range<T>(number) ? std::optional<T>(static_cast<T>(number)) : std::nullopt;
    }
    if (value.is_number_integer()) {
      const auto number = value.get<int64_t>();
      return std::in_range<T>(number) ? std::optional<T>(static_cast<T>(number)) : std::nullopt;
    }
    return std::nullopt;
  }

  Status for_each(const char* name, const std::function<Status(const nlohmann::json&)>& take) const {
    const nlohmann::json* const value = find(name);
    if (value == nullptr) {
      return ok_status();
    }
    if (!value->is_array()) {
      return wrong(name, "an array");
    }
    for (const nlohmann::json& one : *value) {
      FOREBAY_RETURN_IF_ERROR(take(one));
    }
    return ok_status();
  }

  const nlohmann::json& object_;
};

/// Owns the JSON of a message.
class ParsedMessage {
 public:
  static Result<ParsedMessage> parse(std::string_view text) {
    ParsedMessage parsed;
    parsed.json_ = nlohmann::json::parse(text, nullptr, false);
    if (!parsed.json_.is_object()) {
      return invalid_argument("a message of {} bytes is no JSON object", text.size());
    }
    return parsed;
  }

  MessageFields fields() const { return MessageFields(json_); }

 private:
  nlohmann::json json_;
};

}  // namespace forebay::serving
