#include "forebay/base/error_context.h"

#include <vector>

#include "absl/strings/cord.h"

namespace forebay {
namespace {

constexpr char kContextType[] = "forebay.dev/error-context";
constexpr char kSeparator = '\x1f';

std::string encode(const ErrorContext& context, const std::string& cause) {
  return fmt::format("{1}{0}{2}{0}{3}{0}{4}{0}{5}{0}{6}{0}{7}{0}{8}", kSeparator, context.epoch,
                     context.position, context.sample_index, context.origin.object,
                     context.origin.offset_bytes, context.origin.size_bytes, context.operator_name, cause);
}

std::vector<std::string> decode(const Status& status) {
  std::vector<std::string> fields;
  const auto payload = status.GetPayload(kContextType);
  if (!payload) {
    return fields;
  }
  const std::string text(*payload);
  size_t begin = 0;
  for (int i = 0; i < 7; ++i) {
    const size_t end = text.find(kSeparator, begin);
    fields.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  fields.push_back(text.substr(begin));
  return fields;
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
  complete(merged.operator_name, context.operator_name, std::string());
  // The fields are separated by a control character, which no name may carry into the encoding.
  for (std::string* name : {&merged.origin.object, &merged.operator_name}) {
    std::erase(*name, kSeparator);
  }
  const std::string cause = cause_of(status);
  const std::string where = words(merged);
  Status result(status.code(), where.empty() ? cause : fmt::format("{}: {}", where, cause));
  status.ForEachPayload(
      [&](absl::string_view type, const absl::Cord& payload) { result.SetPayload(type, payload); });
  result.SetPayload(kContextType, absl::Cord(encode(merged, cause)));
  return result;
}

std::optional<ErrorContext> context_of(const Status& status) {
  const std::vector<std::string> fields = decode(status);
  if (fields.empty()) {
    return std::nullopt;
  }
  ErrorContext context;
  context.epoch = std::stoll(fields[0]);
  context.position = std::stoll(fields[1]);
  context.sample_index = std::stoll(fields[2]);
  context.origin = {fields[3], std::stoull(fields[4]), std::stoull(fields[5])};
  context.operator_name = fields[6];
  return context;
}

std::string cause_of(const Status& status) {
  const std::vector<std::string> fields = decode(status);
  return fields.empty() ? std::string(message(status)) : fields[7];
}

}  // namespace forebay
