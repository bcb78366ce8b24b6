// Errors of services that speak HTTP and say more than a status, as the errors of stores.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/net/http_message.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Text from outside as a message may hold it: at most `most_bytes`, control characters as spaces.
std::string for_message(std::string_view text, size_t most_bytes);

/// What a service says of a failure: its own code ("BlobNotFound"), and a sentence. Both may be empty.
struct ServiceFailure {
  std::string service;  // "GCS"
  std::string code;
  std::string message;
};

/// status_of_http() with what the service says behind it.
Status service_error(const net::HttpResponse& answer, const ServiceFailure& failure, std::string_view uri);

/// The same with another code than the HTTP status has.
Status service_error(StatusCode code, std::string_view what, const ServiceFailure& failure,
                     std::string_view uri);

/// `status` with the object's URI in front, unless it is there already.
Status named(const Status& status, std::string_view uri);

/// `"abc"` or `abc` to `abc`.
std::string_view unquoted(std::string_view etag);

/// The entity tag of an answer, without quotes. data_loss if it has none that fits into a header.
Result<std::string> etag_in(const net::HttpResponse& answer, std::string_view uri);

/// The object that the answer describes, with its entity tag as its version.
Result<ObjectStat> stat_with_etag(const net::HttpResponse& answer, std::string key, std::string_view uri);

/// What a conditional write's `aborted` means: already_exists if the object had to be absent.
Status write_error(Status status, const WriteOptions& options, std::string_view uri);

/// `stat`, with the version and the time that the answer to its write gives.
Result<ObjectStat> written_in(const Result<net::HttpResponse>& answer, ObjectStat stat,
                              const WriteOptions& options, std::string_view uri);

}  // namespace forebay::storage
