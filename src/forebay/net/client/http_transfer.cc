#include "forebay/net/client/http_transfer.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/match.h"
#include "forebay/base/caught.h"
#include "forebay/base/clock.h"
#include "forebay/memory/copy.h"
#include "forebay/net/client/curl_errors.h"
#include "forebay/net/url.h"

namespace forebay::net {
namespace {

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

}  // namespace

HttpTransfer::HttpTransfer(HttpRequest request, HttpClient::Callback done)
    : request_(std::move(request)), done_(std::move(done)) {
  Result<std::string> origin = origin_of(request_.url);
  if (origin.ok()) {
    origin_ = *std::move(origin);
  }
}

std::string HttpTransfer::what() const {
  return request_.method + " " + url_for_message(request_.url);
}

size_t HttpTransfer::on_header(char* data, size_t size, size_t count, void* self) {
  auto* const transfer = static_cast<HttpTransfer*>(self);
  const std::string_view line(data, size * count);
  transfer->failure_ = caught([&] { return transfer->take_header(line); });
  return transfer->failure_.ok() ? line.size() : 0;
}

size_t HttpTransfer::on_body(char* data, size_t size, size_t count, void* self) {
  auto* const transfer = static_cast<HttpTransfer*>(self);
  const Bytes part = std::as_bytes(std::span(data, size * count));
  const Result<bool> goes_on = caught([&] { return transfer->take_body(part); });
  if (goes_on.ok() && *goes_on) {
    return part.size();
  }
  transfer->is_cut_ = goes_on.ok();
  transfer->failure_ = goes_on.status();
  return part.empty() ? 1 : 0;  // anything but the size ends the transfer
}

size_t HttpTransfer::on_send(char* buffer, size_t size, size_t count, void* self) {
  auto* const transfer = static_cast<HttpTransfer*>(self);
  const Bytes rest = transfer->request_.body.subspan(transfer->sent_bytes_);
  const size_t bytes = std::min(rest.size(), size * count);
  if (bytes > 0) {
    memory::copy(buffer, rest.data(), bytes);
  }
  transfer->sent_bytes_ += bytes;
  return bytes;
}

int HttpTransfer::on_seek(void* self, curl_off_t offset, int origin) {
  auto* const transfer = static_cast<HttpTransfer*>(self);
  if (origin != SEEK_SET || offset < 0 || static_cast<uint64_t>(offset) > transfer->request_.body.size()) {
    return CURL_SEEKFUNC_CANTSEEK;
  }
  transfer->sent_bytes_ = static_cast<uint64_t>(offset);
  return CURL_SEEKFUNC_OK;
}

// An answer may have several heads: those of 1xx before the last, and trailers behind the body, which are
// counted but not kept.
Status HttpTransfer::take_header(std::string_view line) {
  if (response_.first_byte_ns == 0) {
    response_.first_byte_ns = steady_clock().now_ns() - started_ns_;
  }
  header_bytes_ += line.size();
  if (++header_count_ > max_headers_ || header_bytes_ > max_header_bytes_) {
    return resource_exhausted("the answer's headers exceed the limit of {} lines and {} bytes", max_headers_,
                              max_header_bytes_);
  }
  const std::string_view text = trimmed(line);
  if (has_head_) {
    return ok_status();
  }
  if (text.empty()) {
    return end_head();
  }
  if (line.starts_with("HTTP/")) {
    response_.headers.clear();
    return ok_status();
  }
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    response_.headers.push_back(
        {std::string(trimmed(text.substr(0, colon))), std::string(trimmed(text.substr(colon + 1)))});
  }
  return ok_status();
}

Status HttpTransfer::end_head() {
  long status = 0;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  if (status < 200) {
    return ok_status();  // the head of an interim answer
  }
  has_head_ = true;
  response_.status = static_cast<int>(status);
  return response_.is_success() && request_.method != "HEAD" ? find_target() : ok_status();
}

Status HttpTransfer::find_target() {
  if (request_.body_target) {
    FOREBAY_ASSIGN_OR_RETURN(const BodyTarget target, request_.body_target(response_));
    if (!target.is_collected) {
      target_ = target;
    }
  } else if (request_.into.data() != nullptr) {
    target_ = BodyTarget{.into = request_.into};
  }
  return ok_status();
}

Result<bool> HttpTransfer::take_body(Bytes part) {
  return target_ ? fill_target(part) : collect(part);
}

