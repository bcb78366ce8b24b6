#include "forebay/net/client/curl_errors.h"

namespace forebay::net {
namespace {

StatusCode code_of(CURLcode code) {
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_BAD_FUNCTION_ARGUMENT:
      return StatusCode::kInvalidArgument;
    case CURLE_PEER_FAILED_VERIFICATION:
      return StatusCode::kPermissionDenied;
    case CURLE_OUT_OF_MEMORY:
      return StatusCode::kResourceExhausted;
    default:
      return StatusCode::kUnavailable;
  }
}

std::string_view advice_of(CURLcode code) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
      return "; a certificate authority of your own is named by SSL_CERT_FILE";
    case CURLE_SSL_CACERT_BADFILE:
      return "; the file of trusted certificates cannot be read: install this system's, as by the package "
             "ca-certificates, or name a file by SSL_CERT_FILE";
    default:
      return "";
  }
}

}  // namespace

Status curl_error(CURLcode code, std::string_view detail, std::string_view what) {
  const std::string_view text = detail.empty() ? std::string_view(curl_easy_strerror(code)) : detail;
  return make_status(code_of(code), "{}: {}{}", what, text, advice_of(code));
}

}  // namespace forebay::net
