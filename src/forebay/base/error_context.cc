#include "forebay/base/error_context.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "absl/strings/cord.h"

namespace forebay {
namespace {

constexpr char kContextType[] = "forebay.dev/error-context";
/// First the numbers, including the lengths of the two names; then the names and the cause, whatever bytes
/// they contain.
std::string encode(const ErrorContext& context, const std::string& cause) {
  const std::string& object = context.origin.object;
  return fmt::format("{} {} {} {} {} {} {} {} {}{}{}", context.epoch, context.position, context.sample_index,
                     context.origin.offset_bytes, context.origin.size_bytes, object.size(),
                     context.operator_name.size(), static_cast<int>(context.is_read), object,
                     context.operator_name, cause);
}

struct Decoded {
  ErrorContext context;
  std::string cause;
};

/// Removes a number and the following space from the front.
template <class T>
void take_number(std::string_view* text, T* value) {
  const char* const end = std::from_chars(text->data(), text->data() + text->size(), *value).ptr;
  text->remove_prefix(static_cast<size_t>(end - text->data()) + 1);
}

std::string take_text(std::string_view* text, size_t length) {
  std::string taken(text->substr(0, length));
  text->remove_prefix(length);
  return taken;
}

std::optional<Decoded> decode(const Status& status) {
  const auto payload = status.GetPayload(kContextType);
  if (!payload) {
    return std::nullopt;
  }
  const std::string encoded(*payload);
  std::string_view text = encoded;
  Decoded decoded;
  ErrorContext& context = decoded.context;
  size_t object_bytes = 0;
  size_t operator_bytes = 0;
  take_number(&text, &context.epoch);
  take_number(&text, &context.position);
  take_number(&text, &context.sample_index);
  take_number(&text, &context.origin.offset_bytes);
  take_number(&text, &context.origin.size_bytes);
  take_number(&text, &object_bytes);
  take_number(&text, &operator_bytes);
  int is_read = 0;
  take_number(&text, &is_read);
  context.is_read = is_read != 0;
  context.origin.object = take_text(&text, object_bytes);
  context.operator_name = take_text(&text, operator_bytes);
  decoded.cause = text;
  return decoded;
}

template <class T>
void complete(T& known, const T& offered, const T& unknown) {
  if (known == unknown) {
    known = offered;
  }
}

std::string words(const ErrorContext& context) {
  std::string text;
  if (context.position >= 0) {
    text += fmt::format("sample at position {} of epoch {}", context.position, context.epoch);
  }
  if (context.sample_index >= 0) {
    text += fmt::format("{}index {}", text.empty() ? "sample " : ", ", context.sample_index);
  }
  if (!context.origin.object.empty()) {
    text += fmt::format("{}'{}' at byte {}", text.empty() ? "" : ", ", context.origin.object,
                        context.origin.offset_bytes);
  }
  if (!context.operator_name.empty()) {
    text += fmt::format("{}operator '{}'", text.empty() ? "" : ", ", context.operator_name);
  }
  return text;
}

/// The same error in other words.
Status with_text(const Status& status, const std::string& text) {
  Status result(status.code(), text);
  status.ForEachPayload(
      [&](absl::string_view type, const absl::Cord& payload) { result.SetPayload(type, payload); });
  return result;
}

}  // namespace

Status with_context(const Status& status, const ErrorContext& context) {
  if (status.ok()) {
    return status;
  }
  ErrorContext merged = context_of(status).value_or(ErrorContext{});
  complete(merged.epoch, context.epoch, int64_t{-1});
  complete(merged.position, context.position, int64_t{-1});
  complete(merged.sample_index, context.sample_index, int64_t{-1});
  if (merged.origin.object.empty()) {
    merged.origin = context.origin;
  }
  if (merged.operator_name.empty()) {
    merged.operator_name = context.operator_name;
    merged.is_read = context.is_read;
  }
  const std::string cause = cause_of(status);
  const std::string where = words(merged);
  Status result = with_text(status, where.empty() ? cause : fmt::format("{}: {}", where, cause));
  result.SetPayload(kContextType, absl::Cord(encode(merged, cause)));
  return result;
}

std::optional<ErrorContext> context_of(const Status& status) {
  std::optional<Decoded> decoded = decode(status);
  return decoded ? std::optional<ErrorContext>(std::move(decoded->context)) : std::nullopt;
}

std::string cause_of(const Status& status) {
  std::optional<Decoded> decoded = decode(status);
  return decoded ? std::move(decoded->cause) : std::string(message(status));
}

Status without_context(const Status& status) {
  if (status.ok()) {
    return status;
  }
  Status result = with_text(status, cause_of(status));
  result.ErasePayload(kContextType);
  return result;
}

}  // namespace forebay
