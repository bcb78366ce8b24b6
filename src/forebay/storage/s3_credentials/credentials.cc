#include "forebay/storage/s3_credentials/credentials.h"

#include <unistd.h>

#include <iterator>
#include <utility>

#include "forebay/base/log.h"
#include "forebay/storage/s3/s3_state_mutex.h"

namespace forebay::storage {
namespace {

constexpr int64_t kRefreshAheadSeconds = 300;
constexpr int64_t kSecondsBetweenFailures = 10;

}  // namespace

void CredentialsChain::fetch_from(size_t index, std::string found_none, CredentialsCallback done) {
  if (index == sources_.size()) {
    done(permission_denied("no credentials: {}. Public buckets are read without: FOREBAY_S3_ANONYMOUS=1",
                           found_none));
    return;
  }
  sources_[index]->fetch([this, index, found_none = std::move(found_none),
                          done = std::move(done)](Result<CredentialsRef> fetched) mutable {
    if (fetched.status().code() != StatusCode::kNotFound) {
      done(std::move(fetched));
      return;
    }
    found_none += found_none.empty() ? "" : "; ";
    found_none += message(fetched.status());
    fetch_from(index + 1, std::move(found_none), std::move(done));
  });
}

bool CachedCredentials::is_good(int64_t seconds_more) const {
  return has_current_ && (current_ == nullptr || current_->expires_s == kNeverExpires ||
                          current_->expires_s - seconds_more > clock_());
}

// Whoever waits for a fetch of the parent is in the parent.
void CachedCredentials::leave_parents_calls() {
  static auto* const kept = new std::vector<CredentialsCallback>;  // they hold what the parent owns
  if (fetching_process_ != 0 && fetching_process_ != getpid()) {
    fetching_process_ = 0;
    kept->insert(kept->end(), std::make_move_iterator(waiting_.begin()),
                 std::make_move_iterator(waiting_.end()));
    waiting_.clear();
  }
}

void CachedCredentials::get(CredentialsCallback done) {
  CredentialsRef answer;
  bool answers = false;
  bool fetches = false;
  {
    const MutexLock lock(s3_state_mutex());
    leave_parents_calls();
    answers = is_good(0);
    answer = answers ? current_ : nullptr;
    fetches = fetching_process_ == 0 &&
              (!answers || (!is_good(kRefreshAheadSeconds) && clock_() >= next_refresh_s_));
    if (fetches) {
      fetching_process_ = getpid();
    }
    if (!answers) {
      waiting_.push_back(std::move(done));
    }
  }
  if (answers) {
    done(std::move(answer));
  }
  if (fetches) {
    start_fetch();
  }
}

void CachedCredentials::forget(const CredentialsRef& refused) {
  const MutexLock lock(s3_state_mutex());
  if (has_current_ && current_ == refused) {
    has_current_ = false;
    current_.reset();
  }
}

void CachedCredentials::start_fetch() {
  source_->fetch(
      [self = shared_from_this()](Result<CredentialsRef> fetched) { self->finish(std::move(fetched)); });
}

void CachedCredentials::finish(Result<CredentialsRef> fetched) {
  std::vector<CredentialsCallback> waiting;
  {
    const MutexLock lock(s3_state_mutex());
    fetching_process_ = 0;
    next_refresh_s_ = fetched.ok() ? 0 : clock_() + kSecondsBetweenFailures;
    waiting = std::exchange(waiting_, {});
    if (fetched.ok()) {
      current_ = *fetched;
      has_current_ = true;
    }
  }
  if (!fetched.ok() && waiting.empty()) {
    log_warning("S3 credentials could not be refreshed; the old ones serve until they expire: {}",
                message(fetched.status()));
  }
  for (CredentialsCallback& done : waiting) {
    done(fetched);
  }
}

}  // namespace forebay::storage
