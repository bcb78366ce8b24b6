// The options of stores: what people are told of them, and how they are read, from one table.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::storage {

/// Settings of one store, such as its endpoint or credentials, by name.
using StoreOptions = std::map<std::string, std::string, std::less<>>;

/// Variables of an environment that stores look at, by name. May hold secrets.
using StoreVariables = std::map<std::string, std::string, std::less<>>;

/// An option that the stores of a scheme take, as people are told of it.
struct StoreOptionSpec {
  std::string name;
  std::string help;        // one line
  bool is_secret = false;  // never printed or logged, and refused on a command line
  std::string type = "text";
  std::string by_default;              // what holds where nobody says anything; empty: nothing
  std::vector<std::string> variables;  // of the environment, that stand in for it; the first that is set wins
};

/// The type of options that are on or off.
inline constexpr char kSwitchType[] = "true or false";

/// 1, true, yes, on, or 0, false, no, off, in any case. invalid_argument, which names `name`, for other
/// words.
Result<bool> parse_switch(std::string_view name, std::string_view value);

/// The finite number that `text` is as a whole; nothing if it is none.
std::optional<double> number_in(std::string_view text);

/// Whether stores that take `known` take `name`.
bool takes_option(const std::vector<StoreOptionSpec>& known, std::string_view name);

/// invalid_argument, which lists the known options, unless `name` is one of them.
Status check_option_name(std::string_view scheme, std::string_view name,
                         const std::vector<StoreOptionSpec>& known);

/// A row of a scheme's table.
template <class Options>
struct StoreOption {
  StoreOptionSpec spec;
  /// invalid_argument for a wrong value; without the value, if it is a secret.
  std::function<Status(Options& options, const std::string& value)> set;
};

template <class Options>
using OptionTable = std::vector<StoreOption<Options>>;

template <class Options>
StoreOption<Options> text_option(StoreOptionSpec spec, std::string Options::*field) {
  return {std::move(spec), [field](Options& options, const std::string& value) {
            options.*field = value;
            return ok_status();
          }};
}

template <class Options>
StoreOption<Options> switch_option(StoreOptionSpec spec, bool Options::*field) {
  spec.type = kSwitchType;
  spec.by_default = spec.by_default.empty() ? "false" : spec.by_default;
  return {spec, [field, name = spec.name](Options& options, const std::string& value) {
            FOREBAY_ASSIGN_OR_RETURN(options.*field, parse_switch(name, value));
            return ok_status();
          }};
}

template <class Options>
std::vector<StoreOptionSpec> specs_of(const OptionTable<Options>& table) {
  std::vector<StoreOptionSpec> specs;
  for (const StoreOption<Options>& option : table) {
    specs.push_back(option.spec);
  }
  return specs;
}

/// `given` as the scheme's options. invalid_argument for names that it has not, and for wrong values.
template <class Options>
Result<Options> parse_options(std::string_view scheme, const OptionTable<Options>& table,
                              const StoreOptions& given) {
  Options options;
  for (const auto& [name, value] : given) {
    FOREBAY_RETURN_IF_ERROR(check_option_name(scheme, name, specs_of(table)));
    for (const StoreOption<Options>& option : table) {
      if (option.spec.name == name) {
        FOREBAY_RETURN_IF_ERROR(option.set(options, value));
      }
    }
  }
  return options;
}

}  // namespace forebay::storage
