#include "forebay/storage/http/http_read.h"

#include <span>
#include <utility>

#include "absl/strings/match.h"
#include "forebay/memory/copy.h"
#include "forebay/net/http_fields.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/http/http_range.h"
#include "forebay/storage/http/http_stat.h"
#include "forebay/storage/http/http_status.h"

namespace forebay::storage {
HttpRead::HttpRead(std::shared_ptr<HttpSite> site, ReadRequest request, CallContext context,
                   ReadCallback done)
    : site_(std::move(site)),
      request_(std::move(request)),
      context_(std::move(context)),
      uri_(site_->uri_of(request_.key)),
      done_(std::move(done)) {
  context_.is_for_read = true;
}

void HttpRead::start() {
  if (!has_http_form(request_)) {
    answer_by_stat();
    return;
  }
  call_with_retries<ReadBytes>(
      site_->retries(), context_,
      [self = shared_from_this()](const CallContext&, ReadCallback next) { self->get(std::move(next)); },
      [self = shared_from_this()](Result<ReadBytes> read) { self->finish(std::move(read)); });
}

void HttpRead::get(ReadCallback next) {
  target_.reset();
  ServiceRequest get = {.key = request_.key,
                        .body_target = [self = shared_from_this()](
                                           const net::HttpResponse& head) { return self->target_of(head); },
                        .expected_bytes = request_.length_bytes == kToEnd ? 0 : request_.length_bytes,
                        .max_body_bytes = site_->options().max_unsized_bytes};
  if (std::string range = http_range(request_); !range.empty()) {
    get.headers.emplace_back("Range", std::move(range));
  }
  if (net::is_strong_etag(request_.if_version)) {
    get.headers.emplace_back("If-Match", request_.if_version);
  }
  site_->send_once(std::move(get), context_,
                   [self = shared_from_this(), next = std::move(next)](
                       const Result<net::HttpResponse>& answer) mutable { next(self->result_of(answer)); });
}

namespace {

/// Whether the bytes are others than those of the file. The older names are said of files that are stored so:
/// data.gz is its own bytes.
bool is_encoded(const net::HttpResponse& head) {
  const std::string* const encoding = head.header("Content-Encoding");
  return encoding != nullptr && !absl::EqualsIgnoreCase(*encoding, "identity") &&
         !absl::EqualsIgnoreCase(*encoding, "x-gzip") && !absl::EqualsIgnoreCase(*encoding, "x-compress");
}

}  // namespace

Result<net::BodyTarget> HttpRead::target_of(const net::HttpResponse& head) {
  if (is_encoded(head)) {
    return failed_precondition("{}: the server sends the object encoded, though it was asked not to", uri_);
  }
  const std::optional<uint64_t> size = object_size_of(head);
  const bool is_exact = answers_exactly(head, request_);
  if (!size && head.status != 200 && !is_exact) {
    return content_range_of(head)
               ? failed_precondition("{}: the server does not tell the object's size", uri_)  // nor later
               : unavailable("{}: the server does not tell which part of the object it sends", uri_);
  }
  std::string version = version_of(head, size);
  FOREBAY_RETURN_IF_ERROR(check_version(version));
  if (!size && !is_exact) {
    return net::BodyTarget{.is_collected = true};
  }
  Result<uint64_t> length = request_.length_bytes;
  if (size) {
    length = checked_length(head, *size);
  }
  FOREBAY_RETURN_IF_ERROR(length.status());
  FOREBAY_ASSIGN_OR_RETURN(target_, allocate_read(request_, *length, std::move(version), uri_));
  target_->answer.has_weak_version = has_weak_version(head);
  const bool is_whole = head.status == 200;
  return net::BodyTarget{.into = target_->destination,
                         .skip_bytes = is_whole ? request_.offset_bytes : 0,
                         .ends_there = is_whole};
}

Status HttpRead::check_version(const std::string& version) const {
  return request_.if_version.empty() || request_.if_version == version
             ? ok_status()
             : version_changed(uri_, request_.if_version, version);
}

Result<uint64_t> HttpRead::checked_length(const net::HttpResponse& head, uint64_t size_bytes) const {
  if (head.status == 200 && request_.offset_bytes > site_->options().max_skipped_bytes) {
    return unimplemented("{}: the server cannot send parts of objects; copy the data to one that can", uri_);
  }
  return answered_length(head, request_, size_bytes, uri_);
}

Result<ReadBytes> HttpRead::result_of(const Result<net::HttpResponse>& response) {
  FOREBAY_RETURN_IF_ERROR(response.status());
  has_no_range_ = response->status == 416;
  if (response->status == 412) {
    return version_changed(uri_, request_.if_version, "another");
  }
  if (!response->is_success()) {
    return status_of_http(*response, uri_);
  }
  if (site_->options().costs) {
    site_->options().costs->observe(response->first_byte_ns, response->total_ns - response->first_byte_ns,
                                    response->body_bytes);
  }
  if (!target_) {
    return collected(*response);
  }
  if (response->body_bytes != target_->destination.size()) {
    return unavailable("{}: the answer ended after {} of {} bytes", uri_, response->body_bytes,
                       target_->destination.size());
  }
  return std::move(target_->answer);
}

void HttpRead::finish(Result<ReadBytes> read) {
  if (has_no_range_) {
    answer_by_stat();
  } else {
    done_(std::move(read));
  }
}

Result<ReadBytes> HttpRead::collected(const net::HttpResponse& response) const {
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t length, range_length(request_, response.body.size(), uri_));
  FOREBAY_ASSIGN_OR_RETURN(ReadTarget target,
                           allocate_read(request_, length, version_of(response, std::nullopt), uri_));
  target.answer.has_weak_version = has_weak_version(response);
  if (length > 0) {
    memory::copy(target.destination.data(), response.body.data() + request_.offset_bytes, length);
  }
  return std::move(target.answer);
}

void HttpRead::answer_by_stat() {
  stat_over_http(site_, request_.key, context_, [self = shared_from_this()](Result<ObjectStat> stat) {
    self->done_(stat.ok() ? self->empty_range(*stat) : Result<ReadBytes>(stat.status()));
  });
}

Result<ReadBytes> HttpRead::empty_range(const ObjectStat& stat) const {
  FOREBAY_RETURN_IF_ERROR(check_version(stat.version));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t length, range_length(request_, stat.size_bytes, uri_));
  if (length > 0) {
    return aborted("{}: the server refused a range that the object has; it may have changed meanwhile", uri_);
  }
  FOREBAY_ASSIGN_OR_RETURN(ReadTarget target, allocate_read(request_, 0, stat.version, uri_));
  return std::move(target.answer);
}

}  // namespace forebay::storage
