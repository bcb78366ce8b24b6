// What the schemes of remote stores share: from a URI and the options of a mount to a store, of which a
// process has one for each place, options and state of the environment.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/http_clients.h"
#include "forebay/storage/remote/open_stores.h"
#include "forebay/storage/remote/retry_options.h"
#include "forebay/storage/scheme.h"

namespace forebay::storage {

/// `Options` has `limits` (remote/rate_limiter.h) and `retries` (remote/retried_call.h).
template <class Options>
struct RemoteScheme {
  OptionTable<Options> options;
  /// Variables of the environment that decide, too, besides those of the options.
  std::vector<std::string> variables;
  /// Makes the store that holds `uri`. Asks nothing of a server.
  std::function<Result<std::shared_ptr<ObjectStore>>(const Uri& uri, const Options& options,
                                                     const Environment& environment)>
      open;
  /// Whether one store serves all hosts; keys then begin with the host. Else there is one for each authority.
  bool spans_hosts = false;
  /// What is asked for each URI of such a store; may be empty.
  std::function<Status(const Uri& uri, const StoreOptions& options)> check;
};

template <class Options>
std::vector<std::string> variables_of(const RemoteScheme<Options>& scheme) {
  std::vector<std::string> variables = connection_variables();
  variables.insert(variables.end(), scheme.variables.begin(), scheme.variables.end());
  for (const StoreOption<Options>& option : scheme.options) {
    variables.insert(variables.end(), option.spec.variables.begin(), option.spec.variables.end());
  }
  return variables;
}

/// settings_identity() of a use, for which stores look at the variables of `environment`.
inline std::string identity_of(const StoreUse& use, const EnvironmentIdentity& environment) {
  if (!use.identity.empty()) {
    return use.identity;
  }
  if (use.options.empty() && !use.variables) {
    return environment.get();
  }
  return settings_identity(use.options, use.variables ? *use.variables : environment.variables());
}

/// What a store is told, but for secrets: by its options, and where they say nothing by the environment.
/// Those to whom the same is told share its limits, whichever keys or tokens they have.
template <class Options>
StoreOptions public_settings(const OptionTable<Options>& table, const StoreOptions& options,
                             const Environment& environment) {
  StoreOptions told;
  for (const StoreOption<Options>& option : table) {
    if (option.spec.is_secret) {
      continue;
    }
    for (const std::string& variable : option.spec.variables) {
      if (const std::optional<std::string> value = environment(variable)) {
        told.try_emplace(option.spec.name, *value);  // the first that is set
      }
    }
    if (const auto given = options.find(option.spec.name); given != options.end()) {
      told[option.spec.name] = given->second;
    }
  }
  return told;
}

template <class Options>
StoreFactory remote_factory(RemoteScheme<Options> given) {
  auto environment = std::make_shared<const EnvironmentIdentity>(variables_of(given));
  return [scheme = std::make_shared<const RemoteScheme<Options>>(std::move(given)),
          settings = std::move(environment)](const Uri& uri, const StoreUse& use) -> Result<ObjectAddress> {
    if (scheme->check) {
      FOREBAY_RETURN_IF_ERROR(scheme->check(uri, use.options));
    }
    const std::string place = uri.scheme + "://" + (scheme->spans_hosts ? "" : uri.authority);
    const auto open = [&]() -> Result<std::shared_ptr<ObjectStore>> {
      const Environment environment = use.variables ? environment_of(*use.variables) : process_environment;
      FOREBAY_ASSIGN_OR_RETURN(Options parsed, parse_options(uri.scheme, scheme->options, use.options));
      parsed.limits.shared_as = store_identity(
          place, settings_identity(public_settings(scheme->options, use.options, environment)));
      FOREBAY_ASSIGN_OR_RETURN(parsed.retries.patience_ns, patience_of(use.options, environment));
      return scheme->open(uri, parsed, environment);
    };
    Result<std::shared_ptr<ObjectStore>> store =
        find_or_open_store(store_identity(place, identity_of(use, *settings)), open);
    FOREBAY_RETURN_IF_ERROR(annotate(store.status(), uri_for_message(uri.to_string())));
    std::string key = scheme->spans_hosts ? uri.authority + uri.path
                      : uri.path.empty()  ? std::string()
                                          : uri.path.substr(1);
    return ObjectAddress{*std::move(store), std::move(key)};
  };
}

}  // namespace forebay::storage
