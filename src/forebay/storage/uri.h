// URIs and plain paths. "scheme://authority/path" is a URI; anything else is a path of the local file system.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::storage {

struct Uri {
  /// In lower case; of the names that others use, Forebay's: s3 of s3a, gs of gcs, abfs of abfss.
  std::string scheme = "file";
  std::string authority;       // host or bucket; empty for plain paths
  std::string path;            // with the leading "/" if the URI has one
  bool is_plain_path = false;  // given without a scheme

  std::string to_string() const;
};

/// Percent escapes are decoded for "file" only; object stores use names as written. invalid_argument for an
/// empty text, a bad scheme, a bad escape, a NUL byte, or a file URI with a host other than "localhost".
Result<Uri> parse_uri(std::string_view text);

/// The bucket or container: the authority; of abfs://container@account.dfs.core.windows.net the container.
std::string_view bucket_of(const Uri& uri);

/// `path_or_uri` as messages may show it, without what may be secret: URLs of http and https without user,
/// password and query, those of webhdfs without user and password; buckets that hold more than a name as
/// "***"; Azure's without a query.
std::string uri_for_message(std::string_view path_or_uri);

/// The name of a bucket or container as messages may show it: some tools take keys there.
std::string_view name_for_message(std::string_view name);

/// Joins the name `relative` to `base` by a single "/", with escapes where that is a URI of "file"; returns
/// `relative` alone if it is absolute or a URI.
std::string join_path(std::string_view base, std::string_view relative);

/// Whether a name, joined to a folder's, stays below that folder, and is told apart from all others there: it
/// has no empty part, no "." or "..", no NUL byte, and is not a URI. For names that come from elsewhere.
bool stays_below(std::string_view name);

/// The part before the last "/": "a/b" of "a/b/c", "/" of "/c", "" of "c".
std::string_view parent_path(std::string_view path);

/// The part after the last "/".
std::string_view base_name(std::string_view path);

}  // namespace forebay::storage
