#include "forebay/cli/objects/place.h"

#include <ctime>
#include <utility>

#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/uri.h"

namespace forebay::cli {

Result<storage::ObjectAddress> resolve(const std::string& name) {
  return storage::default_registry().resolve(name);
}

Result<Target> find_target(const std::string& to, const Place& from, const storage::CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address, resolve(to));
  const Result<storage::Entry> there = storage::find_entry(*address.store, address.key, context);
  if (!to.ends_with('/') && !(there.ok() && there->is_folder)) {
    return Target{std::move(address)};
  }
  const std::string name = from.address.store->name_of(last_name(from.name));
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
    return invalid_argument("{} has no name that it could have in {}", from.name, to);
  }
  FOREBAY_ASSIGN_OR_RETURN(address, resolve((to.ends_with('/') ? to : to + "/") + name));
  return Target{std::move(address), true};
}

std::string last_name(const std::string& name) {
  const size_t end = name.find_last_not_of('/');
  return end == std::string::npos ? "" : std::string(storage::base_name(name.substr(0, end + 1)));
}

std::string time_text(int64_t modified_ns) {
  if (modified_ns == 0) {
    return "-";
  }
  const std::time_t seconds = modified_ns / 1'000'000'000;
  std::tm parts{};
  char text[32];
  const bool is_known = ::localtime_r(&seconds, &parts) != nullptr;
  return is_known && std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &parts) > 0 ? text : "-";
}

}  // namespace forebay::cli