bool HttpTransfer::target_has_all() const {
  const Result<uint64_t> length = response_.content_length();
  return target_->ends_there && response_.body_bytes == target_->into.size() &&
         (!length.ok() || *length > skipped_bytes_ + response_.body_bytes);
}

Result<bool> HttpTransfer::fill_target(Bytes part) {
  const size_t skipped = std::min<uint64_t>(part.size(), target_->skip_bytes - skipped_bytes_);
  skipped_bytes_ += skipped;
  part = part.subspan(skipped);
  const size_t taken = std::min<uint64_t>(part.size(), target_->into.size() - response_.body_bytes);
  if (taken > 0) {
    memory::copy(target_->into.data() + response_.body_bytes, part.data(), taken);
    response_.body_bytes += taken;
  }
  if (taken < part.size() && !target_->ends_there) {
    return out_of_range("the answer's body is longer than the {} bytes that there is room for",
                        target_->into.size());
  }
  return !target_has_all();
}

Result<bool> HttpTransfer::collect(Bytes part) {
  const size_t room = request_.max_body_bytes - response_.body.size();
  if (part.size() > room && response_.is_success()) {
    return resource_exhausted("the answer's body exceeds the limit of {} bytes", request_.max_body_bytes);
  }
  const size_t taken = std::min(part.size(), room);
  response_.body.append(reinterpret_cast<const char*>(part.data()), taken);
  response_.body_bytes += taken;
  return taken == part.size();
}

Status HttpTransfer::outcome(CURLcode code) const {
  if (!failure_.ok()) {
    return annotate(failure_, what());
  }
  if (code == CURLE_OK && !has_head_) {  // which is no error to curl if the first line came whole
    return unavailable("{}: the connection ended within the answer's head", what());
  }
  return code == CURLE_OK || is_cut_ ? ok_status() : curl_error(code, error_text_.data(), what());
}

bool HttpTransfer::finish(CURLcode code, const HttpClientOptions& options) {
  response_.total_ns = steady_clock().now_ns() - started_ns_;
  failure_ = outcome(code);
  easy_ = nullptr;
  if (!failure_.ok() || !may_follow()) {
    return false;
  }
  Result<std::string> target = redirect_target(options);
  Result<std::string> origin = target.ok() ? origin_of(*target) : target.status();
  if (!origin.ok()) {
    failure_ = annotate(origin.status(), what());
    return false;
  }
  request_.url = *std::move(target);
  if (*origin != origin_) {
    drop_headers_for_other_origin();
    origin_ = *std::move(origin);
  }
  ++redirects_;
  return true;
}

bool HttpTransfer::may_follow() const {
  const bool may_be_asked_elsewhere = request_.method == "GET" || request_.method == "HEAD" ||
                                      response_.status == 307 || response_.status == 308;
  return request_.follow_redirects && is_redirect(response_.status) && may_be_asked_elsewhere &&
         response_.header("Location") != nullptr;
}

Result<std::string> HttpTransfer::redirect_target(const HttpClientOptions& options) const {
  if (redirects_ >= options.max_redirects) {
    return failed_precondition("more than {} redirects", options.max_redirects);
  }
  FOREBAY_ASSIGN_OR_RETURN(std::string target, resolve_url(request_.url, *response_.header("Location")));
  if (origin_.starts_with("https://") && !target.starts_with("https://")) {
    return failed_precondition("a redirect from https to {}, which is not followed", url_for_message(target));
  }
  return target;
}

// What is not known to be harmless may be a secret.
void HttpTransfer::drop_headers_for_other_origin() {
  constexpr absl::string_view kHarmless[] = {
      "Accept",        "Accept-Encoding",   "Accept-Language",     "Cache-Control", "If-Match",
      "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range",      "Range"};
  std::erase_if(request_.headers, [&](const HttpHeader& header) {
    return std::ranges::none_of(
        kHarmless, [&](absl::string_view name) { return absl::EqualsIgnoreCase(name, header.name); });
  });
}

void HttpTransfer::answer() {
  if (!failure_.ok()) {
    std::exchange(done_, nullptr)(failure_);
    return;
  }
  response_.url = request_.url;
  std::exchange(done_, nullptr)(std::move(response_));
}

void HttpTransfer::answer(const Status& error) {
  easy_ = nullptr;
  std::exchange(done_, nullptr)(annotate(error, what()));
}

}  // namespace forebay::net
