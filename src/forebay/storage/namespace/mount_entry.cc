#include "forebay/storage/namespace/mount_entry.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "forebay/base/utf8.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxPathBytes = 4096;
constexpr size_t kMaxUriBytes = 8192;
constexpr size_t kMaxOptions = 64;
constexpr size_t kMaxOptionBytes = 65536;

/// "http://user:password@host/": credentials belong into options, which are never shown. Keys of S3 may hold
/// a slash, so what is before it need not have the "@".
bool holds_password(const Uri& uri) {
  if (uri.scheme == "s3" && uri.authority.find_first_of(":@") != std::string::npos) {
    return true;
  }
  const size_t at = uri.authority.rfind('@');
  return at != std::string::npos && uri.authority.substr(0, at).find(':') != std::string::npos;
}

Status check_uri(const MountEntry& entry) {
  if (entry.uri.size() > kMaxUriBytes) {
    return invalid_argument("{}: a URI of {} bytes; at most {} are allowed", entry.path, entry.uri.size(),
                            kMaxUriBytes);
  }
  const Result<Uri> uri = parse_uri(entry.uri);
  if (!uri.ok()) {
    return annotate(uri.status(), entry.path);
  }
  if (holds_password(*uri)) {
    return invalid_argument("{}: the URI holds a password; give it as an option", entry.path);
  }
  if (uri->is_plain_path) {
    return invalid_argument("{}: '{}' is not a URI; for a local folder write file:///...", entry.path,
                            entry.uri);
  }
  if (uri->scheme == "forebay") {
    return invalid_argument("{}: {} is the namespace itself; mount what lies behind it", entry.path,
                            entry.uri);
  }
  if (uri->scheme == "file" && !uri->path.starts_with('/')) {
    return invalid_argument("{}: {} is not an absolute path", entry.path, entry.uri);
  }
  return ok_status();
}

Status check_snapshot(const MountEntry& entry) {
  if (entry.snapshot.empty()) {
    return ok_status();
  }
  const bool is_path = entry.snapshot.starts_with('/') && entry.snapshot.size() <= kMaxPathBytes &&
                       entry.snapshot.find('\0') == std::string::npos;
  if (!is_path) {
    return invalid_argument("{}: the snapshot '{}' is not an absolute path", entry.path, entry.snapshot);
  }
  return entry.read_only ? ok_status()
                         : invalid_argument("{}: a mount with a snapshot is read-only", entry.path);
}

Status check_write_back(const MountEntry& entry) {
  if (entry.write_back_bytes == 0) {
    return ok_status();
  }
  if (entry.read_only) {
    return invalid_argument("{}: a mount that is read-only is not written back", entry.path);
  }
  FOREBAY_ASSIGN_OR_RETURN(const Uri uri, parse_uri(entry.uri));
  if (!is_cached(uri.scheme, entry.options)) {
    return invalid_argument(
        "{}: {} is as near as the journal of the daemon would be; only what its cache holds is written back",
        entry.path, entry.uri);
  }
  if (uri.scheme == "http" || uri.scheme == "https") {
    return invalid_argument("{}: nothing is written to {}", entry.path, entry.uri);
  }
  return ok_status();
}

Status check_options(const MountEntry& entry) {
  if (entry.options.size() > kMaxOptions) {
    return invalid_argument("{}: {} options; at most {} are allowed", entry.path, entry.options.size(),
                            kMaxOptions);
  }
  for (const auto& [name, value] : entry.options) {
    if (name.empty() || name.size() > kMaxOptionBytes || value.size() > kMaxOptionBytes) {
      return invalid_argument("{}: an option without a name, or of more than {} bytes", entry.path,
                              kMaxOptionBytes);
    }
    if (!is_utf8(name)) {
      return invalid_argument("{}: the name of an option is not UTF-8", entry.path);
    }
    if (value.find('\0') != std::string::npos) {
      return invalid_argument("{}: the value of {} holds a NUL byte", entry.path, name);
    }
  }
  return ok_status();
}

}  // namespace

Result<std::string> normal_path(std::string_view path) {
  if (!path.starts_with('/')) {
    return invalid_argument("'{}' is not an absolute path", path);
  }
  if (path.find('\0') != std::string_view::npos) {
    return invalid_argument("a path with a NUL byte");
  }
  if (path.size() > kMaxPathBytes) {
    return invalid_argument("a path of {} bytes; at most {} are allowed", path.size(), kMaxPathBytes);
  }
  std::string normal;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part == "..") {
      return invalid_argument("'{}': '..' is not allowed in the path of a mount", path);
    }
    if (!part.empty() && part != ".") {
      normal += '/';
      normal += part;
    }
    begin = end + 1;
  }
  return normal.empty() ? "/" : normal;
}

Status check_entry(const MountEntry& entry) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string path, normal_path(entry.path));
  if (path != entry.path) {
    return invalid_argument("'{}' is not a normal path; write '{}'", entry.path, path);
  }
  FOREBAY_RETURN_IF_ERROR(check_uri(entry));
  FOREBAY_RETURN_IF_ERROR(check_snapshot(entry));
  FOREBAY_RETURN_IF_ERROR(check_write_back(entry));
  return check_options(entry);
}

Result<std::string> namespace_path(std::string_view path_or_uri) {
  FOREBAY_ASSIGN_OR_RETURN(const Uri uri, parse_uri(path_or_uri));
  if (uri.scheme == "forebay") {
    return normal_path("/" + uri.authority + uri.path);
  }
  if (!uri.is_plain_path) {
    return invalid_argument("'{}' is not a path; mounts lie at paths such as /data", path_or_uri);
  }
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(uri.path, error);
  if (error) {
    return annotate(errno_status(error.value(), "the current directory"), path_or_uri);
  }
  return normal_path(whole.lexically_normal().native());
}

Status check_store(const MountEntry& entry, const StoreSchemes& schemes) {
  FOREBAY_ASSIGN_OR_RETURN(const Uri uri, parse_uri(entry.uri));
  const Result<std::vector<StoreOptionSpec>> known = schemes.options_of(uri.scheme);
  if (!known.ok()) {
    return annotate(known.status(), entry.uri);
  }
  for (const auto& [name, value] : entry.options) {
    FOREBAY_RETURN_IF_ERROR(check_option_name(uri.scheme, name, *known));
  }
  return ok_status();
}

bool is_secret(const StoreSchemes& schemes, std::string_view scheme, std::string_view option) {
  const Result<std::vector<StoreOptionSpec>> known = schemes.options_of(scheme);
  if (!known.ok()) {
    return true;
  }
  const auto found =
      std::ranges::find_if(*known, [&](const StoreOptionSpec& spec) { return spec.name == option; });
  return found == known->end() || found->is_secret;
}

StoreOptions shown_options(const MountEntry& entry, const StoreSchemes& schemes) {
  const Result<Uri> uri = parse_uri(entry.uri);
  StoreOptions shown = entry.options;
  for (auto& [name, value] : shown) {
    if (!uri.ok() || is_secret(schemes, uri->scheme, name)) {
      value = "***";
    }
  }
  return shown;
}

}  // namespace forebay::storage
