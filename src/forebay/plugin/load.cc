#include "forebay/plugin/load.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>

#include "forebay/operators/added_operators.h"
#include "forebay/plugin/call.h"
#include "forebay/plugin/plugin_api.h"
#include "forebay/plugin/read_library.h"

namespace forebay::plugin {
namespace {

using Version = decltype(&forebay_plugin_abi);
using Entry = decltype(&forebay_plugin_library);

constexpr const char* kVersionSymbol = "forebay_plugin_abi";
constexpr const char* kEntrySymbol = "forebay_plugin_library";

/// Names that graphs and Python have for their own.
constexpr const char* kReservedNames[] = {"external_source", "python_function"};

struct Closer {
  void operator()(void* handle) const { ::dlclose(handle); }
};
using Handle = std::unique_ptr<void, Closer>;

std::string last_error() {
  const char* const text = ::dlerror();
  return text == nullptr ? std::string("the system gives no reason") : readable(text);
}

Status check_path(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return invalid_argument("'{}' is no name of a file", readable(path));
  }
  if (path.find('/') != std::string::npos && ::access(path.c_str(), F_OK) != 0) {
    const int error_number = errno;
    return errno_status(error_number, readable(path));
  }
  return ok_status();
}

Result<Handle> open(const std::string& path, bool global_symbols) {
  Handle handle(::dlopen(path.c_str(), RTLD_NOW | (global_symbols ? RTLD_GLOBAL : RTLD_LOCAL)));
  if (handle != nullptr) {
    return handle;
  }
  const std::string why = last_error();
  const bool is_here = path.find('/') == std::string::npos && ::access(path.c_str(), F_OK) == 0;
  return failed_precondition("'{}' cannot be loaded: {}{}", readable(path), why,
                             is_here ? "; for the file in this folder give './" + readable(path) + "'" : "");
}

std::string version_text(uint32_t abi) {
  return fmt::format("{}.{}", abi >> 16, abi & 0xffff);
}

Status check_version(void* handle, const std::string& path) {
  const auto version = reinterpret_cast<Version>(::dlsym(handle, kVersionSymbol));
  if (version == nullptr) {
    return failed_precondition(
        "'{}' is no library of operators for Forebay: it has no symbol `{}`, which FOREBAY_PLUGIN makes",
        path, kVersionSymbol);
  }
  const uint32_t abi = version();
  if (abi >> 16 != FOREBAY_PLUGIN_ABI_MAJOR || (abi & 0xffff) > FOREBAY_PLUGIN_ABI_MINOR) {
    return failed_precondition(
        "'{}' was compiled for version {} of the plugin ABI, and this Forebay has version {}: compile it "
        "with the headers of this one",
        path, version_text(abi), version_text(FOREBAY_PLUGIN_ABI));
  }
  return ok_status();
}

Result<const ForebayPluginLibrary*> table_of(void* handle, const std::string& path) {
  const auto entry = reinterpret_cast<Entry>(::dlsym(handle, kEntrySymbol));
  if (entry == nullptr) {
    return failed_precondition("'{}' has no symbol `{}`, which FOREBAY_PLUGIN makes", path, kEntrySymbol);
  }
  const ForebayPluginLibrary* library = nullptr;
  const Status outcome = outcome_of(nullptr, [&](ForebayPluginError* error) -> int32_t {
    library = entry(&host_functions(), error);
    return library == nullptr ? kForebayPluginFailedPrecondition : kForebayPluginOk;
  });
  FOREBAY_RETURN_IF_ERROR(annotate(outcome, "the library '" + path + "' gives no operators"));
  return library;
}

Status check_reserved(const operators::AddedOperators& added, const LoadOptions& options) {
  std::vector<std::string> reserved(std::begin(kReservedNames), std::end(kReservedNames));
  reserved.insert(reserved.end(), options.reserved_names.begin(), options.reserved_names.end());
  for (const operators::OperatorSpec& row : added.rows) {
    const std::string first = operators::folded_name(row.name.substr(0, row.name.find('.')));
    for (const std::string& name : reserved) {
      if (operators::folded_name(name) == first) {
        return already_exists(
            "the library '{}' has an operator '{}', and the name '{}' is taken: rename the operator",
            added.library, row.name, name);
      }
    }
  }
  return ok_status();
}

}  // namespace

Status load_operators(const std::string& path, const LoadOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check_path(path));
  FOREBAY_ASSIGN_OR_RETURN(Handle handle, open(path, options.global_symbols));
  // The system has one handle for a library, whatever it was called and however often it was loaded.
  if (operators::has_operators_of(handle.get())) {
    return ok_status();
  }
  const std::string shown = readable(path);
  FOREBAY_RETURN_IF_ERROR(check_version(handle.get(), shown));
  // From here on its code has run, and made what only its own memory leads to: it stays, also if refused.
  void* const kept = handle.release();
  FOREBAY_ASSIGN_OR_RETURN(const ForebayPluginLibrary* library, table_of(kept, shown));
  operators::AddedOperators added{readable(std::filesystem::path(path).filename().string()), kept, {}};
  FOREBAY_ASSIGN_OR_RETURN(added.rows, read_library(library, added.library));
  FOREBAY_RETURN_IF_ERROR(check_reserved(added, options));
  return operators::add_operators(std::move(added)).status();
}

}  // namespace forebay::plugin
