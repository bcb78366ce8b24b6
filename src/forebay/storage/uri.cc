#include "forebay/storage/uri.h"

#include <algorithm>
#include <utility>

#include "forebay/net/url.h"

namespace forebay::storage {
namespace {

bool is_scheme_character(char c, bool first) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (!first && ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'));
}

bool is_scheme(std::string_view text) {
  if (text.empty()) {
    return false;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is_scheme_character(text[i], i == 0)) {
      return false;
    }
  }
  return true;
}

/// Whether it is a URI in which a percent sign is an escape.
bool has_escapes(std::string_view path_or_uri) {
  const Result<Uri> uri = parse_uri(path_or_uri);
  return uri.ok() && uri->scheme == "file" && !uri->is_plain_path;
}

/// The scheme as Forebay calls it.
std::string_view own_name(std::string_view scheme) {
  constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
      {"abfss", "abfs"}, {"gcs", "gs"}, {"s3a", "s3"}};
  for (const auto& [alias, name] : kAliases) {
    if (scheme == alias) {
      return name;
    }
  }
  return scheme;
}

}  // namespace

std::string Uri::to_string() const {
  return scheme == "file" ? path : scheme + "://" + authority + path;
}

Result<Uri> parse_uri(std::string_view text) {
  if (text.empty()) {
    return invalid_argument("an empty path");
  }
  Uri uri;
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos || !is_scheme(text.substr(0, colon))) {
    uri.path = text;
    uri.is_plain_path = true;
  } else {
    uri.scheme = text.substr(0, colon);
    std::transform(uri.scheme.begin(), uri.scheme.end(), uri.scheme.begin(),
                   [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
    uri.scheme = own_name(uri.scheme);
    const std::string_view rest = text.substr(colon + 3);
    const size_t slash = std::min(rest.find('/'), rest.size());
    uri.authority = rest.substr(0, slash);
    uri.path = rest.substr(slash);
    if (uri.scheme == "file") {
      const Result<std::string> path = net::percent_decoded(uri.path);
      if (!path.ok() || path->empty()) {
        return invalid_argument("'{}' is not a file URI", text);
      }
      if (!uri.authority.empty() && uri.authority != "localhost") {
        return invalid_argument("'{}': a file URI may not name a host", text);
      }
      uri.authority.clear();
      uri.path = *path;
    }
  }
  if (uri.path.find('\0') != std::string::npos) {
    return invalid_argument("a path with a NUL byte");
  }
  return uri;
}

std::string_view bucket_of(const Uri& uri) {
  const std::string_view authority = uri.authority;
  return uri.scheme == "abfs" ? authority.substr(0, authority.rfind('@')) : authority;
}

std::string uri_for_message(std::string_view path_or_uri) {
  const Result<Uri> uri = parse_uri(path_or_uri);
  const bool is_of_azure = uri.ok() && (uri->scheme == "az" || uri->scheme == "abfs");
  const bool is_of_cloud = is_of_azure || (uri.ok() && (uri->scheme == "s3" || uri->scheme == "gs"));
  const std::string_view name = uri.ok() ? bucket_of(*uri) : std::string_view();
  if (is_of_cloud && name_for_message(name) != name) {
    return uri->scheme + "://***";
  }
  const size_t signature = is_of_azure ? path_or_uri.find("sig=") : std::string::npos;
  if (signature != std::string::npos) {
    return std::string(path_or_uri.substr(0, std::min(signature, path_or_uri.find('?'))));
  }
  const size_t at =
      uri.ok() && uri->scheme.ends_with("webhdfs") ? uri->authority.rfind('@') : std::string::npos;
  if (at != std::string::npos) {
    return uri->scheme + "://" + uri->authority.substr(at + 1) + uri->path;
  }
  const bool is_url = uri.ok() && (uri->scheme == "http" || uri->scheme == "https");
  return is_url ? net::url_for_message(path_or_uri) : std::string(path_or_uri);
}

// No bucket has such a name: "id:secret@bucket".
std::string_view name_for_message(std::string_view name) {
  return name.find_first_of(":@") == std::string_view::npos ? name : "***";
}

std::string join_path(std::string_view base, std::string_view relative) {
  const size_t colon = relative.find("://");
  const bool is_uri = colon != std::string_view::npos && is_scheme(relative.substr(0, colon));
  if (base.empty() || is_uri || relative.starts_with('/')) {
    return std::string(relative);
  }
  std::string joined(base);
  if (!joined.ends_with('/')) {
    joined += '/';
  }
  const size_t begin = joined.size();
  joined += relative;
  size_t at = joined.find('%', begin);
  if (at == std::string::npos || !has_escapes(base)) {
    return joined;
  }
  for (; at != std::string::npos; at = joined.find('%', at + 3)) {
    joined.replace(at, 1, "%25");
  }
  return joined;
}

bool stays_below(std::string_view name) {
  if (name.find("://") != name.npos || name.find('\0') != name.npos) {
    return false;
  }
  size_t begin = 0;
  while (begin <= name.size()) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") {
      return false;
    }
    begin = end + 1;
  }
  return true;
}

std::string_view parent_path(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return {};
  }
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

std::string_view base_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace forebay::storage
