// Constants on their way across the border: what a library gives as a default becomes a Value, and the value
// of an argument becomes what a library takes.
#pragma once

#include <string>
#include <vector>

#include "forebay/operators/value.h"
#include "forebay/plugin/plugin_api.h"

namespace forebay::plugin {

using operators::ArgumentKind;
using operators::Value;

/// invalid_argument for a number that is no ForebayPluginKind, or "none".
Result<ArgumentKind> argument_kind_of(int32_t kind);
int32_t plugin_kind_of(ArgumentKind kind);

/// A default, which must be of that kind. Null gives no value.
Result<Value> value_of(const ForebayPluginValue* value, ArgumentKind kind);

/// Holds what `value` points to. Filled where it stays: not to be copied or moved after that.
struct GivenValue {
  ForebayPluginValue value = {};
  std::string text;
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  std::vector<std::string> strings;
  std::vector<ForebayPluginText> texts;
};

/// Converts the value of an argument to the kind of its parameter. No value gives kind none.
Status fill(const Value& value, ArgumentKind kind, GivenValue* given);

}  // namespace forebay::plugin
