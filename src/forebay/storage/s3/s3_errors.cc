#include "forebay/storage/s3/s3_errors.h"

#include <optional>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "forebay/net/http_fields.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/remote/wall_time.h"

namespace forebay::storage {
namespace {

constexpr int64_t kPauseNs = 200'000'000;  // where a busy server names none

struct KnownError {
  std::string_view code;
  StatusCode status;
  std::string_view what;
};

constexpr std::string_view kCredentials = "the server did not accept the credentials";
constexpr std::string_view kChanged = "the object has changed; it has another version than requested";
constexpr std::string_view kTryAgain = "the request failed and may be tried again";

constexpr KnownError kKnownErrors[] = {
    {"NoSuchKey", StatusCode::kNotFound, "no such object"},
    {"NoSuchBucket", StatusCode::kNotFound, "there is no such bucket"},
    {"NoSuchUpload", StatusCode::kNotFound, "the upload was ended by somebody else"},
    {"AccessDenied", StatusCode::kPermissionDenied, "access is denied"},
    {"AllAccessDisabled", StatusCode::kPermissionDenied, "access is denied"},
    {"AccountProblem", StatusCode::kPermissionDenied, "access is denied"},
    {"InvalidAccessKeyId", StatusCode::kPermissionDenied, kCredentials},
    {"SignatureDoesNotMatch", StatusCode::kPermissionDenied, kCredentials},
    {"ExpiredToken", StatusCode::kPermissionDenied, kCredentials},
    {"InvalidToken", StatusCode::kPermissionDenied, kCredentials},
    {"RequestTimeTooSkewed", StatusCode::kPermissionDenied, "this machine's clock differs from the server's"},
    {"InvalidObjectState", StatusCode::kFailedPrecondition, "the object is archived; restore it first"},
    {"PreconditionFailed", StatusCode::kAborted, kChanged},
    {"ConditionalRequestConflict", StatusCode::kUnavailable, "another write is under way"},
    {"OperationAborted", StatusCode::kUnavailable, "another change is under way"},
    {"InvalidRange", StatusCode::kOutOfRange, "the range begins behind the end of the object"},
    {"InternalError", StatusCode::kUnavailable, kTryAgain},
    {"ServiceUnavailable", StatusCode::kUnavailable, kTryAgain},
    {"RequestTimeout", StatusCode::kUnavailable, kTryAgain},
    {"BadDigest", StatusCode::kUnavailable, "the content was damaged on its way"},
    {"XAmzContentSHA256Mismatch", StatusCode::kUnavailable, "the content was damaged on its way"},
    {"IncompleteBody", StatusCode::kUnavailable, "the content was cut on its way"},
    {"NotImplemented", StatusCode::kUnimplemented, "the server lacks this operation"},
    {"MethodNotAllowed", StatusCode::kUnimplemented, "the server lacks this operation"},
    {"PermanentRedirect", StatusCode::kFailedPrecondition, "the bucket is at another endpoint"},
    {"AuthorizationHeaderMalformed", StatusCode::kFailedPrecondition,
     "the request was signed for another region"},
};

KnownError by_status(int status) {
  switch (status) {
    case 301:
    case 307:
    case 308:
      return {"", StatusCode::kFailedPrecondition, "the bucket is at another endpoint or region"};
    case 401:
    case 403:
      return {"", StatusCode::kPermissionDenied, "access is denied"};
    case 404:
      return {"", StatusCode::kNotFound, "no such object"};
    case 405:
    case 501:
      return {"", StatusCode::kUnimplemented, "the server lacks this operation"};
    case 408:
    case 409:
      return {"", StatusCode::kUnavailable, kTryAgain};
    case 412:
      return {"", StatusCode::kAborted, kChanged};
    case 416:
      return {"", StatusCode::kOutOfRange, "the range begins behind the end of the object"};
    default:
      return status >= 500 ? KnownError{"", StatusCode::kUnavailable, kTryAgain}
                           : KnownError{"", StatusCode::kInvalidArgument, "the server refused the request"};
  }
}

KnownError classify(const S3Failure& failure, int status) {
  for (const KnownError& known : kKnownErrors) {
    if (failure.code == known.code) {
      return known;
    }
  }
  return by_status(status);
}

bool is_throttle(const S3Failure& failure, int status) {
  return status == 429 || failure.code == "SlowDown" || failure.code == "Throttling" ||
         failure.code == "ThrottlingException" || failure.code == "RequestLimitExceeded" ||
         failure.code == "TooManyRequests" || (status == 503 && failure.code.empty());
}

Status make_error(const S3Failure& failure, int status, int64_t pause_ns, std::string_view uri) {
  const std::string code = failure.code.empty() ? fmt::format("status {}", status) : failure.code;
  if (is_throttle(failure, status)) {
    return annotate(throttled(uri, pause_ns), fmt::format("S3 answered {}", code));
  }
  const KnownError error = classify(failure, status);
  const std::string_view separator = failure.message.empty() ? "" : ": ";
  return make_status(error.status, "{}: {} (S3: {}{}{})", uri, error.what, code, separator, failure.message);
}

}  // namespace

Status s3_error(const net::HttpResponse& answer, std::string_view uri) {
  int64_t pause_ns = kPauseNs;
  if (const std::string* const text = answer.header("Retry-After")) {
    pause_ns = net::parse_retry_after(*text, wall_clock_seconds()).value_or(kPauseNs);
  }
  return make_error(parse_s3_failure(answer.body), answer.status, pause_ns, uri);
}

Status s3_error(const S3Failure& failure, std::string_view uri) {
  return make_error(failure, 500, kPauseNs, uri);
}

}  // namespace forebay::storage
