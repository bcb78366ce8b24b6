// DeleteObjects: many objects by one request.

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "absl/strings/escaping.h"
#include "forebay/storage/remote/xml_answer.h"
#include "forebay/storage/s3/s3_errors.h"
#include "forebay/storage/s3/s3_store.h"

namespace forebay::storage {
namespace {

/// Content-MD5, which S3 wants with such a request.
std::string content_md5(std::string_view content) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(content.data(), content.size(), digest.data(), &size, EVP_md5(), nullptr);
  return absl::Base64Escape(absl::string_view(reinterpret_cast<const char*>(digest.data()), size));
}

/// One call of remove_many(): a request after the other, so that `each` is never called concurrently.
class S3Removal : public std::enable_shared_from_this<S3Removal> {
 public:
  S3Removal(std::shared_ptr<S3Connection> connection, std::vector<std::string> keys, CallContext context,
            RemoveManyCallback each)
      : connection_(std::move(connection)),
        keys_(std::move(keys)),
        context_(std::move(context)),
        each_(std::move(each)) {}

  void step() {
    if (!later_.empty()) {
      const size_t number = later_.back();
      later_.pop_back();
      remove_one(number);
      return;
    }
    while (next_ < keys_.size()) {
      const std::string& key = keys_[next_];
      if (!is_wanted(context_)) {
        each_(next_, not_wanted(context_, connection_->uri_of(key)));
        ++next_;
      } else if (key.empty()) {
        each_(next_++, ok_status());  // the bucket itself is no object
      } else if (is_single_ || !fits_xml(key)) {
        remove_one(next_++);
        return;
      } else {
        remove_some();
        return;
      }
    }
  }

 private:
  void remove_one(size_t number) {
    connection_->send({.method = "DELETE", .key = keys_[number]}, context_,
                      [self = shared_from_this(), number](const Result<net::HttpResponse>& answer) {
                        const bool is_gone = answer.status().code() == StatusCode::kNotFound;
                        self->each_(number, is_gone ? ok_status() : answer.status());
                        self->step();
                      });
  }

  void remove_some() {
    const size_t first = next_;
    std::vector<std::string> some;
    while (next_ < keys_.size() && some.size() < S3Store::kRemovedAtOnce && !keys_[next_].empty() &&
           fits_xml(keys_[next_])) {
      some.push_back(keys_[next_++]);
    }
    const auto body = std::make_shared<const std::string>(remove_objects_xml(some));
    ServiceRequest request = {
        .method = "POST",
        .query = {{"delete", ""}},
        .headers = {{"Content-MD5", content_md5(*body)}, {"Content-Type", "application/xml"}},
        .body = std::as_bytes(std::span(*body)),
        .max_body_bytes = kMaxRemovedBytes};
    connection_->send(std::move(request), context_,
                      [self = shared_from_this(), body, first](const Result<net::HttpResponse>& answer) {
                        self->take(first, answer.ok() ? parse_s3_not_removed(answer->body) : answer.status());
                      });
  }

  /// The answer for the keys from `first` to the next.
  void take(size_t first, const Result<std::vector<S3NotRemoved>>& answer) {
    if (answer.status().code() == StatusCode::kUnimplemented) {
      is_single_ = true;
      next_ = first;
      step();
      return;
    }
    std::map<std::string_view, const S3Failure*> failures;
    const S3Failure* of_others = nullptr;
    const std::span<const std::string> asked(keys_.data() + first, next_ - first);
    if (answer.ok()) {
      for (const S3NotRemoved& each : *answer) {
        of_others = std::ranges::find(asked, each.key) == asked.end() ? &each.failure : of_others;
        failures.emplace(each.key, &each.failure);
      }
    }
    for (size_t i = first; i < next_; ++i) {
      const auto failure = failures.find(keys_[i]);
      const std::string uri = connection_->uri_of(keys_[i]);
      Status status = answer.ok() ? ok_status() : named(answer.status(), uri);
      if (failure != failures.end()) {
        status = s3_error(*failure->second, uri);
      } else if (of_others != nullptr) {  // it may be this one's
        status = s3_error(*of_others, uri);
      }
      if (answer.ok() && status.code() == StatusCode::kUnavailable) {
        later_.push_back(i);
      } else {
        each_(i, status.code() == StatusCode::kNotFound ? ok_status() : std::move(status));
      }
    }
    step();
  }

  const std::shared_ptr<S3Connection> connection_;
  const std::vector<std::string> keys_;
  const CallContext context_;
  RemoveManyCallback each_;
  size_t next_ = 0;            // the first that was not asked about
  bool is_single_ = false;     // the server does not know DeleteObjects
  std::vector<size_t> later_;  // to be asked for again, one by one
};

}  // namespace

void S3Store::remove_many(std::vector<std::string> keys, const CallContext& context,
                          RemoveManyCallback each) {
  std::make_shared<S3Removal>(connection_, std::move(keys), context, std::move(each))->step();
}

}  // namespace forebay::storage
