#include "forebay/plugin/values.h"

#include "forebay/operators/parameter.h"

namespace forebay::plugin {
namespace {

// A library's mistake shall not take all memory.
constexpr size_t kLongestText = size_t{1} << 20;
constexpr size_t kLongestList = size_t{1} << 20;

static_assert(static_cast<int>(ArgumentKind::kBool) + 1 == kForebayPluginKindBool);
static_assert(static_cast<int>(ArgumentKind::kStringList) + 1 == kForebayPluginKindStringList);
static_assert(static_cast<int>(ArgumentKind::kDType) + 1 == kForebayPluginKindDType);
static_assert(static_cast<int>(ArgumentKind::kLayout) + 1 == kForebayPluginKindLayout);

Result<std::string> text_of(const ForebayPluginText& text) {
  if (text.bytes > kLongestText) {
    return invalid_argument("a text of {} bytes is longer than the {} that are allowed", text.bytes,
                            kLongestText);
  }
  if (text.data == nullptr && text.bytes != 0) {
    return invalid_argument("a text of {} bytes is at no address", text.bytes);
  }
  return text.bytes == 0 ? std::string() : std::string(text.data, text.bytes);
}

template <class T>
Result<std::vector<T>> list_of(const T* items, size_t count) {
  if (count > kLongestList) {
    return invalid_argument("a list of {} items is longer than the {} that are allowed", count, kLongestList);
  }
  if (items == nullptr && count != 0) {
    return invalid_argument("a list of {} items is at no address", count);
  }
  return count == 0 ? std::vector<T>() : std::vector<T>(items, items + count);
}

Result<Value> text_value(const ForebayPluginText& text) {
  FOREBAY_ASSIGN_OR_RETURN(std::string copy, text_of(text));
  return Value(std::move(copy));
}

template <class T>
Result<Value> list_value(const T* items, size_t count) {
  FOREBAY_ASSIGN_OR_RETURN(std::vector<T> copy, list_of(items, count));
  return Value(std::move(copy));
}

Result<Value> texts_value(const ForebayPluginText* items, size_t count) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<ForebayPluginText> texts, list_of(items, count));
  std::vector<std::string> copies;
  for (const ForebayPluginText& text : texts) {
    FOREBAY_ASSIGN_OR_RETURN(copies.emplace_back(), text_of(text));
  }
  return Value(std::move(copies));
}

ForebayPluginText view_of(const std::string& text) {
  return {text.data(), text.size()};
}

Status fill_strings(const Value& value, GivenValue* given) {
  FOREBAY_ASSIGN_OR_RETURN(given->strings, operators::to_texts(value));
  for (const std::string& text : given->strings) {
    given->texts.push_back(view_of(text));
  }
  given->value.count = given->texts.size();
  given->value.texts = given->texts.data();
  return ok_status();
}

Status fill_text(const Value& value, ArgumentKind kind, GivenValue* given) {
  FOREBAY_ASSIGN_OR_RETURN(given->text, operators::to_text(value));
  if (kind == ArgumentKind::kLayout && given->text.size() > tensor::kMaxRank) {
    return invalid_argument("the layout '{}' has more than {} axes", given->text, tensor::kMaxRank);
  }
  given->value.text = view_of(given->text);
  return ok_status();
}

Status fill_list(const Value& value, ArgumentKind kind, GivenValue* given) {
  if (kind == ArgumentKind::kIntList) {
    FOREBAY_ASSIGN_OR_RETURN(given->integers, operators::to_ints(value));
    given->value.count = given->integers.size();
    given->value.integers = given->integers.data();
  } else {
    FOREBAY_ASSIGN_OR_RETURN(given->numbers, operators::to_floats(value));
    given->value.count = given->numbers.size();
    given->value.numbers = given->numbers.data();
  }
  return ok_status();
}

}  // namespace

Result<ArgumentKind> argument_kind_of(int32_t kind) {
  if (kind < kForebayPluginKindBool || kind > kForebayPluginKindLayout) {
    return invalid_argument("kind {} is none that a parameter can have", kind);
  }
  return static_cast<ArgumentKind>(kind - 1);
}

int32_t plugin_kind_of(ArgumentKind kind) {
  return static_cast<int32_t>(kind) + 1;
}

Result<Value> value_of(const ForebayPluginValue* value, ArgumentKind kind) {
  if (value == nullptr) {
    return Value();
  }
  if (value->struct_bytes < sizeof(ForebayPluginValue)) {
    return invalid_argument("the default says that it has {} bytes, {} are the least", value->struct_bytes,
                            sizeof(ForebayPluginValue));
  }
  if (value->kind != plugin_kind_of(kind)) {
    return invalid_argument("the default is of kind {}, the parameter of kind {}", value->kind,
                            plugin_kind_of(kind));
  }
  switch (kind) {
    case ArgumentKind::kBool:
      return Value(value->integer != 0);
    case ArgumentKind::kInt:
    case ArgumentKind::kDType:
    case ArgumentKind::kImageType:
    case ArgumentKind::kInterpType:
      return Value(value->integer);
    case ArgumentKind::kFloat:
      return Value(value->number);
    case ArgumentKind::kString:
    case ArgumentKind::kLayout:
      return text_value(value->text);
    case ArgumentKind::kIntList:
      return list_value(value->integers, value->count);
    case ArgumentKind::kFloatList:
      return list_value(value->numbers, value->count);
    case ArgumentKind::kStringList:
      return texts_value(value->texts, value->count);
  }
  return internal_error("a kind of argument without a value");
}

Status fill(const Value& value, ArgumentKind kind, GivenValue* given) {
  given->value.struct_bytes = sizeof(ForebayPluginValue);
  given->value.kind = kForebayPluginKindNone;
  if (std::holds_alternative<std::monostate>(value)) {
    return ok_status();
  }
  given->value.kind = plugin_kind_of(kind);
  switch (kind) {
    case ArgumentKind::kBool: {
      FOREBAY_ASSIGN_OR_RETURN(const bool flag, operators::to_bool(value));
      given->value.integer = flag ? 1 : 0;
      return ok_status();
    }
    case ArgumentKind::kInt:
    case ArgumentKind::kDType:
    case ArgumentKind::kImageType:
    case ArgumentKind::kInterpType: {
      FOREBAY_ASSIGN_OR_RETURN(given->value.integer, operators::to_int(value));
      return ok_status();
    }
    case ArgumentKind::kFloat: {
      FOREBAY_ASSIGN_OR_RETURN(given->value.number, operators::to_float(value));
      return ok_status();
    }
    case ArgumentKind::kString:
    case ArgumentKind::kLayout:
      return fill_text(value, kind, given);
    case ArgumentKind::kIntList:
    case ArgumentKind::kFloatList:
      return fill_list(value, kind, given);
    case ArgumentKind::kStringList:
      return fill_strings(value, given);
  }
  return internal_error("a kind of argument without a value");
}

}  // namespace forebay::plugin
