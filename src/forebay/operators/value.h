// Argument values as stored in a graph, before an operator takes them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::operators {

/// Enumerations (dtype, image type, filter) are stored as numbers.
using Value = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<int64_t>,
                           std::vector<double>, std::vector<std::string>>;

/// What a parameter accepts. Determines the Python annotation and how a Value is checked.
enum class ArgumentKind {
  kBool,
  kInt,
  kFloat,
  kString,
  kIntList,
  kFloatList,
  kStringList,
  kDType,       // types.UINT8, ...
  kImageType,   // types.RGB, ...
  kInterpType,  // types.INTERP_LINEAR, ...
  kLayout,      // "HWC"
};

/// Which numbers that are not finite a parameter takes.
enum class OddNumbers : uint8_t {
  kNone,
  kInfinities,
  kAll,  // NaN, too
};

std::string_view name_of(
    ArgumentKind kind);  // as in a Python annotation: "int", "list[float]", "DALIDataType"

/// "None", "True", "1.5", "'HWC'", "[1, 2]": as Python would print it.
std::string to_string(const Value& value);

/// The arguments that a graph node gives an operator.
struct Arguments {
  std::map<std::string, Value> constants;
  std::map<std::string, int> tensors;  // parameter -> slot among the sample's argument tensors
  int num_inputs = 0;
};

}  // namespace forebay::operators
