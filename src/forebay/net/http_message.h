// Requests and responses of HTTP as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::net {

struct HttpHeader {
  std::string name;  // compared without regard to case
  std::string value;
};

/// The value of the first header with that name; null if there is none.
const std::string* find_header(const std::vector<HttpHeader>& headers, std::string_view name);

/// Any status is an answer; none is an error.
struct HttpResponse {
  int status = 0;
  std::vector<HttpHeader> headers;
  std::string body;         // empty where the body went into the caller's memory
  uint64_t body_bytes = 0;  // of the body as received, without what was skipped
  std::string url;          // where the answer came from, after redirects
  int64_t first_byte_ns =
      0;                 // from the start of the request, queueing apart, to the first byte of the answer
  int64_t total_ns = 0;  // from the start of the request to the end of the answer

  const std::string* header(std::string_view name) const { return find_header(headers, name); }
  bool is_success() const { return status >= 200 && status < 300; }
  /// The length that the answer gives for its body, if it does. For an answer to HEAD, that of GET.
  Result<uint64_t> content_length() const;
};

/// Where the body of a 2xx answer goes.
struct BodyTarget {
  MutableBytes into;
  uint64_t skip_bytes = 0;  // so many bytes at the start of the body are dropped
  bool ends_there = false;  // what follows is not wanted; otherwise a body that does not fit is out_of_range
  bool is_collected = false;  // in HttpResponse::body, as if there were no target
};

/// Called on the client's thread with the status and the headers of a 2xx answer, before its body. An error
/// ends the request. The memory must stay valid until the request is answered. Must not block.
using BodyTargetOf = absl::AnyInvocable<Result<BodyTarget>(const HttpResponse& head)>;

/// What is more urgent starts first; among equals, what came first.
enum class Urgency : uint8_t { kDemand, kPrefetch, kBulk };
inline constexpr size_t kUrgencies = 3;

struct HttpRequest {
  std::string method = "GET";
  std::string url;                  // http or https, percent-encoded as it goes on the wire
  std::vector<HttpHeader> headers;  // may hold secrets: they are never logged and never in an error
  Bytes body;                       // the caller's; valid until the request is answered
  /// The body of a 2xx answer is written here if it is not empty; a body that does not fit is out_of_range.
  MutableBytes into = {};
  /// The same for memory that depends on the answer; replaces `into`.
  BodyTargetOf body_target;
  /// Limit of a body that is collected in HttpResponse::body: resource_exhausted for a 2xx answer; of other
  /// answers the rest is dropped.
  size_t max_body_bytes = 1 << 20;
  /// A redirect to another host, port or scheme takes only harmless headers along, and none goes from https
  /// to http. GET and HEAD follow 301, 302, 303, 307 and 308, others only the last two. A redirect that is
  /// not followed is the answer.
  bool follow_redirects = true;
  Urgency urgency = Urgency::kDemand;  // among those that wait for a connection to the same host
  int64_t stall_timeout_s = 0;         // for a request that keeps a server busy for long; 0: the client's
  std::stop_token cancellation;
  int64_t deadline_ns = std::numeric_limits<int64_t>::max();  // on steady_clock()
};

}  // namespace forebay::net
