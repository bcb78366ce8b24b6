// Errors as HTTP has them. One table says which status a code becomes.
#include "forebay/serving/protocol/http_status.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "forebay/serving/protocol/json_values.h"

namespace forebay::serving {
namespace {

struct HttpStatusRow {
  StatusCode code;
  int status;
};

constexpr std::array kHttpStatuses = {
    HttpStatusRow{StatusCode::kOk, 200},
    HttpStatusRow{StatusCode::kInvalidArgument, 400},
    HttpStatusRow{StatusCode::kOutOfRange, 400},
    HttpStatusRow{StatusCode::kPermissionDenied, 403},
    HttpStatusRow{StatusCode::kNotFound, 404},
    HttpStatusRow{StatusCode::kAlreadyExists, 409},
    HttpStatusRow{StatusCode::kResourceExhausted, 429},
    HttpStatusRow{StatusCode::kCancelled, 499},  // as nginx has it: the client closed the request
    HttpStatusRow{StatusCode::kUnimplemented, 501},
    HttpStatusRow{StatusCode::kFailedPrecondition, 503},  // as Triton: loading where it is not explicit
    HttpStatusRow{StatusCode::kUnavailable, 503},
    HttpStatusRow{StatusCode::kDeadlineExceeded, 504},
};
constexpr int kInternalServerError = 500;

}  // namespace

int http_status_of(StatusCode code) {
  const auto row = std::find_if(kHttpStatuses.begin(), kHttpStatuses.end(),
                                [code](const HttpStatusRow& known) { return known.code == code; });
  return row == kHttpStatuses.end() ? kInternalServerError : row->status;
}

std::string error_body(std::string_view text) {
  return to_text({{"error", text}});
}

std::string error_body(const Status& status) {
  return error_body(message(status));
}

}  // namespace forebay::serving
