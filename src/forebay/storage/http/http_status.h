// What an HTTP answer says of an object: errors, versions, sizes. Shared by the drivers that speak HTTP.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/net/http_fields.h"
#include "forebay/net/http_message.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// The error that an answer without success means for the object `uri`: not_found (404, 410),
/// permission_denied (401, 403, 407), unavailable (408, 429, 5xx; with the time that the server asked to be
/// left alone), aborted (409, 412), out_of_range (416), unimplemented (405, 501), else failed_precondition.
Status status_of_http(const net::HttpResponse& response, std::string_view uri);

/// What Content-Range says; no value where it is missing or is none.
std::optional<net::ContentRange> content_range_of(const net::HttpResponse& head);

/// The size of the whole object, from Content-Range or Content-Length; no value where the answer does not
/// tell.
std::optional<uint64_t> object_size_of(const net::HttpResponse& head);

/// The strong entity tag as it is; else the weak one, or the time of modification, with the size. `size` is
/// the object's, if known.
std::string version_of(const net::HttpResponse& head, std::optional<uint64_t> size_bytes);

/// Whether other content may have the same version: one without entity tag and time, with a weak tag, or with
/// a time that is less than a minute before that of the answer (RFC 9110, 8.8.1 and 8.8.2.2).
bool has_weak_version(const net::HttpResponse& head);

/// The time that a Last-Modified header gives; 0 for none, and for what is no time.
int64_t modified_ns_of(const std::string* date);

/// When an object was written, as the answer to the write tells: its Last-Modified, else the answer's Date.
int64_t written_ns_of(const net::HttpResponse& answer);

/// The object that the answer describes; failed_precondition where it does not tell the size.
Result<ObjectStat> stat_of(const net::HttpResponse& head, std::string key, std::string_view uri);

}  // namespace forebay::storage
