#include "forebay/cache/store/access_check.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "forebay/storage/errors.h"
#include "forebay/storage/remote/while_wanted.h"

namespace forebay::cache {
namespace {

/// Scheme and bucket, or server; empty for a path of this host.
std::string_view place_of(std::string_view uri) {
  const size_t scheme = uri.find("://");
  return scheme == std::string_view::npos ? std::string_view() : uri.substr(0, uri.find('/', scheme + 3));
}

/// Upstream would give the user what is there. Of S3 and GCS, an object that has gone says so, too: whoever
/// may not read a bucket is told that. A web server may answer so to hide what it has, and Azure to whoever
/// comes without a key.
bool lets_in(const Status& status, std::string_view place) {
  switch (status.code()) {
    case StatusCode::kOk:
    case StatusCode::kAborted:     // another version by now
    case StatusCode::kOutOfRange:  // an empty object
      return true;
    case StatusCode::kNotFound:
      return place.starts_with("s3://") || place.starts_with("gs://");
    default:
      return false;
  }
}

}  // namespace

bool AccessCheck::is_known(std::string_view uri) const {
  const std::string_view place = place_of(uri);
  if (place.empty()) {
    return true;
  }
  const MutexLock lock(mutex_);
  const auto found = places_.find(place);
  return found != places_.end() && clock_.now_ns() < found->second.known_until_ns;
}

void AccessCheck::note(std::string_view uri) {
  std::string place(place_of(uri));
  const MutexLock lock(mutex_);
  Place& known = places_[std::move(place)];
  known.known_until_ns = clock_.now_ns() + trusted_ns_;
  known.was_let_in = true;
}

void AccessCheck::ask(const std::string& key, const std::string& version, const storage::CallContext& context,
                      Done done) {
  std::string uri = upstream_->uri_of(key);
  std::string place(place_of(uri));
  auto wait = storage::while_wanted<bool>(
      context, std::move(uri),
      [done = std::move(done)](const Result<bool>& may) mutable { done(may.status()); });
  wait_for(std::move(place), {key, version, [wait = std::move(wait)](const Status& status) mutable {
                                wait(status.ok() ? Result<bool>(true) : Result<bool>(status));
                              }});
}

// Whether there is anything to wait for is decided with what is asked, so that nobody falls between the two.
void AccessCheck::wait_for(std::string place, Waiting waiting) {
  const std::string key = waiting.key;
  const std::string version = waiting.version;
  bool is_let_in = false;
  bool was_asked = false;
  {
    const MutexLock lock(mutex_);
    Place& asked = places_[place];
    is_let_in = asked.was_let_in;
    was_asked = std::exchange(asked.is_asked, true);
    if (!is_let_in) {
      asked.waiting.push_back(std::move(waiting));
    }
  }
  if (!was_asked) {
    ask_upstream(place, key, version);
  }
  if (is_let_in) {
    waiting.done(ok_status());
  }
}

void AccessCheck::ask_upstream(const std::string& place, const std::string& key, const std::string& version) {
  upstream_->read({.key = key, .length_bytes = 1, .if_version = version}, {},
                  [self = shared_from_this(), place, key](const Result<storage::ReadBytes>& read) {
                    self->take(place, key, read.status());
                  });
}

void AccessCheck::take(const std::string& place, const std::string& key, const Status& status) {
  std::vector<Waiting> answered;
  std::vector<Waiting> others;
  Status outcome = status;
  {
    const MutexLock lock(mutex_);
    Place& asked = places_[place];
    asked.is_asked = false;
    answered.swap(asked.waiting);
    if (lets_in(status, place)) {
      asked.was_let_in = true;
      asked.known_until_ns = clock_.now_ns() + trusted_ns_;
      outcome = ok_status();
    } else if (!storage::is_unanswered(status)) {
      asked.was_let_in = false;
      asked.known_until_ns = 0;
      const auto rest =
          std::ranges::stable_partition(answered, [&](const Waiting& waiting) { return waiting.key == key; });
      others.insert(others.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
      answered.erase(rest.begin(), rest.end());
    }
  }
  for (Waiting& waiting : answered) {
    waiting.done(outcome);
  }
  for (Waiting& waiting : others) {
    wait_for(place, std::move(waiting));
  }
}

}  // namespace forebay::cache
